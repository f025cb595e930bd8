"""A kernel's file: refused when damaged or another's, never loaded then; the same bytes from the same code."""

import llvmlite.binding as llvm
import numpy as np
import pytest

from metatrace.compiled import object_code
from metatrace.domains.mountain_car import compiled
from metatrace.domains.mountain_car.settings import Settings
from metatrace.domains.registry import DOMAINS
from metatrace.errors import UserError

SETTINGS = Settings("scalar", 2**-6, 2**-8, seed=0, episodes=3)
KERNELS = list(dict.fromkeys(kernel for domain in DOMAINS for kernel in domain.kernels))


@pytest.fixture(scope="module")
def kernel_file(kernel_files):
    return kernel_files("lazy_kernel")


def load(path):
    return compiled.load(path, "lazy_kernel")


def refusal(path, words="is missing, damaged or no compiled kernel", kernel="lazy_kernel", code=None):
    with pytest.raises(UserError) as raised:
        object_code.read(path, kernel, code)
    line = str(raised.value)
    assert line.startswith(f"{path}: {words}") and "\n" not in line
    return line.partition("compile it with: ")[2]


def test_a_whole_file_is_loaded_and_runs(kernel_file):
    training = compiled.train(load(kernel_file), SETTINGS)
    assert training.steps == training.lengths.sum() > 0


def test_two_kernels_loaded_at_once_do_not_meet(kernel_file):
    first, second = load(kernel_file), load(kernel_file)
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


def test_machine_code_of_another_program_is_refused(tmp_path):
    """Well formed and with a right checksum, but without our entry."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly("define i32 @another() { ret i32 0 }")
    machine = llvm.Target.from_default_triple().create_target_machine(reloc="pic")
    (tmp_path / "kernel.o").write_bytes(object_code.as_file("lazy_kernel", "", machine.emit_object(module)))
    with pytest.raises(UserError, match="is no machine code of a kernel; compile it with"):
        load(tmp_path / "kernel.o")


def test_a_kernel_for_another_processor_is_refused(kernel_file, monkeypatch):
    here = object_code.processor()
    monkeypatch.setattr(object_code, "processor", lambda: "another")
    refusal(kernel_file, f"is for {here}, this processor is another")


@pytest.mark.parametrize("there", KERNELS)
@pytest.mark.parametrize("wanted", KERNELS)
def test_another_kernel_is_refused_with_the_command_for_the_right_one(kernel_files, there, wanted):
    path = kernel_files(there)
    if there == wanted:
        assert object_code.read(path, wanted)
        return
    remedy = refusal(path, f"is {there}, and this run needs {wanted}", wanted)
    # It does not overwrite the other kernel, which is whole.
    assert remedy == f"metatrace compile --kernel {wanted} --output {path.with_name(object_code.file_name(wanted))}"


def test_a_kernel_of_other_code_is_refused(kernel_file):
    its_code = kernel_file.read_bytes().split(b"\n")[0].decode().rpartition("code ")[2]
    assert object_code.read(kernel_file, "lazy_kernel", its_code)
    remedy = refusal(kernel_file, f"is lazy_kernel of other code ({its_code}, not 0123abcd)", code="0123abcd")
    assert remedy == f"metatrace compile --kernel lazy_kernel --output {kernel_file}"


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    refusal(tmp_path / "none.o")
    refusal(tmp_path)


def test_a_huge_file_is_refused_unread(tmp_path):
    with open(tmp_path / "kernel.o", "wb") as file:
        file.truncate(1 << 40)
    refusal(tmp_path / "kernel.o")


def test_a_files_name_tells_kernel_and_machine_apart():
    name = object_code.file_name("lazy_kernel")
    assert object_code.processor() in name and name != object_code.file_name("packed_kernel")


def test_the_cache_lies_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("METATRACE_CACHE", str(tmp_path))
    assert object_code.cache_folder() == tmp_path
    monkeypatch.delenv("METATRACE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert object_code.cache_folder() == tmp_path / "metatrace"
