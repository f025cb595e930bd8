"""The real configs, mutated anywhere, and files of anything: valid, or one line and exit code 2."""

import contextlib
import copy
import functools
import io
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metatrace.cli.main import main
from metatrace.config import loading

CONFIGS = Path(__file__).parents[2] / "config"
SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@functools.cache
def real(scale):
    return loading.read(CONFIGS / f"{scale}.yaml").content


@functools.cache
def text():
    return loading.as_yaml(loading.read(CONFIGS / "quick.yaml")).encode()[:3000]


def outcome(path):
    """What `metatrace config` does with a file: holds it to the promise, and returns the exit code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["config", str(path)])
    if code == 0:
        assert err.getvalue() == "" and out.getvalue().startswith(f"{path}: scale ")
    else:
        assert code == 2 and out.getvalue() == ""
        (line,) = err.getvalue().splitlines()
        assert line.startswith(f"metatrace: error: {path}") and err.getvalue().endswith("\n")
        err.getvalue().encode("utf-8")  # can be printed
    return code


def places(value, path=()):
    """The path of every value in a config."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**63, 2**64, 10**30, 10**400]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["", "2^-8", "2^-99999", "1e-5", "1e999", "٣", "2^٣", "é" * 300, "\x85", "\u2028", "😀", "1_0"]),
    st.sampled_from(["none", "scalar", "mixed", "sid", "games", "best_mu", "seaquest", "catch", "figure_3", "4e-6"]),
    st.dates(),
    st.datetimes(),
    st.binary(max_size=4),
)
KEYS = st.sampled_from(
    ["alpha", "mu", "seeds", "best", "from_figure", "members", "method", "kind", "base", "x"]
) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | SCALARS, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def mutated(draw):
    """Some figures of a real config, with one to three places changed, removed, added to or shared."""
    config = copy.deepcopy(real(draw(st.sampled_from(["quick", "preview"]))))
    names = draw(st.lists(st.sampled_from(sorted(config["figures"])), min_size=1, max_size=3, unique=True))
    config["figures"] = {name: config["figures"][name] for name in names}
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(config))))
        value = draw(VALUES)
        if not path:
            return value
        parent = config
        for part in path[:-1]:
            parent = parent[part]
        how = draw(st.sampled_from(["change", "remove", "add", "share", "wrap", "repeat"]))
        if how == "change":
            parent[path[-1]] = value
        elif how == "remove":
            del parent[path[-1]]
        elif how == "add" and isinstance(parent, dict):
            parent[draw(KEYS)] = value
        elif how == "share":  # an anchor and an alias in the file
            other = draw(st.sampled_from(list(places(config))))
            shared = config
            for part in other:
                shared = shared[part]
            parent[path[-1]] = shared
        elif how == "wrap":
            parent[path[-1]] = [parent[path[-1]]]
        elif how == "repeat" and isinstance(parent, list):
            parent *= 2
        if how == "share":  # it may hold itself now
            break
    return config


@given(config=mutated(), flow=st.sampled_from([None, False, True]))
@settings(max_examples=500, suppress_health_check=SLOW)
def test_a_real_config_with_any_value_anywhere_is_valid_or_refused_in_one_line(tmp_path, config, flow):
    path = tmp_path / "c.yaml"
    path.write_text(
        yaml.safe_dump(config, sort_keys=False, default_flow_style=flow, allow_unicode=True),
        encoding="utf-8",
        errors="surrogatepass",
    )
    outcome(path)


@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=150, suppress_health_check=SLOW)
def test_a_file_of_any_bytes_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    assert outcome(path) == 2


@given(
    position=st.floats(0, 1),
    junk=st.binary(min_size=1, max_size=12)
    | st.text(alphabet="abc:-[]{}&*!|>'\"%@`#?,0123456789.eE+^~ \t\n\x85\u2028<=", min_size=1, max_size=16).map(
        str.encode
    ),
    insert=st.booleans(),
)
@settings(max_examples=150, suppress_health_check=SLOW)
def test_a_real_config_with_any_bytes_anywhere_is_valid_or_refused_in_one_line(tmp_path, position, junk, insert):
    whole = text()
    start = int(position * len(whole))
    path = tmp_path / "c.yaml"
    path.write_bytes(whole[:start] + junk + whole[start + (0 if insert else len(junk)) :])
    outcome(path)


@pytest.mark.parametrize(
    "text",
    [
        "&a [*a]",
        "scale: tiny\nfigures: &a {figure_1: *a}",
        "a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\n"
        "d: &d [*c, *c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d]",
        "<<: {scale: tiny}",
        "<<: *nothing",
        "? [a, b]\n: c",
        "? {a: b}\n: c",
        "!!python/object/apply:os.system ['true']",
        "!!python/name:os.system",
        "!!binary x",
        "!!set {a, b}",
        "!!timestamp 2001-99-99",
        "!!int abc",
        "!!float abc",
        "[" * 5000,
        "{a: " * 5000,
        "- " * 5000,
        "1:" * 2000,
        "9" * 10_000,
        "0x" + "f" * 10_000,
        "scale: tiny\nscale: tiny",
        "---\na: b\n---\nc: d",
        "%YAML 9.9\n---\na",
        "%TAG ! !python\n---\n!x a",
        "\ufeffscale: tiny",
        "\0",
        "scale: \ud800".encode("utf-8", "surrogatepass"),
        b"\xff\xfes\0c\0",
        b"",
    ],
    ids=lambda text: repr(text[:24]),
)
def test_what_yaml_can_do_beside_configs_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "c.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    assert outcome(path) == 2
