"""The JSON schema of config files, and the tables of config/README.md: both are made from the models.

`python -m metatrace.config.documentation` rewrites config/config.schema.json and config/README.md.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from metatrace.config.models import Config, Statistics
from metatrace.domains.registry import READINGS
from metatrace.figures.kinds.registry import DEFAULT_KIND, KINDS

HOW = "python -m metatrace.config.documentation"
_BASE = {
    "type": "string",
    "description": "a config file, relative to this one, that this one changes, such as paper.yaml",
}


def schema() -> str:
    """The JSON schema of config files, overlays included."""
    made = Config.model_json_schema()
    definitions = {**made.pop("$defs"), "Config": made, "Overlay": _overlay(made)}
    return _json(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "if": {"required": ["base"]},
            "then": {"$ref": "#/$defs/Overlay"},
            "else": {"$ref": "#/$defs/Config"},
            "$defs": definitions,
        }
    )


def _overlay(config: dict[str, Any]) -> dict[str, Any]:
    """The schema of an overlay: nothing is required, and null removes a key."""
    keys: dict[str, list[Any]] = {}
    for kind in KINDS.values():
        for key, part in kind.model.model_json_schema(ref_template="#/$defs/{model}")["properties"].items():
            if part not in keys.setdefault(key, []):
                keys[key].append(part)
    nothing = {"type": "null"}
    figure: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {key: {"anyOf": [*parts, nothing]} for key, parts in keys.items()} | {"alpha": {}},
    }
    properties: dict[str, Any] = {key: {"anyOf": [part, nothing]} for key, part in config["properties"].items()}
    properties["figures"] = {"type": "object", "additionalProperties": {"anyOf": [figure, nothing]}}
    return {"type": "object", "additionalProperties": False, "properties": {"base": _BASE, **properties}}


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def readme(text: str) -> str:
    """`text` with its tables made again: what stands between `<!-- keys -->` and `<!-- end -->`, and so on."""
    for name, rows in _tables().items():
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        text, found = re.subn(
            rf"(<!-- {name}[^>]* -->\n).*?(\n<!-- end -->)",
            lambda match, table=table: match[1] + table + match[2],  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
        assert found == 1, name
    return text


def _tables() -> dict[str, list[Sequence[str]]]:
    """The tables by name, as rows of cells."""
    head = ("key", "what it is", "default")
    keys: dict[str, dict[str, FieldInfo]] = {}
    for name, kind in KINDS.items():
        for key, field in kind.model.model_fields.items():
            if key != "kind":
                keys.setdefault(key, {})[name] = field
    kinds = ("kind", f"what the figure shows, one of {_code(KINDS)}", f"`{DEFAULT_KIND}`")
    top = [
        row
        for key, field in Config.model_fields.items()
        for row in (_rows_of(Statistics, "statistics.") if key == "statistics" else [_row(key, field)])
    ]
    return {
        "config keys": [head, _RULE * 3, ("`base`", _cell(_BASE["description"]), "none"), *top],
        "figure keys": [
            (*head, "kinds"),
            _RULE * 4,
            (f"`{kinds[0]}`", *kinds[1:], "all"),
            *((*_row(key, _richest(fields.values())), _kinds(fields)) for key, fields in keys.items()),
        ],
        "kinds": [("kind", "what it shows"), _RULE * 2, *((f"`{name}`", kind.text) for name, kind in KINDS.items())],
        "readings": [
            ("", "key", "question", "answers, the default first", "why the default"),
            _RULE * 5,
            *(
                (reading.id, f"`{reading.key}`", _cell(reading.question), _code(reading.values), _cell(reading.why))
                for reading in sorted(READINGS, key=lambda reading: int(reading.id[1:]))
            ),
        ],
    }


_RULE = ("---",)


def _rows_of(model: type[BaseModel], prefix: str) -> list[Sequence[str]]:
    return [_row(f"{prefix}{key}", field) for key, field in model.model_fields.items()]


def _row(key: str, field: FieldInfo) -> Sequence[str]:
    extra = field.json_schema_extra
    comment = extra.get("$comment", "") if isinstance(extra, dict) else ""
    text = "; ".join(filter(None, [field.description, str(comment)]))
    default = "–" if field.is_required() else f"`{field.default}`" if field.default else "none"
    return f"`{key}`", _cell(text), default


def _richest(fields: Iterable[FieldInfo]) -> FieldInfo:
    """The field whose description says most: that of `alpha` differs between kinds."""
    return max(fields, key=lambda field: len(field.description or ""))


def _kinds(names: Iterable[str]) -> str:
    """The kinds that have a key, in words."""
    names = list(names)
    without = [name for name in KINDS if name not in names]
    if not without:
        return "all"
    return _code(names) if len(names) <= len(without) else f"all but {_code(without)}"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Rewrites both files in the current folder."""
    Path("config/config.schema.json").write_text(schema(), encoding="utf-8")
    path = Path("config/README.md")
    path.write_text(readme(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
