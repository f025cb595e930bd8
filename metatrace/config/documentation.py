"""The JSON schema of config files, and the tables of config/README.md: both are made from the models.

`python -m metatrace.config.documentation` rewrites config/config.schema.json and config/README.md.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from metatrace import markdown
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
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "if": {"required": ["base"]},
        "then": {"$ref": "#/$defs/Overlay"},
        "else": {"$ref": "#/$defs/Config"},
        "$defs": definitions,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


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


def readme(text: str) -> str:
    """`text` with its tables made again: what stands between `<!-- keys -->` and `<!-- end -->`, and so on."""
    for name, (head, *rows) in _tables().items():
        text = markdown.with_part(text, name, markdown.table(head, rows))
    return text


def _tables() -> dict[str, list[Sequence[str]]]:
    """The tables by name, as rows of cells."""
    head = ("key", "what it is", "default")
    fields: dict[str, dict[str, FieldInfo]] = {}
    for name, kind in KINDS.items():
        for key, field in kind.model.model_fields.items():
            fields.setdefault(key, {})[name] = field
    del fields["kind"]
    top: list[Sequence[str]] = []
    for key, field in Config.model_fields.items():
        parts = Statistics.model_fields if key == "statistics" else {}
        top += [_row(f"{key}.{part}", of_part) for part, of_part in parts.items()] or [_row(key, field)]
    return {
        "config keys": [head, ("`base`", _BASE["description"], "none"), *top],
        "figure keys": [
            (*head, "kinds"),
            ("`kind`", f"what the figure shows, one of {_code(KINDS)}", f"`{DEFAULT_KIND}`", "all"),
            # The description of `alpha` differs between kinds: the longest says most.
            *(
                (*_row(key, max(by_kind.values(), key=lambda field: len(field.description or ""))), _kinds(by_kind))
                for key, by_kind in fields.items()
            ),
        ],
        "kinds": [("kind", "what it shows"), *((f"`{name}`", kind.text) for name, kind in KINDS.items())],
        "readings": [
            ("", "key", "question", "answers, the default first", "why the default"),
            *(
                (reading.id, f"`{reading.key}`", reading.question, _code(reading.values), reading.why)
                for reading in sorted(READINGS, key=lambda reading: int(reading.id[1:]))
            ),
        ],
    }


def _row(key: str, field: FieldInfo) -> Sequence[str]:
    comment = field.json_schema_extra["$comment"] if isinstance(field.json_schema_extra, dict) else ""
    text = "; ".join(filter(None, [field.description, str(comment)]))
    default = "–" if field.is_required() else f"`{field.default}`" if field.default else "none"
    return f"`{key}`", text, default


def _kinds(names: Collection[str]) -> str:
    """The kinds that have a key, in words."""
    without = [name for name in KINDS if name not in names]
    if not without:
        return "all"
    return _code(names) if len(names) <= len(without) else f"all but {_code(without)}"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Rewrites both files in the current folder."""
    Path("config/config.schema.json").write_text(schema(), encoding="utf-8")
    path = Path("config/README.md")
    path.write_text(readme(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
