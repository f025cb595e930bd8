"""Files are written whole or not at all, and are on the disk before they have their name."""

import errno
import os

import pytest

from metatrace.errors import UserError
from metatrace.networks.checkpoint import Checkpoint
from metatrace.runs import atomic


@pytest.fixture
def calls(monkeypatch):
    """What is asked of the system, in order; it is done as well."""
    asked = []
    sync, replace = os.fsync, os.replace

    def fsync(descriptor):
        asked.append(("on the disk", os.readlink(f"/proc/self/fd/{descriptor}")))
        sync(descriptor)

    def rename(source, target):
        asked.append(("renamed", os.fspath(target)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    return asked


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc to tell files apart")
@pytest.mark.parametrize(
    "write",
    [
        lambda path: atomic.write_atomically(path, b"a result"),
        lambda path: Checkpoint(path, {}).save({}),
    ],
    ids=["result", "checkpoint"],
)
def test_a_file_is_on_the_disk_before_it_has_its_name_and_then_its_name_is(tmp_path, calls, write):
    path = tmp_path / "folder" / "run.npz"
    write(path)
    (written, temporary), *rest = calls
    assert written == "on the disk" and temporary.endswith(f".run.npz.{os.getpid()}.tmp")
    assert rest == [("renamed", str(path)), ("on the disk", str(path.parent))]
    assert os.listdir(path.parent) == ["run.npz"]


def test_a_disk_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")

    def fail(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError, match=r"run.npz: cannot be written \(Input/output error\)"):
        atomic.write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["run.npz"]
