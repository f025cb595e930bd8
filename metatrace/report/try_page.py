"""The page to play with: one HTML file, usable offline, on which two agents learn mountain car.

The scripts reports/try*.js are a second writing of the plain agent, its world and the tuners. A test in a real browser
holds them to the first one, return for return.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metatrace.domains.linear_runs import GAMMA, LAM
from metatrace.report import explorer, inlining
from metatrace.report.context import TRY_FILES


def page(words: Mapping[str, Any], template: Path) -> bytes:
    """The page. The same words give the same bytes.

    Args:
      words: of `context.try_context`.
      template: the folder of `TRY_FILES`.

    Raises:
      UserError: a part of the template is missing or damaged.
    """
    looks = explorer.looks()
    methods = {token: {**looks["methods"][token], **method} for token, method in words["methods"].items()}
    text, parts = inlining.read_parts(template, TRY_FILES)
    parts["data"] = inlining.as_data(
        {**words, "methods": methods, "shades": looks["shades"], "gamma": GAMMA, "lambda": LAM}
    )
    return inlining.fill(text, parts, template / TRY_FILES[0])
