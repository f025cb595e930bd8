"""Pages of one file: a template, and the style sheets, data and scripts that stand in it."""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metatrace.errors import UserError
from metatrace.runs import atomic

_MARK = "/*{}*/"


def read_parts(folder: Path, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """A template, and its parts `style` (all style sheets) and `behaviour` (all scripts), each in the order of `names`.

    Args:
      names: the template, then style sheets (`.css`) and scripts (`.js`), all in `folder`.

    Raises:
      UserError: a file is missing or no text.
    """
    template, *others = ((name, atomic.read_text(folder / name, "restore it")) for name in names)
    endings = {"style": ".css", "behaviour": ".js"}
    parts = {
        part: "\n".join(text for name, text in others if name.endswith(ending)) for part, ending in endings.items()
    }
    return template[1], parts


def as_data(shown: Any) -> str:
    """Plain types as JSON, packed with gzip: a paper's curves take a quarter of the room. `page.js` unpacks it."""
    data = json.dumps(shown, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return b64encode(gzip.compress(data.encode(), mtime=0)).decode()


def fill(template: str, parts: Mapping[str, str], where: Path) -> bytes:
    """The page: a template with every part at the mark of its name, as `/*style*/`.

    Args:
      where: the template's file, which errors name.

    Raises:
      UserError: the template has no place for a part, or more than one; or a part would end the element it is in.
    """
    for name, part in parts.items():
        if template.count(_MARK.format(name)) != 1:
            raise UserError(f"{where}: must have one place for the {name}, {_MARK.format(name)}")
        if re.search(r"<!--|</script|</style", part, re.IGNORECASE):
            raise UserError(f"{where.parent}: the {name} cannot stand in a page: it has an end tag or a comment")
    return re.sub(r"/\*(\w+)\*/", lambda mark: parts[mark[1]], template).encode()
