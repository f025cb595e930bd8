"""Compiled kernels as files of machine code, made once and loaded by every run.

Importing numba and loading a function from its cache takes longer than most mountain car runs. So numba compiles a
kernel once (`compile_object`), and a run maps the object file with llvmlite alone (`load`). A file says which kernel
it is, for what processor, and the fingerprint of the code that it was made from, so another is never taken for it.

A kernel is a function for numba in a module that also has `SIGNATURE`, its types: integers first, pointers after; and
perhaps `FASTMATH`, the liberties that its arithmetic allows the compiler.
"""

import ctypes
import hashlib
import importlib
import os
import platform
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm

from metatrace.errors import UserError

_ENTRY = "metatrace_kernel"
# All that the machine code may call: with anything else it would not stand alone.
_ALLOWED_CALLS = {"cos", "exp", "log", "memset", "memcpy"}
# numba's views of our arrays own no memory, so their destructor is never reached.
_NO_DESTRUCTOR = "define void @NRT_MemInfo_call_dtor(ptr %0) { unreachable }"
# A file's first line; then the SHA-256 of all else in the file, then the machine code.
_HEAD = "metatrace kernel {kernel} for {processor}, code {code}\n"
_HEAD_READ = re.compile(rb"metatrace kernel ([\w-]+) for ([\w.-]+), code ([0-9a-f]*)\n")
# The processors that kernels are compiled for, by a feature that marks them. Not for this one processor
# alone: the file may be loaded on another node of the same cluster.
_PROCESSORS = {"avx2": "x86-64-v3"}
_MAX_BYTES = 1 << 22


def file_name(kernel: str) -> str:
    """A kernel's file name; machines of another kind have their own."""
    return f"{kernel}-{platform.system().lower()}-{processor()}.o"


def processor() -> str:
    """What kernels are compiled for here: `x86-64-v3` (nearly every x86 machine), else the architecture."""
    has = llvm.get_host_cpu_features()
    levels = [level for feature, level in _PROCESSORS.items() if has.get(feature)]
    return levels[0] if levels else platform.machine().lower()


def this_processor() -> str:
    """The kind of this machine's processor, by which numpy, torch and their libraries choose their own kernels."""
    has = llvm.get_host_cpu_features()
    widest = next((f"+{feature}" for feature in ("avx512f", "avx2") if has.get(feature)), "")
    return f"{llvm.get_host_cpu_name()}{widest}"


def cache_folder() -> Path:
    """Where a run that is given no kernel keeps one: $METATRACE_CACHE, else the user's cache folder.

    Raises:
      UserError: there is no home folder.
    """
    chosen = os.environ.get("METATRACE_CACHE")
    if chosen:
        return Path(chosen)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metatrace"
    except RuntimeError:
        raise UserError(
            "there is no home folder for compiled kernels; set METATRACE_CACHE to a folder that you may write to"
        ) from None


def compile_object(module_name: str, entry: str, *, arrays_apart: bool = False) -> bytes:
    """A kernel's machine code, by numba, for `processor()`.

    Args:
      module_name: the kernel's module. By name, so that only its compilation imports it, and numba.
      entry: the name of its function for numba.
      arrays_apart: whether no array that the kernel writes overlaps another. LLVM is told so, and then works
        on several elements of many arrays at a time.
    """
    # numba reads these when it is first imported.
    os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    if arrays_apart:  # its loops are left for the passes below, which know this and the processor
        os.environ["NUMBA_LOOP_VECTORIZE"] = "0"
    import numba

    module = importlib.import_module(module_name)
    fastmath = getattr(module, "FASTMATH", False)
    compiled = numba.cfunc(module.SIGNATURE, error_model="numpy", fastmath=fastmath)(getattr(module, entry))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    assembly = compiled.inspect_llvm()
    native_name = compiled.native_name.removeprefix("cfunc.")
    if arrays_apart:
        assembly = _with_arrays_apart(assembly, native_name)
    code = llvm.parse_assembly(assembly)
    code.link_in(llvm.parse_assembly(_NO_DESTRUCTOR))
    # numba's own wrapper turns exceptions into Python's; the entry has none and stands alone.
    for function in code.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name == native_name else "internal"
    code.get_function(native_name).name = _ENTRY
    level = processor() if processor() in _PROCESSORS.values() else ""
    target = llvm.Target.from_default_triple().create_target_machine(cpu=level, opt=3, reloc="pic")
    # Once more over the whole, now that nothing but the entry is visible: numba's own passes see one
    # function at a time and leave the vector units idle.
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.slp_vectorization = options.loop_vectorization = True
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(code, builder)
    calls = {function.name for function in code.functions if function.is_declaration}
    foreign = {name for name in calls if not name.startswith("llvm.")} - _ALLOWED_CALLS
    if foreign:
        raise RuntimeError(f"the compiled kernel calls {', '.join(sorted(foreign))}: it cannot stand alone")
    return bytes(target.emit_object(code))


