"""`metatrace publish`: a finished scale in small, to commit."""

import argparse
from pathlib import Path
from typing import Any


def add(verbs: Any) -> None:
    """Adds the verb's parser to `verbs` (argparse's subparsers)."""
    publish = verbs.add_parser(
        "publish", help="a finished scale without games in small, to commit: verdicts, scores, pictures"
    )
    publish.set_defaults(verb=_publish)
    publish.add_argument("file", type=Path, metavar="CONFIG")
    publish.add_argument("--output", required=True, type=Path, metavar="FOLDER", help="such as reports/published")


def _publish(options: argparse.Namespace) -> None:
    from metatrace.config import loading
    from metatrace.report import publish

    asked = loading.read(options.file)
    publish.publish(asked, f"results/{asked.scale}", options.output)
