"""The changes that are made to a syntax tree. Each operator gives, for one node, everything it may become."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

Operator = Callable[[ast.AST], Iterator[ast.AST]]
"""Node -> what it may become; nothing where the operator does not apply. The node itself is left as it is."""

ARITHMETIC: tuple[type[ast.operator], ...] = (
    ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr,
)  # fmt: skip
SWAPPED: tuple[type[ast.operator], ...] = (ast.Sub, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)
"""Operators whose operands are in an order that matters."""
COMPARISONS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
ORDERLESS = frozenset({*EXTREMES, "isinstance", "super", "swapaxes"})
"""Functions of whose arguments an exchange means nothing, or is nobody's mistake."""
MODULES = frozenset({"np", "math", "self"})
"""Names before a dot that are no operand of what follows it."""


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def arithmetic(node: ast.AST) -> Iterator[ast.AST]:
    """Another arithmetic operator, in an expression or an augmented assignment; text is left alone."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC) and not (_text(node.left) or _text(node.right)):
        for other in ARITHMETIC:
            if not isinstance(node.op, other):
                yield ast.BinOp(node.left, other(), node.right)
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ARITHMETIC):
        for other in ARITHMETIC:
            if not isinstance(node.op, other):
                yield ast.AugAssign(node.target, other(), node.value)


def comparison(node: ast.AST) -> Iterator[ast.AST]:
    """Another comparison, one link of a chain at a time."""
    if isinstance(node, ast.Compare):
        for at, old in enumerate(node.ops):
            for other in COMPARISONS if isinstance(old, COMPARISONS) else ():
                if not isinstance(old, other):
                    yield ast.Compare(node.left, [*node.ops[:at], other(), *node.ops[at + 1 :]], node.comparators)


def constant(node: ast.AST) -> Iterator[ast.AST]:
    """An integer one larger or smaller; one with a minus sign as a whole."""
    sign, inner = 1, node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, inner = -1, node.operand
    if isinstance(inner, ast.Constant) and isinstance(inner.value, int) and not isinstance(inner.value, bool):
        yield ast.Constant(sign * inner.value + 1)
        yield ast.Constant(sign * inner.value - 1)


def swap(node: ast.AST) -> Iterator[ast.AST]:
    """The operands exchanged."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, SWAPPED) and ast.dump(node.left) != ast.dump(node.right):
        yield ast.BinOp(node.right, node.op, node.left)


def negation(node: ast.AST) -> Iterator[ast.AST]:
    """A condition negated: of a branch, a loop, a conditional expression, a comprehension."""
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield ast.If(_not(test), body, orelse)
        case ast.While(test=test, body=body, orelse=orelse):
            yield ast.While(_not(test), body, orelse)
        case ast.IfExp(test=test, body=one, orelse=other):
            yield ast.IfExp(_not(test), one, other)
        case ast.comprehension(target=target, iter=source, ifs=tests, is_async=waits):
            for at, test in enumerate(tests):
                yield ast.comprehension(target, source, [*tests[:at], _not(test), *tests[at + 1 :]], waits)


def _not(test: ast.expr) -> ast.expr:
    inner = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return test.operand if inner and isinstance(test, ast.UnaryOp) else ast.UnaryOp(ast.Not(), test)


def extreme(node: ast.AST) -> Iterator[ast.AST]:
    """``min`` for ``max``, ``max`` for ``min``, or one of two operands alone; the operand of ``clip`` unclipped."""
    if not isinstance(node, ast.Call):
        return
    name, args = called(node), node.args
    if name in EXTREMES and not any(isinstance(arg, ast.Starred) for arg in args):
        other = EXTREMES[name]
        function = node.func
        changed: ast.expr | None = ast.Name(other, ast.Load()) if isinstance(function, ast.Name) else None
        if isinstance(function, ast.Attribute):
            changed = ast.Attribute(function.value, other, ast.Load())
        if changed is not None:
            yield ast.Call(changed, args, node.keywords)
        if len(args) == 2:
            yield from args
    if name == "clip" and args:
        yield args[0]


def called(node: ast.Call) -> str:
    """The last name of what is called; empty for what has none."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def junction(node: ast.AST) -> Iterator[ast.AST]:
    """``and`` for ``or``, ``or`` for ``and``."""
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def argument(node: ast.AST) -> Iterator[ast.AST]:
    """Two neighbouring arguments exchanged."""
    if isinstance(node, ast.Call) and called(node) not in ORDERLESS:
        for args in _exchanged(node.args):
            yield ast.Call(node.func, args, node.keywords)


def subscript(node: ast.AST) -> Iterator[ast.AST]:
    """Two neighbouring subscripts exchanged."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        for parts in _exchanged(node.slice.elts):
            yield ast.Subscript(node.value, ast.Tuple(parts, ast.Load()), node.ctx)


def _exchanged(parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for at, (one, two) in enumerate(pairwise(parts)):
        if ast.dump(one) != ast.dump(two) and not isinstance(one, ast.Starred) and not isinstance(two, ast.Starred):
            yield [*parts[:at], two, one, *parts[at + 2 :]]


def early(node: ast.AST) -> Iterator[ast.AST]:
    """A function returns what its last operation was to work on: an operand, an argument, the receiver."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.BinOp):
        yield ast.Return(node.value.left)
        yield ast.Return(node.value.right)
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
        function = node.value.func
        if called(node.value) in {*EXTREMES, "clip", "cast"}:
            return
        if isinstance(function, ast.Attribute) and not _is_module(function.value):
            yield ast.Return(function.value)
        for arg in node.value.args:
            if not isinstance(arg, (ast.Starred, ast.Constant)):
                yield ast.Return(arg)


def _is_module(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in MODULES) or isinstance(node, ast.Call)


def deletion(node: ast.AST) -> Iterator[ast.AST]:
    """A statement left out: an assignment, or what is done on a condition.

    Whether the name of an assignment is bound without it is for `sites` to say.
    """
    if isinstance(node, (ast.Assign, ast.AugAssign)) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        yield ast.Pass()
    if isinstance(node, ast.If) and not all(isinstance(line, ast.Pass) for line in node.body):
        yield ast.If(node.test, [ast.Pass()], node.orelse)
    if isinstance(node, ast.If) and node.orelse and not isinstance(node.orelse[0], ast.If):
        yield ast.If(node.test, node.body, [])


OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        "arithmetic": arithmetic,
        "comparison": comparison,
        "constant": constant,
        "swap": swap,
        "negation": negation,
        "extreme": extreme,
        "junction": junction,
        "argument": argument,
        "subscript": subscript,
        "return": early,
        "deletion": deletion,
    }
)
"""Every operator by name."""
