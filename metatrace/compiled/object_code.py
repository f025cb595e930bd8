"""Compiled kernels as files of machine code, made once and loaded by every run.

Importing numba and loading a function from its cache takes longer than most mountain car runs. So numba
compiles a kernel once (`compile_object`), and a run maps the object file with llvmlite alone (`load`). The
file's name carries the fingerprint of the code that it was made from, so it can never be stale.

A kernel is a module with `entry`, a function for numba, and `SIGNATURE`, its types: integers first, pointers
after; and perhaps `FASTMATH`, the liberties that its arithmetic allows the compiler.
"""

import ctypes
import hashlib
import importlib
import os
import platform
import re
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm

from metatrace.errors import UserError

_ENTRY = "metatrace_kernel"
# All that the machine code may call: with anything else it would not stand alone.
_ALLOWED_CALLS = {"cos", "exp", "log", "memset", "memcpy"}
# numba's views of our arrays own no memory, so their destructor is never reached.
_NO_DESTRUCTOR = "define void @NRT_MemInfo_call_dtor(ptr %0) { unreachable }"
_MAGIC = b"metatrace kernel for %s\n"  # the processor; then the SHA-256 of the object code, then the code
# The processors that kernels are compiled for, by a feature that marks them. Not for this one processor
# alone: the file may be loaded on another node of the same cluster.
_PROCESSORS = {"avx2": "x86-64-v3"}
_MAX_BYTES = 1 << 22


def file_name(kernel: str, fingerprint: str) -> str:
    """A kernel's file name for one state of the code; machines of another kind have their own."""
    return f"{kernel}-{fingerprint}-{platform.system().lower()}-{processor()}.o"


def processor() -> str:
    """What kernels are compiled for here: `x86-64-v3` (nearly every x86 machine), else the architecture."""
    has = llvm.get_host_cpu_features()
    levels = [level for feature, level in _PROCESSORS.items() if has.get(feature)]
    return levels[0] if levels else platform.machine().lower()


def cache_folder() -> Path:
    """Where a run that is given no kernel keeps one: $METATRACE_CACHE, else the user's cache folder."""
    chosen = os.environ.get("METATRACE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metatrace"


def compile_object(module_name: str, *, arrays_apart: bool = False) -> bytes:
    """Compiles a kernel with numba, for `processor()`.

    Args:
      module_name: the kernel's module. By name, so that only who compiles it imports it, and numba.
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
    compiled = numba.cfunc(module.SIGNATURE, error_model="numpy", fastmath=fastmath)(module.entry)
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
    machine_code = target.emit_object(code)
    return _MAGIC % processor().encode() + hashlib.sha256(machine_code).digest() + machine_code


def _with_arrays_apart(assembly: str, name: str) -> str:
    """Marks the pointer arguments of a function `noalias`, in LLVM's text."""
    (head,) = re.findall(rf"^define .*@{re.escape(name)}\(.*$", assembly, re.MULTILINE)
    return assembly.replace(head, re.sub(r"\bptr (?!noalias)(?=[^,]*%arg)", "ptr noalias ", head))


def load(path: Path, *, integers: int, pointers: int, remedy: str) -> Callable[..., None]:
    """Loads an object file that `compile_object` made: the kernel, behind ctypes.

    Args:
      integers, pointers: how many arguments of each the entry takes.
      remedy: the command that makes the file anew.

    Raises:
      UserError: the file is missing, cut short or no object file.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError
        content = path.read_bytes()
        magic = _MAGIC % processor().encode()
        code = content[len(magic) + 32 :]
        # A damaged object file, or one for another processor, would crash and not raise.
        if content != magic + hashlib.sha256(code).digest() + code:
            raise ValueError
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine(reloc="pic")
        )
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        address = engine.get_function_address(_ENTRY)
        if not address:
            raise ValueError
    except (OSError, ValueError, RuntimeError):
        raise UserError(
            f"{path}: is no compiled kernel for this processor ({processor()}); make it anew with: {remedy}"
        ) from None
    # numba's calling convention: where to put the result and the exception (none here), then the
    # arguments; an int32 status.
    arguments = [ctypes.c_int64] * integers + [ctypes.c_void_p] * pointers
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)(address)
    no_result, no_exception = ctypes.c_void_p(), ctypes.c_void_p()

    def kernel(*arguments: int, _engine: object = engine) -> None:
        # _engine: the code lives as long as its engine does.
        function(ctypes.byref(no_result), ctypes.byref(no_exception), *arguments)

    return kernel
