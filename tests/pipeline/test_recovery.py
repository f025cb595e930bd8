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
    assert recovery.hold_workdir_lock(snakemake, keep=False)
    assert left() == []


def test_the_locks_of_the_living_stay(snakemake):
    assert recovery.hold_workdir_lock(snakemake, keep=True)
    left = locks_in(snakemake)
    # Every opening of the file is a holder of its own, in one process too.
    assert not recovery.hold_workdir_lock(snakemake, keep=False)
    assert not recovery.hold_workdir_lock(snakemake, keep=True)
    assert left() == ["0.input.lock", "0.output.lock"]


def test_who_does_not_stay_is_in_nobodys_way(snakemake):
    assert recovery.hold_workdir_lock(snakemake, keep=False)
    assert recovery.hold_workdir_lock(snakemake, keep=True)


def test_no_child_holds_the_lock(snakemake):
    recovery.hold_workdir_lock(snakemake, keep=True)
    (file,) = recovery._held
    assert not os.get_inheritable(file)


def test_where_nothing_can_be_told_nothing_is_removed(snakemake, monkeypatch):
    left = locks_in(snakemake)

    def no_such_locks(file, how):
        raise OSError("not supported")

    monkeypatch.setattr(fcntl, "flock", no_such_locks)
    assert not recovery.hold_workdir_lock(snakemake, keep=True)
    assert left() == ["0.input.lock", "0.output.lock"]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert not recovery.hold_workdir_lock(tmp_path / "file" / ".snakemake", keep=True)


def test_a_long_list_of_changed_files_is_cut_short():
    found = recovery.Recovery({f"table {number}": "is cut" for number in range(30)})
    lines = list(found.lines(dry=False))
    assert lines[0] == "table 0: is cut; it is to be rebuilt, and the old one is kept as table 0.changed"
    assert len(lines) == 11 and lines[-1] == "and 20 more files like these"


def test_a_file_gets_the_time_back_that_its_job_gave_it(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_text("a table")
    recovery.Recovery(times={str(path): 1e9}).carry_out()
    assert path.stat().st_mtime == 1e9 and path.read_text() == "a table"


def test_what_is_kept_aside_replaces_what_was_kept_before(tmp_path):
    path = tmp_path / "table.parquet"
    for content in ("one", "another", "another"):
        path.write_text(content)
        recovery.keep_aside(str(path))
        recovery.keep_aside(str(path))  # as after a kill
        assert (tmp_path / "table.parquet.changed").read_text() == path.read_text() == content
        path.unlink()


def test_what_cannot_be_kept_aside_is_named_in_one_line(tmp_path):
    (tmp_path / "t.csv").write_text("a table")
    (tmp_path / "t.csv.changed").mkdir()
    with pytest.raises(UserError, match="cannot be kept as") as raised:
        recovery.keep_aside(str(tmp_path / "t.csv"))
    assert str(raised.value).startswith(f"{tmp_path}/t.csv: ") and "\n" not in str(raised.value)
