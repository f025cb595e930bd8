"""Run files: what is written is read back, and nothing else is."""

import io
import json
import os
import pickle
import shlex
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from metatrace.errors import UserError
from metatrace.runs import atomic, results
from metatrace.runs.key import NO_DRIFT, NO_MU, UNTUNED, RunKey, grid_of_runs
from metatrace.runs.results import Run, load_run, save_run

IDENTITY = RunKey("mountain_car", "scalar", "2^-8", "2^-6", "0", 3)
META = {
    "agent": "compiled",
    "code": "0123456789abcdef",
    "readings": {"time_limit": "terminal"},
    "episodes": 30,
}


def run_of(episodes=30, seed=0, **more):
    rng = np.random.default_rng(seed)
    return Run(
        IDENTITY,
        returns=-rng.integers(100, 201, episodes).astype(float),
        lengths=rng.integers(100, 201, episodes),
        meta=dict(META),
        **more,
    )


def same(one, other):
    arrays = ("returns", "lengths", "frames", "beta")
    return (
        one.key == other.key
        and one.diverged_episode == other.diverged_episode
        and all(_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    )


def _equal(one, other):
    if one is None or other is None:
        return one is other
    return one.dtype == other.dtype and np.array_equal(one, other)


def refusal(path):
    """The one line that refuses a file, checked for what every such line holds."""
    with pytest.raises(UserError) as raised:
        load_run(path)
    line = str(raised.value)
    assert line.startswith(f"{path}: ") and "\n" not in line
    assert f"rebuild it with: rm {shlex.quote(str(path))}, and then the same snakemake command" in line
    return line


def write_npz(path, **arrays):
    np.savez_compressed(path, **arrays)
    return path


def meta_text(**changes):
    identity = {key: getattr(IDENTITY, key) for key in RunKey.__dataclass_fields__}
    meta = {"schema": results.SCHEMA_VERSION, "diverged_episode": None, **identity, **META, **changes}
    return np.array(json.dumps(meta))


@pytest.fixture
def run_file(tmp_path):
    path = tmp_path / "run.npz"
    save_run(path, run_of())
    return path


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"diverged_episode": 0},
        {"diverged_episode": 17},
        {"frames": np.arange(30)},
        {"beta": np.linspace(-3, 2, 120).reshape(30, 4)},
    ],
    ids=["plain", "diverged at once", "diverged", "frames", "beta"],
)
def test_what_is_written_is_read_back(tmp_path, more):
    run = run_of(**more)
    save_run(tmp_path / "run.npz", run)
    back = load_run(tmp_path / "run.npz")
    assert same(back, run)
    assert META.items() <= back.meta.items()
    assert back.meta["schema"] == results.SCHEMA_VERSION and back.meta["seed"] == 3


def test_how_a_run_was_made_is_read_without_its_arrays(run_file):
    assert results.load_meta(run_file) == load_run(run_file).meta


@pytest.mark.parametrize("size", [0, 10, 0.5, 0.99], ids=str)
def test_a_file_that_is_cut_short_says_not_how_it_was_made(run_file, size):
    whole = run_file.read_bytes()
    run_file.write_bytes(whole[: int(size * len(whole)) if size < 1 else size])
    with pytest.raises(UserError, match="is cut short, garbled or no run file; rebuild it with: rm"):
        results.load_meta(run_file)


def test_meta_that_is_none_is_refused(tmp_path):
    for text in ("[1]", "{", "1"):
        path = write_npz(tmp_path / "run.npz", meta=np.array(text))
        with pytest.raises(UserError, match="no run file"):
            results.load_meta(path)
    with pytest.raises(UserError, match="no run file"):
        results.load_meta(write_npz(tmp_path / "run.npz", returns=np.zeros(2)))
    with pytest.raises(UserError, match="there is no such run file"):
        results.load_meta(tmp_path / "none.npz")


