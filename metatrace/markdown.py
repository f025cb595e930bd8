"""Tables in Markdown, and pages that are written by hand but for such a table."""

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, one line per row; a bar in a cell stays a bar."""
    cells = ([cell.replace("|", "\\|") for cell in row] for row in (head, ["---"] * len(head), *rows))
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def with_part(page: str, name: str, made: str) -> str:
    """`page` with `made` between `<!-- name -->` and `<!-- end -->`, a comment that it has once.

    More words may follow the name in its comment.
    """
    page, found = re.subn(
        rf"(<!-- {name}[^>]* -->\n).*?(\n<!-- end -->)", lambda match: match[1] + made + match[2], page, flags=re.DOTALL
    )
    assert found == 1, name
    return page
