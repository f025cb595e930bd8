"""`metatrace publish`: a finished scale in small, to commit."""

import argparse
from pathlib import Path

from metatrace.config import loading
from metatrace.report.publish import publish


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("file", type=Path, metavar="CONFIG")
    parser.add_argument("--output", required=True, type=Path, metavar="FOLDER", help="such as reports/published")
    parser.add_argument(
        "--site", type=Path, metavar="FOLDER", help="also write the pages there, ready for GitHub Pages; such as docs"
    )


def call(options: argparse.Namespace) -> None:
    """Writes what is published of a scale."""
    asked, paper = loading.read(options.file), loading.read(Path("config/paper.yaml"))
    publish(asked, paper, f"results/{asked.scale}", options.output, options.site)