@given(
    returns=st_numpy.arrays(np.float64, st.integers(1, 20), elements=st.floats(allow_nan=False, allow_infinity=False)),
    tokens=st.lists(st.text(max_size=10), min_size=5, max_size=5),
    seed=st.integers(0, 2**63),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_run_survives_the_way_to_disk_and_back(tmp_path, returns, tokens, seed):
    run = Run(RunKey(*tokens, seed), returns, np.ones(len(returns), np.int64), {})
    save_run(tmp_path / "run.npz", run)
    assert same(load_run(tmp_path / "run.npz"), run)


def test_the_same_run_gives_the_same_bytes(tmp_path, monkeypatch):
    save_run(tmp_path / "one.npz", run_of())
    shuffled = run_of()
    shuffled.meta = dict(reversed(shuffled.meta.items()))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    save_run(tmp_path / "two.npz", shuffled)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    stamps = {info.date_time for info in zipfile.ZipFile(tmp_path / "one.npz").infolist()}
    assert stamps == {(1980, 1, 1, 0, 0, 0)}


def test_another_run_gives_other_bytes(tmp_path):
    save_run(tmp_path / "one.npz", run_of(seed=0))
    save_run(tmp_path / "two.npz", run_of(seed=1))
    assert (tmp_path / "one.npz").read_bytes() != (tmp_path / "two.npz").read_bytes()


def test_a_run_lies_where_the_contract_says():
    assert IDENTITY.path("results/paper/runs") == (
        "results/paper/runs/mountain_car/scalar/alpha~2^-8/mu~2^-6/drift~0/seed~3.npz"
    )


def test_a_grid_goes_by_drift_method_mu_alpha_and_seed():
    runs = grid_of_runs(["e"], ["scalar", "none"], ["2^-3", "2^-4"], ["2^-6", "2^-7"], ["1e-5", "0"], [5, 0])
    assert runs == tuple(
        RunKey("e", method, alpha, mu, drift, seed)
        for drift in ("1e-5", "0")
        for method, mu in (("scalar", "2^-6"), ("scalar", "2^-7"), ("none", "0"))
        for alpha in ("2^-3", "2^-4")
        for seed in (5, 0)
    )


some_tokens = st.lists(st.sampled_from(["2^-3", "2^-4", "0.001", "4e-6"]), min_size=1, unique=True)


@given(
    methods=st.lists(st.sampled_from(["none", "scalar", "vector", "sid"]), min_size=1, unique=True),
    alphas=some_tokens,
    mus=some_tokens,
    drifts=some_tokens,
    seeds=st.integers(1, 4),
)
def test_a_grid_has_every_combination_once_and_the_untuned_method_has_no_mu(methods, alphas, mus, drifts, seeds):
    runs = grid_of_runs(["mountain_car"], methods, alphas, mus, drifts, range(seeds))
    settings_of_methods = sum(1 if method == UNTUNED else len(mus) for method in methods)
    assert len(runs) == len(set(runs)) == settings_of_methods * len(alphas) * len(drifts) * seeds
    assert {run.method for run in runs} == set(methods)
    for run in runs:
        assert run.environment == "mountain_car" and run.alpha in alphas and run.drift in drifts
        assert run.mu == NO_MU if run.method == UNTUNED else run.mu in mus
    # What is named first is the outer loop.
    places = [
        (drifts.index(run.drift), methods.index(run.method), alphas.index(run.alpha), run.seed)
        for run in runs
        if run.mu in (NO_MU, mus[0])
    ]
    assert places == sorted(places)


def test_what_is_not_there_is_spelled_as_a_token():
    assert (UNTUNED, NO_MU, NO_DRIFT) == ("none", "0", "0")
    (run,) = grid_of_runs(["mountain_car"], [UNTUNED], ["2^-3"], [], [NO_DRIFT], [0])
    assert run.path("runs") == "runs/mountain_car/none/alpha~2^-3/mu~0/drift~0/seed~0.npz"


def test_writing_leaves_no_other_file(tmp_path):
    save_run(tmp_path / "a" / "b" / "run.npz", run_of())
    save_run(tmp_path / "a" / "b" / "run.npz", run_of(seed=1))
    assert os.listdir(tmp_path / "a" / "b") == ["run.npz"]
    assert same(load_run(tmp_path / "a" / "b" / "run.npz"), run_of(seed=1))


def test_a_file_cut_anywhere_is_refused(run_file):
    whole = run_file.read_bytes()
    cuts = sorted({*np.linspace(0, len(whole) - 1, 50).astype(int).tolist(), 1, len(whole) - 1, len(whole) // 2})
    for cut in cuts:
        run_file.write_bytes(whole[:cut])
        assert "cut short, garbled or no run file" in refusal(run_file), cut


def test_a_flipped_bit_is_refused_or_harmless(run_file):
    """zip keeps a checksum of every array; a flip in what it does not cover may pass, but changes nothing."""
    whole, run = run_file.read_bytes(), load_run(run_file)
    rng = np.random.default_rng(0)
    refused = 0
    for position in range(len(whole)):
        garbled = bytearray(whole)
        garbled[position] ^= 1 << int(rng.integers(8))
        run_file.write_bytes(garbled)
        try:
            back = load_run(run_file)
        except UserError as error:
            assert str(error).startswith(f"{run_file}: ") and "\n" not in str(error)
            refused += 1
        else:
            assert same(back, run) and back.meta == run.meta, f"silently changed by a flip in byte {position}"
    assert refused > 0.7 * len(whole)


@given(data=st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_are_refused(tmp_path, data):
    path = tmp_path / "run.npz"
    path.write_bytes(data)
    refusal(path)


@given(position=st.integers(0, 10_000), junk=st.binary(min_size=1, max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_overwritten_stretches_never_end_in_anything_but_a_refusal(tmp_path, position, junk):
    path = tmp_path / "run.npz"
    save_run(path, run_of())
    garbled = bytearray(path.read_bytes())
    start = position % len(garbled)
    garbled[start : start + len(junk)] = junk
    path.write_bytes(garbled)
    try:
        back = load_run(path)
    except UserError as error:
        assert str(error).startswith(f"{path}: ")
    else:
        assert same(back, run_of())


def test_a_foreign_archive_is_refused(tmp_path):
    refusal(write_npz(tmp_path / "foreign.npz", x=np.arange(3)))
    refusal(
        write_npz(tmp_path / "more.npz", meta=meta_text(), returns=np.ones(2), lengths=np.ones(2, int), x=np.ones(2))
    )
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as archive:
        for name in ("meta", "returns", "lengths"):
            archive.writestr(name, "a text")
    refusal(tmp_path / "text.npz")
    np.save(tmp_path / "alone.npy", np.ones(3))
    refusal(tmp_path / "alone.npy")


@pytest.mark.parametrize(
    "arrays",
    [
        {"returns": np.ones(2, int)},
        {"returns": np.ones((2, 1))},
        {"returns": np.array([1.0, np.nan])},
        {"returns": np.array([1.0, np.inf])},
        {"returns": np.ones(0), "lengths": np.ones(0, int)},
        {"returns": np.array(1.0)},
        {"lengths": np.ones(3, int)},
        {"lengths": np.ones(2)},
        {"lengths": np.array(["a", "b"])},
        {"beta": np.ones(2)},
        {"frames": np.ones(2)},
        {"meta": np.array("{}garbled")},
        {"meta": np.array("[1, 2]")},
        {"meta": np.array(["{}"])},
        {"meta": np.array(3)},
    ],
    ids=str,
)
def test_arrays_of_another_kind_or_shape_are_refused(tmp_path, arrays):
    good = {"meta": meta_text(), "returns": -np.ones(2), "lengths": np.ones(2, int)}
    assert load_run(write_npz(tmp_path / "good.npz", **good)).key == IDENTITY
    refusal(write_npz(tmp_path / "bad.npz", **{**good, **arrays}))


@pytest.mark.parametrize(
    "changes",
    [{"schema": 2}, {"schema": None}, {"schema": "1"}, {"schema": [1]}],
    ids=str,
)
def test_another_schema_is_refused_and_named(tmp_path, changes):
    path = write_npz(tmp_path / "r.npz", meta=meta_text(**changes), returns=-np.ones(2), lengths=np.ones(2, int))
    assert f"has schema {changes['schema']!r}, not {results.SCHEMA_VERSION}" in refusal(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": "x"},
        {"seed": None},
        {"seed": [1]},
        {"seed": float("inf")},
        {"diverged_episode": "x"},
        {"diverged_episode": {}},
    ],
    ids=str,
)
def test_a_tuple_of_the_wrong_kind_is_refused(tmp_path, changes):
    path = write_npz(tmp_path / "r.npz", meta=meta_text(**changes), returns=-np.ones(2), lengths=np.ones(2, int))
    refusal(path)


class Malicious:
    def __reduce__(self):
        return os.mkdir, ("unpickled",)


def test_a_pickle_is_never_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arrays = {"meta": meta_text(), "lengths": np.ones(1, int)}
    refusal(write_npz(tmp_path / "object.npz", returns=np.array([Malicious()], object), **arrays))
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("returns.npy", pickle.dumps(Malicious()))
    (tmp_path / "raw.npz").write_bytes(buffer.getvalue())
    refusal(tmp_path / "raw.npz")
    assert not (tmp_path / "unpickled").exists()


def npy_that_declares(shape, descr="<f8"):
    """An array file whose header promises more than follows."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"\0" * 64


@pytest.mark.parametrize("shape", ["(10**18,)", f"({10**18},)", f"({2**40},)", "(-1,)", "(2**63,)", f"({2**63},)"])
def test_an_absurd_declared_size_is_refused_without_being_allocated(tmp_path, shape):
    buffer = io.BytesIO()
    np.savez(buffer, meta=meta_text(), lengths=np.ones(1, int))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("returns.npy", npy_that_declares(shape))
    path = tmp_path / "absurd.npz"
    path.write_bytes(buffer.getvalue())
    refusal(path)


def test_a_bomb_is_refused_by_its_declared_size(tmp_path):
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, returns=-np.ones(1), lengths=np.ones(1, int), meta=np.array(" " * results.MAX_META_BYTES)
    )
    (tmp_path / "bomb.npz").write_bytes(buffer.getvalue())
    assert len(buffer.getvalue()) < 100_000
    refusal(tmp_path / "bomb.npz")


def test_a_missing_file_names_the_command_that_makes_it(tmp_path):
    path = tmp_path / "seed~3.npz"
    with pytest.raises(UserError) as raised:
        load_run(path)
    assert str(raised.value) == f"{path}: there is no such run file; make it with the snakemake command of its config"


def test_a_folder_is_no_run_file(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        load_run(tmp_path)


def test_an_unwritable_folder_is_named_before_and_after_the_work(tmp_path):
    (tmp_path / "file").write_text("in the way")
    path = tmp_path / "file" / "below" / "run.npz"
    with pytest.raises(UserError, match="cannot be written") as before:
        atomic.check_writable(path)
    with pytest.raises(UserError, match="cannot be written") as after:
        save_run(path, run_of())
    for raised in (before, after):
        assert str(raised.value).startswith(f"{path}: ") and "\n" not in str(raised.value)
    assert os.listdir(tmp_path) == ["file"] and (tmp_path / "file").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(UserError, match="cannot be written"):
        atomic.check_writable(tmp_path / "closed" / "run.npz")
    with pytest.raises(UserError, match="cannot be written"):
        save_run(tmp_path / "closed" / "run.npz", run_of())


def test_an_output_that_is_a_folder_is_refused(tmp_path):
    (tmp_path / "run.npz").mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        save_run(tmp_path / "run.npz", run_of())
    assert os.listdir(tmp_path) == ["run.npz"] and os.listdir(tmp_path / "run.npz") == []


def test_a_folder_yet_to_be_made_is_writable_and_is_not_made(tmp_path):
    atomic.check_writable(tmp_path / "new" / "folder" / "run.npz")
    assert os.listdir(tmp_path) == []
