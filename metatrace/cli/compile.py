"""`metatrace compile`: a compiled kernel as a file."""

import argparse
from pathlib import Path
from typing import Any

from metatrace.domains.registry import DOMAINS
from metatrace.runs import atomic

_DOMAIN_OF = {kernel: domain for domain in DOMAINS for kernel in domain.kernels}


def add(verbs: Any) -> None:
    """Adds the verb's parser."""
    parser = verbs.add_parser("compile", help="compile a kernel")
    parser.set_defaults(verb=compile_kernel)
    known = "; ".join(f"{', '.join(domain.kernels)} of {domain.name}" for domain in DOMAINS if domain.kernels)
    parser.add_argument("--kernel", required=True, choices=tuple(_DOMAIN_OF), help=known)
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="the kernel to write")


def compile_kernel(options: argparse.Namespace) -> None:
    """Compiles a kernel and writes its file."""
    from metatrace.cli import kernels

    atomic.check_writable(options.output)
    atomic.write_atomically(options.output, kernels.compiled(_DOMAIN_OF[options.kernel], options.kernel))
