"""Where a module can be changed: every node that an operator applies to, and what is left alone.

Left alone are annotations, decorators, the fields of classes, assertions, what is raised, imports, ``__all__`` and
all text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mmaspec.suites.score.mutants.operators import OPERATORS, called

ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of a module: it is found again by ``node``, ``operator`` and ``variant``."""

    operator: str
    node: int
    """Number of the node among those that may change, in the order of the text."""
    variant: int
    """Which of the things that the operator makes of it."""
    function: str
    """The function it is in, with its class; the assigned name for a module's constant."""
    line: int
    place: tuple[int, int, int, int]
    """First line and column, last line and column."""
    lines: tuple[int, ...]
    """The change can act only where one of these is executed; none for a module's constant."""
    before: str
    """The statement, of a compound one the head alone, unless it is changed as a whole."""
    after: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A node that may change."""

    node: ast.AST
    function: str
    at: ast.AST
    """What tells its lines: itself, for the most part."""
    within: ast.stmt
    """The statement it is in."""
    bound: bool = True
    """Whether, for an assignment, its name has a value without it."""
    constant: bool = False
    """Whether it belongs to a module's constant, which is computed on import."""


def mutations(source: str) -> Iterator[Mutation]:
    """Every change of a module's text."""
    nodes = list(_nodes(ast.parse(source)))
    single = {id(found.node) for found in nodes if found.bound and isinstance(found.node, ASSIGNMENTS)}
    for number, found in enumerate(nodes):
        for operator, change in OPERATORS.items():
            if operator == "deletion" and not found.bound:
                continue
            if found.constant and operator in ("subscript", "argument"):
                continue  # aliases of types look like these
            for variant, after in enumerate(change(found.node)):
                emptied = _emptied(found.node, after)
                if len(emptied) == 1 and id(emptied[0]) in single:
                    continue  # the statement is left out by itself as well
                yield Mutation(
                    operator, number, variant, found.function, _place(found.at)[0], _place(found.at),
                    () if found.constant else _lines(found.at),
                    *_said(found, after),
                )  # fmt: skip


def mutated(source: str, operator: str, node: int, variant: int) -> ast.Module:
    """The module with one change. Raises ``IndexError`` if there is none such."""
    tree = ast.parse(source)
    old = list(_nodes(tree))[node].node
    new = list(OPERATORS[operator](old))[variant]
    changed = _Exchange(old, new).visit(tree)
    assert isinstance(changed, ast.Module)
    return ast.fix_missing_locations(changed)


class _Exchange(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """What stands in the place of ``node``."""
        return self.new if node is self.old else self.generic_visit(node)


def _nodes(tree: ast.Module) -> Iterator[_Found]:
    """The nodes that may change, in the order of the text."""
    for line in tree.body:
        match line:
            case ast.FunctionDef():
                yield from _of_function(line, "")
            case ast.ClassDef():
                yield from _of_class(line, "")
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name != "__all__":
                yield from _within(value, name, line, constant=True)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=ast.expr() as value):
                if "TypeAlias" not in ast.dump(kind):
                    yield from _within(value, name, line, constant=True)


def _of_class(line: ast.ClassDef, outer: str) -> Iterator[_Found]:
    for inner in line.body:
        if isinstance(inner, ast.FunctionDef):
            yield from _of_function(inner, f"{outer}{line.name}.")


def _of_function(line: ast.FunctionDef, outer: str) -> Iterator[_Found]:
    name = f"{outer}{line.name}"
    arguments = line.args
    for default in (*arguments.defaults, *(value for value in arguments.kw_defaults if value is not None)):
        for found in _within(default, name, line):
            yield _Found(found.node, name, line.body[-1], line)  # it acts where the function is called
    given = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for inner in line.body:
        yield from _statement(inner, name, line, given, inner)


