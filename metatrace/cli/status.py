"""`metatrace status`: which results of a scale exist, and how long the rest takes."""

import argparse
import os
from pathlib import Path
from typing import Any

from metatrace.cli.options import whole_number


def add(verbs: Any) -> None:
    """Adds the verb's parser to `verbs` (argparse's subparsers)."""
    status = verbs.add_parser(
        "status", help="which of a config's results exist, which are stale, and how long the rest takes"
    )
    status.set_defaults(verb=_status)
    status.add_argument("file", type=Path, metavar="CONFIG")
    status.add_argument("--results", metavar="FOLDER", help="where the results are (default: results/<scale>)")
    status.add_argument("--files", action="store_true", help="name every file that is missing or stale")
    status.add_argument(
        "--cores",
        type=whole_number("--cores", 1),
        metavar="N",
        help="cores for the rest (default: all here)",
    )


def _status(options: argparse.Namespace) -> None:
    from metatrace.config import loading
    from metatrace.pipeline import status

    asked = loading.read(options.file)
    folder = options.results or f"results/{asked.scale}"
    there = "" if os.path.isdir(folder) else ", which does not exist yet"
    print(f"{options.file}: scale {asked.scale}, in {folder}{there}")
    found = status.survey(asked, folder)
    cores = options.cores or os.cpu_count() or 1
    for line in status.lines(asked, found, folder, cores=cores, all_files=options.files):
        print(line)
