"""Config files: what is no YAML or no config ends with one line."""

import json
import os
import resource
import subprocess
import sys

import pytest
import yaml
from configs import VALID, changed, refusal_of_file
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metatrace.config import loading
from metatrace.errors import UserError

TEXT = json.dumps(VALID)  # which is YAML as well
UNTUNED_ALPHAS = '"alpha": ["2^-8", "2^-9"]'
assert TEXT.count(UNTUNED_ALPHAS) == 1


@pytest.mark.parametrize("number", ["1e-5", "0.001", "1E-5", "0", "-0.001", ".nan", "1e-05", "+1e-5", "2.", "1"])
@pytest.mark.parametrize("style", ['"alpha": [2^-8, {}]', '"alpha": [\n2^-8 ,\n {}\n ]'], ids=["line", "lines"])
def test_an_unquoted_number_is_refused_with_its_key(tmp_path, number, style):
    line = refusal_of_file(tmp_path, TEXT.replace(UNTUNED_ALPHAS, style.format(number)))
    assert "c.yaml: figures.figure_1.alpha[1]: " in line and "quote it" in line


def test_the_same_number_quoted_is_welcome(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(TEXT.replace(UNTUNED_ALPHAS, "\"alpha\": [2^-8, '1e-5']"))
    assert loading.read(path).figures["figure_1"].alphas == ("2^-8", "1e-5")


@pytest.mark.parametrize(
    "content",
    [
        b"figures: [1, 2",
        b"scale: {paper",
        b"a: b: c",
        b"\tscale: paper",
        b"scale: &x paper\nfigures: *y",
        b"scale: !!python/object/apply:os.getcwd []",
        b"\x00\x01\x02",
        b"\xff\xfe\x00binary",
        bytes(range(256)),
        b"scale: 2001-99-99",
        b"? [1, 2]\n: 3",
        b"{1: 2}: 3",
        b"[" * 5000,
        b"- " * 5000,
        b"a: &a [*a]",
        b"---\na: 1\n---\nb: 2",
        b"scale: !!binary aGVsbG8",
        b"scale: !!set {a, b}",
        b"scale: 2001-01-01",
        b"",
        b"# nothing but a comment",
    ],
    ids=lambda content: repr(content[:30]),
)
def test_what_is_no_yaml_or_no_config_is_refused_in_one_line(tmp_path, content):
    refusal_of_file(tmp_path, content)


def test_a_yaml_error_names_its_line(tmp_path):
    line = refusal_of_file(tmp_path, "scale: tiny\nfigures: {a: 1\nreadings: {}\n")
    assert ", line 3: is not YAML: " in line


def test_a_file_of_aliases_cannot_fill_the_memory(tmp_path):
    """The laughs of a billion: nine lists, each of nine times the last."""
    lines = ["a0: &a0 [lol]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    (tmp_path / "c.yaml").write_text("\n".join(lines))
    limit = 2 << 30
    done = subprocess.run(
        [sys.executable, "-m", "metatrace", "config", "c.yaml"],
        cwd=tmp_path,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and done.stderr.startswith("metatrace: error: c.yaml: ")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path, tmp_path / "none.yaml" / "below"):
        with pytest.raises(UserError, match="cannot be read") as raised:
            loading.read(path)
        assert str(raised.value).startswith(f"{path}: ") and "\n" not in str(raised.value)


def test_a_huge_file_is_refused_unread(tmp_path):
    with open(tmp_path / "c.yaml", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UserError, match="that is no config file"):
        loading.read(tmp_path / "c.yaml")


def places(config, path=()):
    yield path
    children = config.items() if isinstance(config, dict) else enumerate(config) if isinstance(config, list) else ()
    for key, value in children:
        yield from places(value, (*path, key))


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 12),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["2^-8", "none", "scalar", "sid", "0", "1e-5", "figure_1", "mountain_car", "terminal"]),
    st.sampled_from(
        [
            "drifting_mountain_car",
            "step_sizes",
            "best_mu",
            "mu_and_beta",
            "games",
            "seaquest",
            "vector",
            "4e-6",
        ]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["alpha", "mu", "seeds", "x", "figure_1", "best", "from_figure", "method"])
            | st.text(max_size=4),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)


@given(data=st.data())
@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_any_place_is_valid_or_refused_in_one_line(data):
    path = data.draw(st.sampled_from(list(places(VALID))))
    value = data.draw(values)
    config = changed(path, value) if path else value
    if path and data.draw(st.booleans()) and isinstance(path[-1], str):  # a new key beside it
        config = changed((*path[:-1], data.draw(st.text(max_size=4))), value)
    try:
        asked = loading.check(config, "c.yaml")
    except UserError as error:
        assert str(error).startswith("c.yaml") and len(str(error).splitlines()) == 1
    else:
        assert len(asked.runs()) > 0


@given(data=st.data())
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_in_a_config_file_is_valid_or_refused_in_one_line(tmp_path, data):
    lines = yaml.safe_dump(VALID, sort_keys=False).splitlines()
    position = data.draw(st.integers(0, len(lines) - 1))
    junk = data.draw(
        st.text(alphabet=st.sampled_from("abc:-[]{}&*!|>'\"%@`#?,0123456789.eE+^~ \t\n\x85\u2028"), max_size=12)
    )
    key = lines[position].partition(":")[0]
    lines[position] = f"{key}: {junk}" if data.draw(st.booleans()) else junk
    path = tmp_path / "c.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        loading.read(path)
    except UserError as error:
        assert str(error).startswith(str(path)) and len(str(error).splitlines()) == 1