def _with_arrays_apart(assembly: str, name: str) -> str:
    """Marks the pointer arguments of a function `noalias`, in LLVM's text."""
    (head,) = re.findall(rf"^define .*@{re.escape(name)}\(.*$", assembly, re.MULTILINE)
    return assembly.replace(head, re.sub(r"\bptr (?!noalias)(?=[^,]*%arg)", "ptr noalias ", head))


def as_file(kernel: str, code: str, machine_code: bytes) -> bytes:
    """A kernel's file: `machine_code` (of `compile_object`) that was made from the code of that fingerprint."""
    head = _HEAD.format(kernel=kernel, processor=processor(), code=code).encode()
    return _sealed(head, machine_code)


def _sealed(head: bytes, machine_code: bytes) -> bytes:
    return head + hashlib.sha256(head + machine_code).digest() + machine_code


def read(path: Path, kernel: str, code: str | None = None) -> bytes:
    """The machine code in a kernel's file.

    Args:
      kernel: which kernel it must be.
      code: the fingerprint of the code that it must be made from; None if any will do.

    Raises:
      UserError: the file is missing, damaged, another kernel, for another processor or of other code. The line has
        the command that makes the right one.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError
        content = path.read_bytes()
        head = _HEAD_READ.match(content)
        machine_code = content[head.end() + 32 :] if head else b""
        # A damaged object file would crash and not raise.
        if head is None or content != _sealed(head[0], machine_code):
            raise ValueError
    except (OSError, ValueError):
        raise UserError(f"{path}: is missing, damaged or no compiled kernel; {_remedy(kernel, path)}") from None
    its_kernel, its_processor, its_code = (part.decode() for part in head.groups())
    if its_kernel != kernel:
        # Not over the other kernel, which is whole.
        right = path.with_name(file_name(kernel))
        raise UserError(f"{path}: is {its_kernel}, and this run needs {kernel}; {_remedy(kernel, right)}")
    if its_processor != processor():
        raise UserError(f"{path}: is for {its_processor}, this processor is {processor()}; {_remedy(kernel, path)}")
    if code is not None and its_code != code:
        raise UserError(f"{path}: is {kernel} of other code ({its_code}, not {code}); {_remedy(kernel, path)}")
    return machine_code


def _remedy(kernel: str, path: Path) -> str:
    return f"compile it with: metatrace compile --kernel {kernel} --output {shlex.quote(str(path))}"


def load(path: Path, kernel: str, *, integers: int, pointers: int) -> Callable[..., None]:
    """Loads a kernel's file: the kernel, behind ctypes.

    Args:
      kernel: which kernel it must be.
      integers, pointers: how many arguments of each the entry takes.

    Raises:
      UserError: as `read` does.
    """
    machine_code = read(path, kernel)
    try:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine(reloc="pic")
        )
        engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
        engine.finalize_object()
        address = engine.get_function_address(_ENTRY)
        if not address:
            raise ValueError
    except (ValueError, RuntimeError):
        raise UserError(f"{path}: is no machine code of a kernel; {_remedy(kernel, path)}") from None
    # numba's calling convention: where to put the result and the exception (none here), then the
    # arguments; an int32 status.
    arguments = [ctypes.c_int64] * integers + [ctypes.c_void_p] * pointers
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)(address)
    no_result, no_exception = ctypes.c_void_p(), ctypes.c_void_p()

    def call(*arguments: int, _engine: object = engine) -> None:
        # _engine: the code lives as long as its engine does.
        function(ctypes.byref(no_result), ctypes.byref(no_exception), *arguments)

    return call
