"""Reads Python files as definitions: what each says and which names it uses. Nothing is imported or executed.

A definition is a function, a class or a constant at the top level of a module. All else that a module does when it is
imported (a call, `if`, `for`, `with`, `x += 1`, `x.y = 1`) is one definition without a name: its bare statements.

What changes no result is not read: comments, layout, docstrings and other constants that stand alone, annotations, the
arguments of `raise`, the message of `assert`, `print(..., file=sys.stderr)`, `if TYPE_CHECKING:`.

A name counts as used wherever it is read, also where a local variable of that name is meant. So a use may be seen that
is none, and none is overlooked.
"""

import ast
import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

BARE = ""
# What `import` binds a name to: a module, and the name in it, "" for the module itself, "*" for all of it.
Target = tuple[str, str]
# A name and the attributes that follow it: `layout.N_TILES` is ("layout", "N_TILES").
Chain = tuple[str, ...]


class Definition(NamedTuple):
    """A definition of a module.

    Attributes:
      digest: a hash of its syntax tree; "" if it says nothing.
      uses: the names that it uses.
      imports: what its own imports bind, by name.
    """

    digest: str
    uses: frozenset[Chain]
    imports: dict[str, set[Target]]


class Module(NamedTuple):
    """A file, read.

    Attributes:
      definitions: by name; `Class.method` for the methods that `used_by` names; the bare statements under `BARE`.
      executed: the modules that it imports for what importing them does: it names nothing of them.
      used_by: its table `USED_BY`: the definitions that only some methods use, and which.
    """

    definitions: dict[str, Definition]
    executed: set[str]
    used_by: dict[str, tuple[str, ...]]


def read_module(source: bytes, name: str, is_package: bool) -> Module:
    """Reads the source of a module.

    Raises:
      SyntaxError: it is no Python.
      ValueError: its table `USED_BY` is no literal.
    """
    parts: dict[str, list[ast.stmt]] = {BARE: []}
    for statement in ast.parse(source).body:
        for part in _defined(statement) or [BARE]:
            parts.setdefault(part, []).append(statement)
    reader = _Reader(name if is_package else name.rpartition(".")[0])
    used_by: dict[str, tuple[str, ...]] = {}
    for table in parts.pop("USED_BY", []):
        assert isinstance(table, ast.Assign | ast.AnnAssign) and table.value is not None
        used_by = ast.literal_eval(table.value)
    for owner, _, method in (key.partition(".") for key in used_by):
        for class_ in parts.get(owner, []) if method else []:
            assert isinstance(class_, ast.ClassDef)
            parts |= {f"{owner}.{method}": [node] for node in class_.body if method in _defined(node)}
            class_.body = [node for node in class_.body if method not in _defined(node)]
    definitions = {
        part: reader.read(statements, [key for key in parts if key.startswith(f"{part}.")])
        for part, statements in parts.items()
    }
    roots = {chain[0] for definition in definitions.values() for chain in definition.uses}
    imports = [item for definition in definitions.values() for item in definition.imports.items()]
    unused = {target for name, targets in imports if name not in roots for target in targets}
    executed = reader.dotted.union(".".join(filter(None, target)) for target in unused)
    return Module(definitions, executed, used_by)


def _defined(statement: ast.stmt) -> list[str]:
    """The names that a statement defines; none if it does more than that."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign():
            nodes = [node for target in statement.targets for node in ast.walk(target)]
            if not any(isinstance(node, ast.Attribute | ast.Subscript) for node in nodes):
                return [node.id for node in nodes if isinstance(node, ast.Name)]
    return []


class _Reader(ast.NodeTransformer):
    """Takes out of syntax trees what is not read, and notes which names they use and import.

    Attributes:
      uses, imports: those of the definition at hand.
      dotted: what the module's `import a.b` import, which bind `a` alone.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.uses: set[Chain] = set()
        self.imports: dict[str, set[Target]] = {}
        self.dotted: set[str] = set()

    def read(self, statements: list[ast.stmt], parts: Iterable[str]) -> Definition:
        """The definition that statements are, with `parts` of it that are definitions of their own."""
        self.uses, self.imports = {(part,) for part in parts}, {}
        tree = self.visit(ast.Module(statements, []))
        text = ast.dump(tree) if tree.body else ""
        digest = hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""
        return Definition(digest, frozenset(self.uses), self.imports)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            self.uses.add((node.id,))
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        self.uses.update((name,) for name in node.names)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        names: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            names.insert(0, inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            return self.generic_visit(node)
        self.uses.add((inner.id, *names))
        return node

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.imports.setdefault(alias.asname or top, set()).add((alias.name if alias.asname else top, ""))
            if not alias.asname and top != alias.name:
                self.dotted.add(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level:
            package = self.package.split(".")
            module = ".".join([*package[: len(package) - node.level + 1], *([module] if module else [])])
        for alias in node.names:
            self.imports.setdefault(alias.asname or alias.name, set()).add((module, alias.name))
            if alias.name == "*":  # any name may be of that module: all of it counts
                self.uses.add(("*",))

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        node.exc = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        node.cause = None
        return self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.msg = None
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) or _is_message(node.value) else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if "TYPE_CHECKING" in (getattr(node.test, "id", None), getattr(node.test, "attr", None)):
            node.test, node.body = ast.Constant(None), []
        return self.generic_visit(node) if node.body or node.orelse else None

    def visit_Pass(self, node: ast.Pass) -> None:
        pass


def _is_message(value: ast.expr) -> bool:
    """Whether an expression is `print(..., file=sys.stderr)`."""
    match value:
        case ast.Call(func=ast.Name(id="print"), keywords=[*keywords]):
            return any(keyword.arg == "file" and ast.unparse(keyword.value) == "sys.stderr" for keyword in keywords)
    return False
