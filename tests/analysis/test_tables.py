import numpy as np
import pandas as pd
import pytest

from metatrace.analysis import tables
from metatrace.analysis.aggregate import aggregate
from metatrace.analysis.best import best_mu
from metatrace.errors import UserError
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

RNG = np.random.default_rng(5)
RUNS = [
    Run(
        RunKey("mountain_car", "scalar", alpha, mu, "0", seed),
        RNG.normal(size=5),
        np.ones(5, np.int64),
        {},
        diverged_episode=3 if seed else None,
    )
    for alpha in ("2^-5", "2^-9")
    for mu in ("2^-6", "2^-10")
    for seed in range(3)
]


def made(runs):
    whole = aggregate(runs, window=2, final=2, spread_alpha_max=2**-5)
    frames = whole._asdict()
    return {**frames, "best_mu": best_mu(whole.scores[whole.scores["mu"] == "2^-6"])}


def test_tables_are_written_with_the_same_bytes_and_read_back(tmp_path):
    again = made(RUNS[::-1])
    for name, frame in made(RUNS).items():
        first, second = tmp_path / "new" / f"{name}.parquet", tmp_path / f"{name}.parquet"
        tables.write(frame, first)
        tables.write(again[name], second)
        assert first.read_bytes() == second.read_bytes()
        pd.testing.assert_frame_equal(tables.read(first), frame)
    assert len(list((tmp_path / "new").iterdir())) == len(again)  # no temporary file is left


def test_a_table_that_was_there_is_replaced(tmp_path):
    path = tmp_path / "t.parquet"
    for frame in (pd.DataFrame({"x": [1, 2, 3]}), pd.DataFrame({"y": ["a"]})):
        tables.write(frame, path)
        pd.testing.assert_frame_equal(tables.read(path), frame)


def test_a_table_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="cannot be written") as raised:
        tables.write(pd.DataFrame({"x": [1]}), tmp_path / "file" / "t.parquet")
    assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("share", [0, 0.3, 0.99])
def test_a_table_cut_short_is_refused_with_its_remedy(tmp_path, share):
    path = tmp_path / "t.parquet"
    tables.write(made(RUNS)["curves"], path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(UserError, match="is cut short, garbled or no table; rebuild it with: rm ") as raised:
        tables.read(path)
    assert str(raised.value).startswith(f"{path}: ") and "\n" not in str(raised.value)


def test_a_garbled_table_is_refused_or_holds_the_same_numbers(tmp_path):
    """Every page has a checksum; the names of columns have none."""
    path = tmp_path / "t.parquet"
    frame = made(RUNS)["curves"]
    tables.write(frame, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(500):
        garbled = bytearray(whole)
        start = rng.integers(len(whole)) if rng.random() < 0.5 else len(whole) - 1 - rng.integers(1000)
        junk = rng.bytes(rng.choice([1, 4, 30, 200]))
        garbled[start : start + len(junk)] = junk
        path.write_bytes(garbled)
        try:
            read = tables.read(path)
        except UserError as error:
            assert str(error).startswith(f"{path}: is cut short, garbled") and "\n" not in str(error)
            refused += 1
        else:
            assert list(read) != list(frame) or read.equals(frame)
    assert refused > 250


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(UserError, match="there is no such table; make it with the snakemake command"):
        tables.read(tmp_path / "t.parquet")


def test_csv_keeps_every_digit_and_the_tokens():
    frame = pd.DataFrame({"mu": ["2^-6", "4e-6"], "mean": [0.1 + 0.2, 1 / 3], "runs": [1, 2]})
    text = tables.as_csv(frame).decode()
    assert text == "mu,mean,runs\n2^-6,0.30000000000000004,1\n4e-6,0.3333333333333333,2\n"
