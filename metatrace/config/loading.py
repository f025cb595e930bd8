"""Reading config files: strict YAML, overlays, and one line about the first thing that is wrong."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from metatrace.config.experiments import Experiments
from metatrace.config.models import checked
from metatrace.config.resolving import resolve_config
from metatrace.errors import UserError

_MAX_BYTES = 1 << 20
_MAX_VALUES = 100_000  # with every alias of YAML written out
_FLOAT = re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+\Z")
_WHOLE_NUMBERS = ("seeds", "episodes", "frames", "examples", "smoothing", "final_episodes", "best")
# Contents with the names by which error messages call them: each overlay stands before what it is based on.
Sources = list[tuple[str, Any]]


class _StrictLoader(yaml.CSafeLoader):
    """YAML in which `1e-5` is the number that it looks like, so that it is refused unquoted, and keys are unique."""

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        _require_unique_keys(node, set())
        return node


def _require_unique_keys(node: yaml.Node | None, known: set[int]) -> None:
    """`known`: the nodes that are checked, by identity: aliases lead to them again, and to a node from within it."""
    if id(node) in known:
        return
    known.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for part in node.value:
            _require_unique_keys(part, known)
    elif isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    problem = f"the key {key.value!r:.60} stands there twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add((key.tag, key.value))
            _require_unique_keys(key, known)
            _require_unique_keys(value, known)


class _Dumper(yaml.SafeDumper):
    """Quotes what `_StrictLoader` would take for a number."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _yaml in (_StrictLoader, _Dumper):
    _yaml.yaml_implicit_resolvers = {
        first: list(resolvers) for first, resolvers in _yaml.yaml_implicit_resolvers.items()
    }
    _yaml.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789"))


def read(path: Path) -> Experiments:
    """Reads and checks a config file, with those that it is based on.

    Raises:
      UserError: missing, not YAML, or not a config; the line names the file and the key.
    """
    return _checked(_chain(path))


def resolve(configfiles: Sequence[Path], overrides: Mapping[str, Any]) -> Experiments:
    """The one config of several files, each merged over those before it, and of `overrides` (`--config`) over all.

    Raises:
      UserError: as `read`.
    """
    sources = [("--config", _typed(_plain(dict(overrides), "--config")))] if overrides else []
    for path in reversed(configfiles):
        sources += _chain(Path(path))
    return _checked(sources or [("config", {})])


def check(config: object, where: str) -> Experiments:
    """Checks a config that is there as a value; `where` names it in error messages.

    Raises:
      UserError: the first thing that is wrong, with the key and what would be right.
    """
    return _checked([(where, _plain(config, where))])


def as_yaml(asked: Experiments) -> str:
    """The whole config as one file, which `read` reads as the same experiments."""
    return yaml.dump(asked.content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def read_yaml(path: Path, example: str, what: str = "config") -> Any:
    """The content of a YAML file, strictly read, as plain types.

    Args:
      example: a right file, for error messages. what: the file should hold.

    Raises:
      UserError: missing, a folder, too large, or not YAML.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(f"{path}: is larger than {_MAX_BYTES} bytes; that is no {what} file")
        text = path.read_text(encoding="utf-8")
        last_line = text.count("\n")
        content = yaml.load(text, _StrictLoader)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); name a {what} file, such as {example}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not YAML: it is not encoded in UTF-8; save it as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        # To libyaml, the end of a file is a line of its own.
        line = f", line {1 + min(mark.line, last_line)}" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be parsed"
        raise UserError(f"{path}{line}: is not YAML: {problem}; see {example}") from None
    except (ValueError, RecursionError, AttributeError, TypeError):  # what SafeLoader's constructors can raise
        raise UserError(f"{path}: is not YAML: it holds values that cannot be read; see {example}") from None
    return _plain(content, str(path), what)


def _plain(content: object, where: str, what: str = "config") -> Any:
    """A copy of plain types, and nothing but plain types."""
    try:
        if _n_values(content, {}) > _MAX_VALUES:
            raise UserError(f"{where}: holds more than {_MAX_VALUES} values; that is no {what} file")
        return json.loads(json.dumps(content))
    except (TypeError, ValueError, RecursionError):
        raise UserError(f"{where}: holds dates or other values that have no place in a {what} file") from None


def _typed(value: Any, key: str = "") -> Any:
    """A value of `--config` with its types: Snakemake reads all that stands within a table or a list as text."""
    if isinstance(value, dict):
        return {name: _typed(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_typed(part, key) for part in value]
    if key in _WHOLE_NUMBERS and isinstance(value, str) and re.fullmatch("0|[1-9][0-9]{0,18}", value):
        return int(value)
    return None if value == "null" else value


def _n_values(value: object, known: dict[int, int]) -> int:
    """How many values `value` holds, itself included; `known` by identity, so that aliases cost nothing."""
    if id(value) not in known:
        known[id(value)] = 1  # for a list that holds itself
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        known[id(value)] = 1 + sum(_n_values(part, known) for part in parts)
    return known[id(value)]


def _chain(path: Path, overlays: tuple[Path, ...] = ()) -> Sources:
    """The content of a file and of those that it is based on."""
    content = read_yaml(path, "config/quick.yaml")
    sources: Sources = [(str(path), content)]
    if not isinstance(content, dict) or "base" not in content:
        return sources
    base = content.pop("base")
    if not isinstance(base, str) or not base or not base.isprintable():
        raise UserError(f"{path}: base: must be the path of a config file, relative to this one, such as paper.yaml")
    target = Path(os.path.normpath(path.parent / base))
    here = (*overlays, path.resolve())
    if target.resolve() in here:
        raise UserError(f"{path}: base: {base} is based on this file itself; it must be another file")
    if not target.is_file():
        raise UserError(f"{path}: base: there is no file {target}; it must be a config file, relative to this one")
    return sources + _chain(target, here)


def _checked(sources: Sources) -> Experiments:
    merged = sources[-1][1]
    for where, overlay in reversed(sources[:-1]):
        merged = _merged(merged, overlay, where, "")
    try:
        return resolve_config(checked(merged), merged)
    except UserError as error:
        raise UserError(f"{_source_of(str(error), sources)}: {error}") from None


def _merged(base: Any, overlay: Any, where: str, key: str) -> Any:
    """`overlay` over `base`: tables key by key, everything else replaces; null removes a key."""
    if not isinstance(base, dict) or not isinstance(overlay, dict):
        return overlay
    merged = dict(base)
    for name, value in overlay.items():
        dotted = f"{key}.{name}" if key else name
        if value is not None:
            merged[name] = _merged(base[name], value, where, dotted) if name in base else value
        elif name in base:
            del merged[name]
        else:
            raise UserError(f"{where}: {dotted}: is null, which removes a key; what this is based on has no such key")
    return merged


def _source_of(line: str, sources: Sources) -> str:
    """The name of the source that the key at the start of an error message comes from."""
    path = re.split(r"[.\[\]]+", line.partition(": ")[0])
    return max(sources, key=lambda source: _depth(source[1], path))[0]


def _depth(content: Any, path: Sequence[str]) -> int:
    """How many of the keys of a path are there."""
    if not path or not isinstance(content, dict) or path[0] not in content:
        return 0
    return 1 + _depth(content[path[0]], path[1:])
