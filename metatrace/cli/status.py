"""`metatrace status`: which results of a scale exist, and how long the rest takes."""

import argparse
import os
import sys
import time
from pathlib import Path

from metatrace.cli.options import whole_number
from metatrace.config import loading
from metatrace.pipeline import status


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("file", type=Path, metavar="CONFIG")
    parser.add_argument("--results", metavar="FOLDER", help="where the results are (default: results/<scale>)")
    parser.add_argument("--files", action="store_true", help="name every file that is missing or stale")
    parser.add_argument(
        "--watch",
        nargs="?",
        type=whole_number("--watch", 1),
        const=10,
        metavar="SECONDS",
        help="look again every so many seconds (10), until nothing is missing",
    )
    cores = whole_number("--cores", 1)
    parser.add_argument("--cores", type=cores, metavar="N", help="cores for the rest (default: all here)")


def call(options: argparse.Namespace) -> None:
    """Says what became of a scale."""
    asked = loading.read(options.file)
    folder = options.results or f"results/{asked.scale}"
    while True:
        found = status.survey(asked, folder)
        there = "" if os.path.isdir(folder) else ", which does not exist yet"
        told = [f"{options.file}: scale {asked.scale}, in {folder}{there}"]
        told += status.lines(found, cores=options.cores or os.cpu_count() or 1, all_files=options.files)
        clear = "\x1b[H\x1b[2J" if options.watch and sys.stdout.isatty() else ""
        print(clear + "\n".join(told), flush=True)
        if not options.watch or found.is_complete():
            return
        time.sleep(options.watch)
