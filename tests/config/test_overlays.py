"""Overlays: a config that says what it changes; one config of several files and of `--config`."""

from pathlib import Path

import pytest
import yaml
from configs import VALID
from hypothesis import given
from hypothesis import strategies as st
from snakemake.cli import parse_config

from metatrace.config import loading
from metatrace.errors import UserError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "paper.yaml").write_text(loading.as_yaml(loading.check(VALID, "c")))
    return tmp_path


def overlay(folder, text, name="mine.yaml"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def refusal(path):
    with pytest.raises(UserError) as raised:
        loading.read(path)
    line = str(raised.value)
    assert "\n" not in line
    return line


def test_tables_are_merged_and_everything_else_is_replaced(folder):
    mine = overlay(
        folder,
        "base: paper.yaml\nscale: mine\nreadings: {bias_feature: present}\n"
        "figures:\n  figure_2: {alpha: [2^-4], seeds: 1}\n  figure_9: {alpha: {best: 1}}\n",
    )
    asked, base = loading.read(mine), loading.read(folder / "paper.yaml")
    assert asked.scale == "mine" and list(asked.figures) == list(base.figures)
    assert asked.readings == {**base.readings, "bias_feature": "present"}
    two = asked.figures["figure_2"]
    assert (two.alphas, two.seeds, two.mus) == (("2^-4",), (0,), base.figures["figure_2"].mus)
    assert (asked.figures["figure_9"].best.count, asked.figures["figure_9"].best.figure) == (1, "figure_8")


def test_null_removes_a_figure_or_a_key(folder):
    mine = overlay(folder, "base: paper.yaml\nfigures: {figure_2: {reference: null}, figure_7: null}\n")
    asked = loading.read(mine)
    assert "figure_7" not in asked.figures and asked.figures["figure_2"].reference is None
    line = refusal(overlay(folder, "base: paper.yaml\nfigures: {figure_3: null}\n"))
    assert line.startswith(f"{folder}/mine.yaml: figures.figure_3: is null, which removes a key")


def test_a_new_figure_stands_last(folder):
    entry = {**VALID["figures"]["figure_1"], "title": "More"}
    mine = overlay(folder, yaml.safe_dump({"base": "paper.yaml", "figures": {"figure_0": entry}}))
    assert list(loading.read(mine).figures)[-1] == "figure_0"


def test_a_base_may_have_a_base_in_another_folder(folder):
    overlay(folder, "base: paper.yaml\nscale: middle\nstatistics: {final_episodes: 7}\n", "middle.yaml")
    mine = overlay(folder, "base: ../middle.yaml\nscale: mine\n", "below/mine.yaml")
    asked = loading.read(mine)
    assert (asked.scale, asked.final_episodes) == ("mine", 7)


@pytest.mark.parametrize("base", ["mine.yaml", "./mine.yaml", "other.yaml"])
def test_a_circle_of_bases_is_refused(folder, base):
    overlay(folder, "base: mine.yaml\n", "other.yaml")
    assert "it must be another file" in refusal(overlay(folder, f"base: {base}\n"))


@pytest.mark.parametrize("base", ["3", "[paper.yaml]", "null", '""', "nothing.yaml", ".", '"a\\nb"', '"a\\0b"'])
def test_a_base_is_a_config_file(folder, base):
    line = refusal(overlay(folder, f"base: {base}\n"))
    assert line.startswith(f"{folder}/mine.yaml: base: ") and "config file" in line


def test_a_fault_is_named_with_the_file_that_holds_it(folder):
    text = (folder / "paper.yaml").read_text()
    (folder / "paper.yaml").write_text(text.replace("seeds: 1\n", "seeds: 0\n"))
    mine = overlay(folder, "base: paper.yaml\nfigures: {figure_2: {mu: [2^-6, 2^-6]}}\n")
    assert refusal(mine).startswith(f"{folder}/mine.yaml: figures.figure_2.mu[1]: ")
    mine = overlay(folder, "base: paper.yaml\nfigures: {figure_2: {seeds: 2}}\n")
    assert refusal(mine).startswith(f"{folder}/paper.yaml: figures.figure_8.seeds: is 0")
    (folder / "paper.yaml").write_text("scale: [")
    assert refusal(mine).startswith(f"{folder}/paper.yaml, line 1: is not YAML")


def test_overrides_and_several_files_are_one_config(folder):
    mine = overlay(folder, "statistics: {final_episodes: 7}\n")
    asked = loading.resolve([folder / "paper.yaml", mine], {"scale": "x", "readings": {"time_limit": "bootstrap"}})
    assert (asked.scale, asked.final_episodes, asked.readings["time_limit"]) == ("x", 7, "bootstrap")
    assert asked.readings_of("mountain_car", "none")["time_limit"] == "bootstrap"
    with pytest.raises(UserError, match=r"^--config: readings\.time_limit: 'both' is no answer"):
        loading.resolve([folder / "paper.yaml"], {"readings": {"time_limit": "both"}})


def test_overrides_have_their_types_though_snakemake_reads_tables_as_text(folder):
    words = ["figures={figure_2: {seeds: [4, 7], episodes: 10}, figure_7: null}", "statistics={final_episodes: 3}"]
    asked = loading.resolve([folder / "paper.yaml"], parse_config(words))
    assert (asked.figures["figure_2"].seeds, asked.final_episodes) == ((4, 7), 3)
    assert "figure_7" not in asked.figures


@pytest.mark.parametrize("name", ["paper", "quick", "linear", "preview"])
def test_a_whole_config_is_one_file_that_says_the_same(tmp_path, name):
    asked = loading.read(Path(__file__).parents[2] / "config" / f"{name}.yaml")
    path = tmp_path / "config.yaml"
    path.write_text(loading.as_yaml(asked))
    assert loading.read(path) == asked and loading.read(path).content == asked.content
    assert "base" not in asked.content


@given(text=st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1) | st.just("1e-5"))
def test_any_text_comes_through_the_one_file(tmp_path_factory, text):
    config = {**VALID, "figures": {"one": {**VALID["figures"]["figure_1"], "assumptions": text}}}
    path = tmp_path_factory.mktemp("config") / "config.yaml"
    path.write_text(loading.as_yaml(loading.check(config, "c")), encoding="utf-8")
    assert loading.read(path).figures["one"].assumptions == text


@pytest.mark.parametrize(
    "text, line",
    [
        ("scale: a\nscale: b\n", 2),
        ("scale: a\nfigures:\n  one: {seeds: 1, seeds: 2}\n", 3),
        ("a: [{b: {c: 1, 'c': 2}}]\n", 1),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path, text, line):
    path = tmp_path / "c.yaml"
    path.write_text(text)
    assert refusal(path).startswith(f"{path}, line {line}: is not YAML: the key '") and "twice" in refusal(path)


def test_yaml_merge_keys_may_repeat_a_key(folder):
    mine = overlay(
        folder,
        "base: paper.yaml\nfigures:\n  figure_1: &few {seeds: 1, episodes: 9}\n"
        "  figure_2: &more {<<: *few, seeds: 3}\n  figure_6: {<<: *more, seeds: 4}\n  figure_7: {episodes: 9}\n",
    )
    figures = loading.read(mine).figures
    assert [len(figures[f"figure_{number}"].seeds) for number in (1, 2, 6)] == [1, 3, 4]
    assert {figures[f"figure_{number}"].length for number in (1, 2, 6)} == {9}


def test_latin_1_is_refused_with_the_right_encoding(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_bytes("scale: café\n".encode("latin-1"))
    assert refusal(path) == f"{path}: is not YAML: it is not encoded in UTF-8; save it as UTF-8"
