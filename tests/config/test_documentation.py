"""What is made from the models: the schema for editors, and the tables of config/README.md."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from configs import VALID, changed
from faults_of_configs import BAD

from metatrace.cli.main import main
from metatrace.config import documentation
from metatrace.domains.registry import ENVIRONMENTS
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import METHODS

CONFIG = Path(__file__).parents[2] / "config"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(documentation.schema()))
AGAIN = f"run `{documentation.HOW}`"


def test_the_schema_in_the_repository_is_that_of_the_models():
    assert (CONFIG / "config.schema.json").read_text(encoding="utf-8") == documentation.schema(), AGAIN


def test_the_tables_of_the_readme_are_those_of_the_models():
    text = (CONFIG / "README.md").read_text(encoding="utf-8")
    assert documentation.readme(text) == text, AGAIN


def test_the_verb_prints_the_schema(capsys):
    assert main(["config", "--schema"]) == 0
    assert capsys.readouterr().out == documentation.schema()


@pytest.mark.parametrize(
    "path", sorted([*CONFIG.glob("*.yaml"), *CONFIG.glob("findings/*.yaml")]), ids=lambda path: path.stem
)
def test_the_schema_takes_the_configs_of_the_project(path):
    if path.stem != "claims":
        VALIDATOR.validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_the_schema_takes_an_overlay_that_removes_keys():
    VALIDATOR.validate(
        {"base": "paper.yaml", "figures": {"figure_1": None, "figure_2": {"mu": ["2^-8"], "hyper": None}}}
    )
    assert not VALIDATOR.is_valid({"base": "paper.yaml", "figures": {"figure_1": {"alfa": ["2^-8"]}}})


# What a schema of single values can see. The rest concerns several keys, or how a number is spelled.
SEEN = [
    "an unknown method", "an unknown environment", "an unknown key in a figure", "no alpha", "half a seed",
    "no episodes", "a key missing", "no figure", "figures missing", "an unknown kind", "an unknown device",
    "frames of a mountain car", "the old name of assumptions", "a seed of 64 bits", "a huge smoothing",
]  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_the_schema_refuses_what_the_checker_refuses(name):
    VALIDATOR.validate(VALID)
    path, value, _, _ = BAD[name]
    assert not VALIDATOR.is_valid(changed(path, value))


def test_the_readme_names_every_method_environment_and_kind():
    text = (CONFIG / "README.md").read_text(encoding="utf-8")
    assert all(name in text for name in (*METHODS, *ENVIRONMENTS, *KINDS))
