"""Reads Python files as definitions: what each says and which names it uses. Nothing is imported or executed.

A definition is a function, a class or a constant at the top level of a module. All else that a module does when it is
imported (a call, `if`, `for`, `with`, `x += 1`, `x.y = 1`) is one definition without a name: its bare statements.

What changes no result is not read: comments, layout, docstrings and other constants that stand alone, annotations, the
arguments of `raise`, the message of `assert`, `print(..., file=sys.stderr)`, `if TYPE_CHECKING:`.
"""

import ast
import hashlib
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

BARE = ""
# What `import` binds a name to: a module, and the name in it, "" for the module itself, "*" for all of it.
Target = tuple[str, str]
# A name and the attributes that follow it: `layout.N_TILES` is ("layout", "N_TILES").
Chain = tuple[str, ...]

_UNREAD = frozenset({"annotation", "returns", "ctx", "type_comment", "type_ignores", "type_params", "kind"})


@dataclass(frozen=True)
class Definition:
    """A definition of a module.

    Attributes:
      digest: a hash of its syntax tree; "" if it says nothing.
      uses: the names that it uses and does not bind itself.
      imports: what its own imports bind, by name.
      executed: what it imports and names nowhere, so for what importing it does.
    """

    digest: str
    uses: frozenset[Chain]
    imports: dict[str, set[Target]]
    executed: frozenset[Target]


@dataclass
class Module:
    """A file, read.

    Attributes:
      definitions: by name; `Class.method` for the methods that `used_by` names; the bare statements under `BARE`.
      used_by: its table `USED_BY`: the definitions that only some methods use, and which.
    """

    definitions: dict[str, Definition] = field(default_factory=dict)
    used_by: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read_module(source: bytes, name: str, is_package: bool) -> Module:
    """Reads the source of a module.

    Raises:
      SyntaxError: it is no Python.
      ValueError: its table `USED_BY` is no literal.
    """
    package = name if is_package else name.rpartition(".")[0]
    named, bare = _sorted(ast.parse(source))
    module = Module()
    if "USED_BY" in named:
        module.used_by = _table(named.pop("USED_BY")[-1])
    methods = _split_methods(named, module.used_by)
    annotations: list[ast.expr] = []
    read: dict[tuple[int, ...], Definition] = {}  # `A, B = 1, 2` is read once
    for key, statements in named.items():
        same = tuple(map(id, statements))
        if same not in read:
            read[same] = _Reader(package, annotations).read_all(statements, methods.get(key, ()))
        module.definitions[key] = read[same]
    used = {chain for definition in read.values() for chain in definition.uses}
    used.update((name,) for name in _texts(named.get("__all__", ())))
    reader = _Reader(package, annotations)
    module.definitions[BARE] = reader.read_all(bare, used=used)
    if module.definitions[BARE].executed:  # or are some for annotations?
        names = {name.id for node in annotations for name in ast.walk(node) if isinstance(name, ast.Name)}
        names.update(*(re.findall(r"\w+", text) for text in _texts(annotations)))
        used.update((name,) for name in names)
        module.definitions[BARE] = reader.read_all([], used=used)
    return module


def _sorted(tree: ast.Module) -> tuple[dict[str, list[ast.stmt]], list[ast.stmt]]:
    """The statements of a module by the names that they define, and the bare ones."""
    named: dict[str, list[ast.stmt]] = {}
    bare: list[ast.stmt] = []
    for statement in tree.body:
        names = _defined(statement)
        for name in names:
            named.setdefault(name, []).append(statement)
        if not names:
            bare.append(statement)
    return named, bare


