"""What the manual takes from the project itself: the help of every verb, the keys of configs, the changes."""

import contextlib
import io
import os
import re
from pathlib import Path
from typing import Any

from metatrace.cli.main import VERBS, main

ROOT = Path(__file__).parents[1]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts each part where its name stands as a comment."""
    for name, part in {"command line": _command_line, "config": _config, "changes": _changes}.items():
        if f"<!-- {name} -->" in markdown:
            markdown = markdown.replace(f"<!-- {name} -->", part())
    return markdown


def _command_line() -> str:
    os.environ["COLUMNS"] = "76"
    return "\n\n".join(f"## metatrace {verb}\n\n{text}.\n\n```text\n{_help(verb)}```" for verb, text in VERBS.items())


def _help(verb: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        main([verb, "--help"])
    return printed.getvalue()


def _config() -> str:
    return _without_title("config/README.md")


def _changes() -> str:
    return _without_title("CHANGELOG.md")


def _without_title(path: str) -> str:
    """A file of the project; links to other files of it become names, for they are not in the manual."""
    text = (ROOT / path).read_text(encoding="utf-8").partition("\n")[2]
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)[^)]+\)", r"`\1`", text)
