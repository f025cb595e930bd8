"""`metatrace status`: how much of a scale is there, and how long the rest takes."""

import argparse
import os
from pathlib import Path
from typing import Any

from metatrace.cli.options import whole_number


def add(verbs: Any) -> None:
    """Adds the verb's parser to `verbs` (argparse's subparsers)."""
    status = verbs.add_parser(
        "status", help="how much of a config's results is there, what is stale, and how long the rest takes"
    )
    status.set_defaults(verb=_status)
    status.add_argument("file", type=Path, metavar="CONFIG")
    status.add_argument("--results", metavar="FOLDER", help="where they are; by default results/<scale>")
    status.add_argument("--files", action="store_true", help="name every file that is missing or stale")
    status.add_argument(
        "--cores", type=whole_number("--cores", 1), metavar="N", help="for the rest (default: all of this machine)"
    )


def _status(options: argparse.Namespace) -> None:
    from metatrace.config import loading
    from metatrace.pipeline import status

    asked = loading.read(options.file)
    folder = options.results or f"results/{asked.scale}"
    print(f"{options.file}: scale {asked.scale}, in {folder}")
    found = status.of(asked, folder)
    cores = options.cores or os.cpu_count() or 1
    for line in status.lines(asked, found, folder, cores=cores, all_files=options.files):
        print(line)