def _defined(statement: ast.stmt) -> list[str]:
    """The names that a statement defines; none if it does more than that."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign():
            nodes = [node for target in statement.targets for node in _flat(target)]
            names = [node.id for node in nodes if isinstance(node, ast.Name)]
            return names if len(names) == len(nodes) else []
    return []


def _flat(target: ast.expr) -> Iterator[ast.expr]:
    match target:
        case ast.Tuple() | ast.List():
            for part in target.elts:
                yield from _flat(part)
        case ast.Starred():
            yield from _flat(target.value)
        case _:
            yield target


def _table(statement: ast.stmt) -> dict[str, tuple[str, ...]]:
    assert isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
    return {str(key): tuple(methods) for key, methods in ast.literal_eval(statement.value).items()}


def _split_methods(named: dict[str, list[ast.stmt]], used_by: Collection[str]) -> dict[str, list[str]]:
    """Takes each `Class.method` of a table out of its class; of each class the keys of what was taken."""
    owned: dict[str, list[str]] = {}
    for key in used_by:
        owner, _, method = key.partition(".")
        for statement in named.get(owner, ()) if method else ():
            if isinstance(statement, ast.ClassDef):
                taken = [node for node in statement.body if method in _defined(node)]
                statement.body = [node for node in statement.body if node not in taken]
                named.setdefault(key, []).extend(taken)
                owned.setdefault(owner, []).append(key)
    return owned


def _texts(nodes: Iterable[ast.AST]) -> set[str]:
    """The strings in syntax trees."""
    parts = (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Constant))
    return {part.value for part in parts if isinstance(part.value, str)}


class _Reader:
    """Writes syntax trees down as text, and notes which names they use and import.

    Attributes:
      loads, stores: the names that the scope at hand uses and binds; shared: those that it declares global or nonlocal.
      imports: see `Definition`; dotted: `import a.b`, which binds `a`, as ("a", "b").
    """

    def __init__(self, package: str, annotations: list[ast.expr]) -> None:
        self.package = package
        self.annotations = annotations
        self.text: list[str] = []
        self.imports: dict[str, set[Target]] = {}
        self.dotted: set[Chain] = set()
        self.loads: set[Chain] = set()
        self.stores: set[str] = set()
        self.shared: set[str] = set()

    def read_all(
        self, statements: list[ast.stmt], methods: Collection[str] = (), used: Collection[Chain] = ()
    ) -> Definition:
        """The definition that statements are, with `methods` that stand elsewhere; `used`: names used elsewhere."""
        for statement in statements:
            self.read(statement)
        used = self.loads.union(used)
        roots = {chain[0] for chain in used}
        unused = {target for name, targets in self.imports.items() if name not in roots for target in targets}
        for chain in self.dotted:
            if not any(use[: len(chain)] == chain for use in used):
                unused.add((".".join(chain), ""))
        return Definition(
            hashlib.sha256("\0".join(self.text).encode()).hexdigest()[:16] if self.text else "",
            frozenset(self.loads.union((key,) for key in methods)),
            self.imports,
            frozenset(target for target in unused if not _is_standard(target[0])),
        )

    def read(self, node: ast.AST) -> None:
        _READ_AS[node.__class__](self, node)

    def plain(self, node: ast.AST) -> None:
        kind, values, write = node.__class__, node.__dict__, self.text.append
        write(kind.__name__)
        for name in _FIELDS[kind]:
            value = values.get(name)
            if value.__class__ is list:
                self.all(value)
            elif (how := _READ_AS.get(value.__class__)) is not None:
                how(self, value)
            else:
                write(repr(value))

    def all(self, nodes: Collection[Any]) -> None:
        self.text.append("[")
        for node in nodes:
            if (how := _READ_AS.get(node.__class__)) is not None:
                how(self, node)
            else:
                self.text.append(repr(node))
        self.text.append("]")

    @contextmanager
    def scope(self, binds: bool = True) -> Iterator[None]:
        """Inside, names are those of a scope of its own; what it does not bind belongs to the scopes around it."""
        around = self.loads, self.stores, self.shared
        self.loads, self.stores, self.shared = set(), set(), set()
        yield
        bound = self.stores - self.shared - self.imports.keys() if binds else set()
        free = {chain for chain in self.loads if chain[0] not in bound}.union((name,) for name in self.shared)
        self.loads, self.stores, self.shared = around
        self.loads |= free

    def name(self, node: ast.Name) -> None:
        self.text += ("Name", node.id)
        if isinstance(node.ctx, ast.Load):
            self.loads.add((node.id,))
        else:
            self.stores.add(node.id)

    def attribute(self, node: ast.Attribute) -> None:
        names = [node.attr]
        inner = node.value
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        names.reverse()
        self.text += ("Attribute", *names)
        if isinstance(inner, ast.Name):
            self.text.append(inner.id)
            self.loads.add((inner.id, *names))
        else:
            self.read(inner)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.stores.add(node.name)
        self.text += (node.__class__.__name__, node.name)
        self.all(node.decorator_list)
        if node.returns:
            self.annotations.append(node.returns)
        self.with_arguments(node.args, node.body)

    def with_arguments(self, made: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> None:
        """Defaults belong to the scope around a function."""
        self.all(made.defaults)
        self.all(made.kw_defaults)
        with self.scope():
            for arguments in (made.posonlyargs, made.args, [made.vararg], made.kwonlyargs, [made.kwarg]):
                present = [argument for argument in arguments if argument is not None]
                names = [argument.arg for argument in present]
                self.text.append(repr(names))
                self.stores.update(names)
                self.annotations += (argument.annotation for argument in present if argument.annotation)
            self.all(body)

    def class_(self, node: ast.ClassDef) -> None:
        self.stores.add(node.name)
        self.text += ("ClassDef", node.name)
        for nodes in (node.decorator_list, node.bases, node.keywords):
            self.all(nodes)
        with self.scope(binds=False):  # what a class binds its methods do not see
            self.all(node.body)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        first = node.generators[0]
        self.text.append(node.__class__.__name__)
        self.read(first.iter)
        with self.scope():
            self.read(first.target)
            self.all(first.ifs)
            self.all(node.generators[1:])
            self.all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    def binding(self, node: ast.AST) -> None:
        """What binds a name that the tree has as text: `except E as name`, `case name`."""
        for name in (getattr(node, "name", None), getattr(node, "rest", None)):
            if name is not None:
                self.stores.add(name)
        self.plain(node)

    def declaration(self, node: ast.Global | ast.Nonlocal) -> None:
        self.shared.update(node.names)
        self.plain(node)

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self.imports.setdefault(name, set()).add((alias.name if alias.asname else name, ""))
            if name != alias.name and not alias.asname:
                self.dotted.add(tuple(alias.name.split(".")))

    def import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level:
            package = self.package.split(".")
            module = ".".join([*package[: len(package) - node.level + 1], *([module] if module else [])])
        for alias in node.names:
            # No name uses "*"; so it counts as unused, and all of the module is taken.
            self.imports.setdefault(alias.asname or alias.name, set()).add((module, alias.name))

    def annotated_assignment(self, node: ast.AnnAssign) -> None:
        self.annotations.append(node.annotation)
        self.plain(node)

    def raise_(self, node: ast.Raise) -> None:
        self.text.append("Raise")
        if node.exc is not None:
            self.read(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)

    def assert_(self, node: ast.Assert) -> None:
        self.text.append("Assert")
        self.read(node.test)

    def expression(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant) and not _is_message(node.value):
            self.text.append("Expr")
            self.read(node.value)

    def if_(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in (getattr(node.test, "id", None), getattr(node.test, "attr", None)):
            self.plain(node)
        else:
            for statement in node.orelse:
                self.read(statement)

    def nothing(self, node: ast.Pass) -> None:
        pass


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_message(value: ast.expr) -> bool:
    """Whether an expression is `print(..., file=sys.stderr)`."""
    match value:
        case ast.Call(func=ast.Name(id="print"), keywords=[*keywords]):
            return any(keyword.arg == "file" and ast.unparse(keyword.value) == "sys.stderr" for keyword in keywords)
    return False


_KINDS = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
_FIELDS = {kind: tuple(name for name in kind._fields if name not in _UNREAD) for kind in _KINDS}
_READ_AS: dict[type, Callable[[_Reader, Any], None]] = dict.fromkeys(_KINDS, _Reader.plain) | {
    ast.Name: _Reader.name,
    ast.Attribute: _Reader.attribute,
    ast.FunctionDef: _Reader.function,
    ast.AsyncFunctionDef: _Reader.function,
    ast.Lambda: lambda reader, node: reader.with_arguments(node.args, [node.body]),
    ast.ClassDef: _Reader.class_,
    ast.ListComp: _Reader.comprehension,
    ast.SetComp: _Reader.comprehension,
    ast.DictComp: _Reader.comprehension,
    ast.GeneratorExp: _Reader.comprehension,
    ast.ExceptHandler: _Reader.binding,
    ast.MatchAs: _Reader.binding,
    ast.MatchStar: _Reader.binding,
    ast.MatchMapping: _Reader.binding,
    ast.AnnAssign: _Reader.annotated_assignment,
    ast.Global: _Reader.declaration,
    ast.Nonlocal: _Reader.declaration,
    ast.Import: _Reader.import_,
    ast.ImportFrom: _Reader.import_from,
    ast.Raise: _Reader.raise_,
    ast.Assert: _Reader.assert_,
    ast.Expr: _Reader.expression,
    ast.If: _Reader.if_,
    ast.Pass: _Reader.nothing,
}
