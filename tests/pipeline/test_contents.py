"""The record of what results hold."""

import os

import pytest

from metatrace.pipeline.recovery import Contents


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_text("a table")
    return path


def test_a_file_with_a_new_time_holds_what_it_held(tmp_path, table):
    record = tmp_path / "folder" / "record.json"
    time = table.stat().st_mtime
    Contents(record).update([str(table), str(tmp_path / "gone")])
    os.utime(table, (5, 5))
    assert Contents(record).holds(str(table), time) is True
    table.write_text("another")
    assert Contents(record).holds(str(table), time) is False


def test_what_is_not_recorded_is_not_known(tmp_path, table):
    record = tmp_path / "record.json"
    time = table.stat().st_mtime
    assert Contents(record).holds(str(table), time) is None
    Contents(record).update([str(table)])
    assert Contents(record).holds(str(table), time + 1) is None  # its job has run again since
    table.unlink()
    Contents(record).update([str(table)])
    assert Contents(record).holds(str(table), time) is None


def test_an_unchanged_file_is_not_read_again(tmp_path, table):
    record = tmp_path / "record.json"
    Contents(record).update([str(table)])
    time = table.stat()
    table.write_text("another")
    os.utime(table, ns=(time.st_atime_ns, time.st_mtime_ns))
    Contents(record).update([str(table)])
    assert Contents(record).holds(str(table), time.st_mtime) is False


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"a": 1}', b'{"a": ["x", "y"]}', b"\xff"])
def test_a_damaged_record_counts_as_none(tmp_path, table, damage):
    record = tmp_path / "record.json"
    record.write_bytes(damage)
    assert Contents(record).holds(str(table), 1.0) is None
    Contents(record).update([str(table)])
    assert Contents(record).holds(str(table), table.stat().st_mtime) is True


def test_a_record_that_cannot_be_written_is_no_error(tmp_path, table):
    (tmp_path / "file").write_text("in the way")
    Contents(tmp_path / "file" / "record.json").update([str(table)])
