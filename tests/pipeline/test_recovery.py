"""What a killed or disturbed Snakemake leaves: stale locks, changed files, and what is done with them."""

import fcntl
import os

import pytest

from metatrace.errors import UserError
from metatrace.pipeline import recovery


def locks_in(folder):
    (folder / "locks").mkdir(parents=True, exist_ok=True)
    for kind in ("input", "output"):
        (folder / "locks" / f"0.{kind}.lock").write_text("a file\n")
    return lambda: sorted(path.name for path in (folder / "locks").iterdir())


@pytest.fixture
def snakemake(tmp_path):
    """Snakemake's folder; what a test held there is let go."""
    yield tmp_path / ".snakemake"
    while recovery._held:
        os.close(recovery._held.pop())


def test_whoever_is_alone_removes_the_locks_of_the_dead(snakemake):
    left = locks_in(snakemake)
    assert recovery.alone(snakemake, stay=False)
    assert left() == []


def test_the_locks_of_the_living_stay(snakemake):
    assert recovery.alone(snakemake, stay=True)
    left = locks_in(snakemake)
    # Every opening of the file is a holder of its own, in one process too.
    assert not recovery.alone(snakemake, stay=False)
    assert not recovery.alone(snakemake, stay=True)
    assert left() == ["0.input.lock", "0.output.lock"]


def test_who_does_not_stay_is_in_nobodys_way(snakemake):
    assert recovery.alone(snakemake, stay=False)
    assert recovery.alone(snakemake, stay=True)


def test_no_child_holds_the_lock(snakemake):
    recovery.alone(snakemake, stay=True)
    (file,) = recovery._held
    assert not os.get_inheritable(file)


def test_where_nothing_can_be_told_nothing_is_removed(snakemake, monkeypatch):
    left = locks_in(snakemake)

    def no_such_locks(file, how):
        raise OSError("not supported")

    monkeypatch.setattr(fcntl, "flock", no_such_locks)
    assert not recovery.alone(snakemake, stay=True)
    assert left() == ["0.input.lock", "0.output.lock"]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert not recovery.alone(tmp_path / "file" / ".snakemake", stay=True)


def test_changed_is_what_has_another_time_than_recorded(tmp_path):
    times = {}
    for name in ("as it was", "older", "newer", "not recorded"):
        path = tmp_path / name
        path.write_text("a result")
        times[str(path)] = path.stat().st_mtime
    times[str(tmp_path / "older")] += 5
    times[str(tmp_path / "newer")] -= 5
    del times[str(tmp_path / "not recorded")]
    times[str(tmp_path / "gone")] = 1.0
    paths = [str(tmp_path / name) for name in ("as it was", "older", "newer", "not recorded", "gone")]
    assert list(recovery.changed(paths, times.get)) == [str(tmp_path / "older"), str(tmp_path / "newer")]


def test_what_is_set_aside_is_kept_and_replaces_what_was_set_aside_before(tmp_path):
    path = tmp_path / "table.parquet"
    for content in ("one", "another"):
        path.write_text(content)
        recovery.set_aside(str(path))
        assert not path.exists()
        assert (tmp_path / "table.parquet.changed").read_text() == content


def test_what_cannot_be_set_aside_is_named_in_one_line(tmp_path):
    (tmp_path / "t.csv").write_text("a table")
    (tmp_path / "t.csv.changed").mkdir()
    with pytest.raises(UserError, match="cannot be renamed") as raised:
        recovery.set_aside(str(tmp_path / "t.csv"))
    assert str(raised.value).startswith(f"{tmp_path}/t.csv: ") and "\n" not in str(raised.value)
