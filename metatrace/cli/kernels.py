"""The compiled kernels that the verbs need, kept in the user's cache folder."""

import sys
from pathlib import Path

from metatrace.compiled import object_code
from metatrace.domains.protocol import Domain
from metatrace.errors import UserError
from metatrace.pipeline import provenance
from metatrace.runs import atomic


def file_of(domain: Domain, kernel: str, chosen: Path | None) -> Path:
    """The file of a domain's kernel: the chosen one, else the cached one, compiled now if this code has none yet.

    Raises:
      UserError: the file is not that kernel of this code, or the cache folder cannot be written.
    """
    code = provenance.fingerprint(domain.kernel_code(kernel)).digest
    path = chosen or object_code.cache_folder() / code / object_code.file_name(kernel)
    if chosen is None and not path.exists():
        try:
            atomic.check_writable(path)
            print("compiling the kernel, once for this code: about ten seconds", file=sys.stderr)
            atomic.write_atomically(path, compiled(domain, kernel))
        except UserError:
            raise UserError(
                f"{path.parent.parent}: the cache folder for compiled kernels cannot be written; "
                "set METATRACE_CACHE to a folder that you may write to"
            ) from None
    object_code.read(path, kernel, code)
    return path


def compiled(domain: Domain, kernel: str) -> bytes:
    """The contents of a kernel's file, compiled now."""
    code = provenance.fingerprint(domain.kernel_code(kernel)).digest
    return object_code.as_file(kernel, code, domain.compile(kernel))
