"""The kernel's file: refused when damaged, never loaded; the same bytes from the same code."""

import os
import subprocess
import sys

import numpy as np
import pytest

from metatrace.compiled import object_code as generic
from metatrace.domains.mountain_car import compiled, object_code
from metatrace.domains.mountain_car.settings import Settings
from metatrace.errors import UserError

MAGIC = f"metatrace kernel for {generic.processor()}\n".encode()
SETTINGS = Settings("scalar", 2**-6, 2**-8, seed=0, episodes=3)


def refusal(path):
    with pytest.raises(UserError) as raised:
        object_code.load(path)
    line = str(raised.value)
    assert line.startswith(f"{path}: is no compiled kernel") and "\n" not in line
    assert f"metatrace compile --output '{path}'" in line


def test_a_whole_file_is_loaded_and_runs(kernel_file):
    training = compiled.train(object_code.load(kernel_file), SETTINGS)
    assert training.steps == training.lengths.sum() > 0


def test_two_kernels_loaded_at_once_do_not_meet(kernel_file):
    first, second = object_code.load(kernel_file), object_code.load(kernel_file)
    one = compiled.train(first, SETTINGS)
    del first
    other = compiled.train(second, SETTINGS)
    assert np.array_equal(one.weights, other.weights)


def test_a_file_cut_anywhere_is_refused(kernel_file, tmp_path):
    whole, path = kernel_file.read_bytes(), tmp_path / "kernel.o"
    for cut in np.linspace(0, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:cut])
        refusal(path)


def test_a_file_with_one_bit_flipped_is_refused(kernel_file, tmp_path):
    whole, path = kernel_file.read_bytes(), tmp_path / "kernel.o"
    rng = np.random.default_rng(0)
    for position in [0, 20, 40, 60, 100, *rng.integers(0, len(whole), 100)]:
        garbled = bytearray(whole)
        garbled[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(garbled)
        refusal(path)


def test_a_file_with_something_added_is_refused(kernel_file, tmp_path):
    (tmp_path / "kernel.o").write_bytes(kernel_file.read_bytes() + b"\0")
    refusal(tmp_path / "kernel.o")


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"metatrace kernel for x86-64\n", b"\x7fELF" + bytes(500), b"a text"]
)
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "kernel.o").write_bytes(content)
    refusal(tmp_path / "kernel.o")


def test_an_object_file_of_another_program_is_refused(tmp_path):
    """Well formed and with a right checksum, but without our entry."""
    import hashlib

    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly("define i32 @another() { ret i32 0 }")
    machine = llvm.Target.from_default_triple().create_target_machine(reloc="pic")
    code = machine.emit_object(module)
    (tmp_path / "kernel.o").write_bytes(MAGIC + hashlib.sha256(code).digest() + code)
    refusal(tmp_path / "kernel.o")


def test_a_kernel_for_another_processor_is_refused(kernel_file, tmp_path, monkeypatch):
    monkeypatch.setattr(generic, "processor", lambda: "another")
    refusal(kernel_file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    refusal(tmp_path / "none.o")
    refusal(tmp_path)


def test_a_huge_file_is_refused_unread(tmp_path):
    with open(tmp_path / "kernel.o", "wb") as file:
        file.truncate(1 << 40)
    refusal(tmp_path / "kernel.o")


def test_compiling_again_gives_the_same_bytes(tmp_path):
    """In processes of their own, as `metatrace compile` is: what numba did before marks its code."""
    compiled_again = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.o"
        command = [sys.executable, "-m", "metatrace", "compile", "--output", str(path)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        compiled_again.append(path.read_bytes())
    assert compiled_again[0] == compiled_again[1]


def test_a_files_name_tells_code_and_machine_apart():
    name = generic.file_name("lazy_kernel", "0123456789abcdef")
    assert "0123456789abcdef" in name and generic.processor() in name
    assert name != generic.file_name("lazy_kernel", "0123456789abcdee")
    assert name != generic.file_name("packed_kernel", "0123456789abcdef")


def test_the_cache_lies_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("METATRACE_CACHE", str(tmp_path))
    assert generic.cache_folder() == tmp_path
    monkeypatch.delenv("METATRACE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert generic.cache_folder() == tmp_path / "metatrace"
