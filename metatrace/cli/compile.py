"""`metatrace compile`: a compiled kernel as a file; and the kernels that other verbs need, kept for the user."""

import argparse
import sys
from pathlib import Path

from metatrace.compiled import object_code
from metatrace.domains.protocol import Domain
from metatrace.domains.registry import DOMAINS
from metatrace.errors import UserError
from metatrace.pipeline import provenance
from metatrace.runs import atomic

_DOMAIN_OF = {kernel: domain for domain in DOMAINS for kernel in domain.kernels}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    known = "; ".join(f"{', '.join(domain.kernels)} of {domain.name}" for domain in DOMAINS if domain.kernels)
    parser.add_argument("--kernel", required=True, choices=tuple(_DOMAIN_OF), help=known)
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="the kernel to write")


def call(options: argparse.Namespace) -> None:
    """Compiles a kernel and writes its file."""
    atomic.check_writable(options.output)
    _compile(_DOMAIN_OF[options.kernel], options.kernel, options.output)


def _compile(domain: Domain, kernel: str, path: Path) -> None:
    code = provenance.fingerprint(domain.kernel_code(kernel)).digest
    atomic.write_atomically(path, object_code.as_file(kernel, code, domain.compile(kernel)))


def kernel_file(domain: Domain, kernel: str, chosen: Path | None) -> Path:
    """The file of a domain's kernel: the chosen one, else the one in the user's cache folder, compiled now if need be.

    Raises:
      UserError: the file is not that kernel of this code, or the cache folder cannot be written.
    """
    code = provenance.fingerprint(domain.kernel_code(kernel)).digest
    path = chosen or object_code.cache_folder() / code / object_code.file_name(kernel)
    if chosen is None and not path.exists():
        try:
            atomic.check_writable(path)
            print("compiling the kernel, once for this code: about ten seconds", file=sys.stderr)
            _compile(domain, kernel, path)
        except UserError:
            raise UserError(
                f"{path.parent.parent}: the cache folder for compiled kernels cannot be written; "
                "set METATRACE_CACHE to a folder that you may write to"
            ) from None
    object_code.read(path, kernel, code)
    return path