def _statement(
    line: ast.AST, function: str, whole: ast.FunctionDef, given: set[str], owner: ast.stmt
) -> Iterator[_Found]:
    """A statement and all in it; ``owner`` is the one it is in."""
    if isinstance(line, ast.FunctionDef):
        yield from _of_function(line, f"{function}.")
        return
    if isinstance(line, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.ClassDef, ast.pattern)):
        return
    if isinstance(line, ast.expr):
        yield from _within(line, function, owner)
        return
    if isinstance(line, ast.stmt):
        owner = line
        yield _Found(line, function, line, line, bound=_bound(line, whole, given))
    for part in _parts(line):
        yield from _statement(part, function, whole, given, owner)


def _within(value: ast.AST, function: str, owner: ast.stmt, *, constant: bool = False) -> Iterator[_Found]:
    """An expression and all in it; ``owner`` is the statement it is in."""
    at = value.target if isinstance(value, ast.comprehension) else value
    yield _Found(value, function, at, owner, constant=constant)
    for part in _parts(value):
        yield from _within(part, function, owner, constant=constant)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The children that may change."""
    negative = (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    )
    if isinstance(node, ast.JoinedStr) or negative:
        return
    if isinstance(node, ast.Call) and called(node) in {"isinstance", "cast"}:
        yield node.args[0 if called(node) == "isinstance" else -1]
        return
    if isinstance(node, ast.AnnAssign):
        yield node.target
        if node.value is not None:
            yield node.value
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.arguments)):
            yield child


def _emptied(node: ast.AST, after: ast.AST) -> list[ast.stmt]:
    """The side of a branch that a change leaves out."""
    if not isinstance(node, ast.If) or not isinstance(after, ast.If) or after.test is not node.test:
        return []
    return node.body if after.body is not node.body else node.orelse


def _bound(line: ast.stmt, whole: ast.FunctionDef, given: set[str]) -> bool:
    """Whether what a statement assigns has a value without it: an item, an attribute, a name bound above."""
    if not isinstance(line, (ast.Assign, ast.AnnAssign)):
        return True
    above = given | {name.id for name in _stored(whole) if name.lineno < line.lineno}
    targets = line.targets if isinstance(line, ast.Assign) else [line.target]
    return all(name.id in above for target in targets for name in _stored(target))


def _stored(node: ast.AST) -> Iterator[ast.Name]:
    """The names that are bound in a node."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner


def _place(node: ast.AST) -> tuple[int, int, int, int]:
    assert isinstance(node, (ast.expr, ast.stmt))
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _lines(node: ast.AST) -> tuple[int, ...]:
    """All lines of an expression; the first of a statement, and of a condition all."""
    first, _, last, _ = _place(node)
    if isinstance(node, (ast.If, ast.While)):
        return tuple(range(first, (node.test.end_lineno or first) + 1))
    return tuple(range(first, last + 1))


def _said(found: _Found, after: ast.AST) -> tuple[str, str]:
    """The statement of a change before and after it, each as one line."""
    old, within = found.node, found.within
    if old is within:
        return _whole(old), _whole(after)
    before = _head(within)
    _Exchange(old, after).visit(within)
    told = _head(within)
    _Exchange(after, old).visit(within)
    return before, told


def _head(line: ast.stmt) -> str:
    """A statement as one line, of a compound one the head."""
    match line:
        case ast.If() | ast.While() | ast.For() | ast.With() | ast.Match() | ast.FunctionDef():
            return ast.unparse(line).lstrip().splitlines()[0].removesuffix(":")
    return " ".join(ast.unparse(line).split())


def _whole(line: ast.AST) -> str:
    """A statement as one line, with all that is in it."""
    return " ".join(ast.unparse(line).split())


def readers(source: str) -> dict[str, set[int]]:
    """Name -> the lines of a module's functions in which it is read."""
    found: dict[str, set[int]] = {}
    for site in _nodes(ast.parse(source)):
        if isinstance(site.node, ast.Name) and not site.constant:
            found.setdefault(site.node.id, set()).add(site.node.lineno)
    return found


def constants_read(source: str) -> dict[str, set[str]]:
    """A module's constant -> the names that it is computed from."""
    found: dict[str, set[str]] = {}
    for site in _nodes(ast.parse(source)):
        if isinstance(site.node, ast.Name) and site.constant:
            found.setdefault(site.function, set()).add(site.node.id)
    return found
