"""`metatrace status`: which results of a scale exist, and how long the rest takes."""

import argparse
import os
from pathlib import Path

from metatrace.cli.options import whole_number
from metatrace.config import loading
from metatrace.pipeline import status


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("file", type=Path, metavar="CONFIG")
    parser.add_argument("--results", metavar="FOLDER", help="where the results are (default: results/<scale>)")
    parser.add_argument("--files", action="store_true", help="name every file that is missing or stale")
    cores = whole_number("--cores", 1)
    parser.add_argument("--cores", type=cores, metavar="N", help="cores for the rest (default: all here)")


def call(options: argparse.Namespace) -> None:
    """Says what became of a scale."""
    asked = loading.read(options.file)
    folder = options.results or f"results/{asked.scale}"
    there = "" if os.path.isdir(folder) else ", which does not exist yet"
    print(f"{options.file}: scale {asked.scale}, in {folder}{there}")
    cores = options.cores or os.cpu_count() or 1
    for line in status.lines(status.survey(asked, folder), cores=cores, all_files=options.files):
        print(line)
