"""Near misses of operations: one more instruction after a valid program, which breaks one clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal as OneOf

from mmaspec.programs.base import Buffer, FromBuffer, Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    REDUCE_ROW_AND_COLUMN,
    Arithmetic,
    Combine,
    Convert,
    Negate,
    Operation,
    Reduce,
    Repeat,
    Transpose,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, NearMiss, form_of, in_forms
from mmaspec.strategies.nv_coopmat2.near_misses.edits import followed
from mmaspec.strategies.nv_coopmat2.near_misses.functions import ELEMENT_FUNCTIONS, REDUCE_MASKS
from mmaspec.strategies.nv_coopmat2.near_misses.listed import (
    Wrong,
    exchanged_sizes,
    has_pair,
    named_pair,
    not_halved,
    not_kept,
    other_conversion,
    other_reduced,
    other_turned,
    other_type,
    pairs,
)

Operator = OneOf["+", "-", "*", "/"]
Make = Callable[[str, str], Operation]
"""From the names of a source and a result, an operation between them."""
Two = tuple[Make, Wrong, str]


def between(context: DrawContext[CoopMatCaps], draft: Draft, wrong: Two) -> Draft | None:
    """An operation between two types that do not go together in one aspect."""
    make, rule, aspect = wrong
    found = pairs(context.caps, context.row.entry, rule, aspect)
    if not found:
        return None
    source, result = named_pair(context.choices.one_of(found))
    return followed(draft, make("x", "y"), matrices=(source, result))


def _between(words: str, make: Make, rule: Wrong, aspects: Mapping[str, str]) -> Iterator[Form]:
    for aspect, told in aspects.items():
        name = ": ".join(filter(None, (words, told)))
        yield form_of(between, (make, rule, aspect), name, possible=has_pair(rule, aspect))


def convert(source: str, result: str) -> Operation:
    """A conversion."""
    return Convert(result, source)


def transpose(source: str, result: str) -> Operation:
    """A transpose."""
    return Transpose(result, source)


def negate(source: str, result: str) -> Operation:
    """A negation."""
    return Negate(result, source)


def reduce(mask: int) -> Make:
    """A reduction of what the mask says."""
    return lambda source, result: Reduce(result, source, mask, Combine("max"))


def operator(op: Operator, odd: OneOf["left", "right", "result", "scalar"]) -> Make:
    """An operator on x of which y stands in one place."""

    def make(x: str, y: str) -> Operation:
        if odd == "scalar":
            return Arithmetic(y, x, op, Literal(1))
        names = {"left": x, "right": x, "result": x, odd: y}
        return Arithmetic(names["result"], names["left"], op, names["right"])

    return make


EXTENTS = {"rows": "rows differ", "cols": "columns differ"}
TYPES = {"component": "component differs", **EXTENTS, "use": "use differs"}

CONVERSIONS: Mapping[str, str] = MappingProxyType(
    {**EXTENTS, **{f"use {a} to {b}": f"use {a} to {b}" for a, b in ((0, 2), (1, 2), (0, 1), (1, 0))}}
)
TRANSPOSES: Mapping[str, str] = MappingProxyType(
    {**EXTENTS, "component": "component differs"}
    | {f"of use {use}": f"of use {use}" for use in (0, 1)}
    | {f"into use {use}": f"into use {use}" for use in (0, 2)}
)
REDUCTIONS: Mapping[str, str] = MappingProxyType(
    {"component": "component differs"}
    | {f"{way} use {use}": f"{way} use {use}" for way in ("of", "into") for use in (0, 1)}
)
OPERATORS: tuple[tuple[Operator, OneOf["left", "right", "result", "scalar"], tuple[str, ...]], ...] = (
    ("+", "result", ("component", "rows", "cols")),
    ("+", "left", ("use",)),
    ("-", "right", ("component",)),
    ("-", "result", ("use",)),
    ("*", "right", ("cols",)),
    ("/", "left", ("component",)),
    ("*", "scalar", ("component", "use")),
)
"""KHRCM-STORAGE: operator, which of its three matrices is of another type, and in what."""


def other_operands() -> Iterator[Form]:
    """The forms of KHRCM-STORAGE about operators."""
    yield from _between("negation", negate, other_type, TYPES)
    for op, odd, aspects in OPERATORS:
        place = "scalar, result" if odd == "scalar" else odd
        yield from _between(f"{op}, {place}", operator(op, odd), other_type, {name: TYPES[name] for name in aspects})


SHAPES: tuple[tuple[str, int, Wrong, Mapping[str, str]], ...] = (
    ("rows", REDUCE_ROW, not_kept, {"rows": "rows differ"}),
    ("columns", REDUCE_COLUMN, not_kept, {"cols": "columns differ"}),
    ("2x2", REDUCE_2X2, not_halved, {"rows": "rows not half", "cols": "columns not half"}),
)


def _shapes() -> Iterator[Form]:
    for words, mask, rule, aspects in SHAPES:
        yield from _between(words, reduce(mask), rule, aspects)
    yield form_of(same_size, "", "2x2: nothing halved")


def same_size(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """2x2 into a matrix of the same size."""
    c, d = (matrix.name for matrix in draft.program.matrices[2:4])
    return followed(draft, reduce(REDUCE_2X2)(c, d))


Scalar = tuple[Operator, bool, str, str]
"""Operator, whether the scalar stands first, what the matrix is, and what about it."""


def scalar_operator(_: DrawContext[CoopMatCaps], draft: Draft, wrong: Scalar) -> Draft:
    """A scalar beside + - or /."""
    op, scalar_first, which, how = wrong
    name = draft.program.matrices["ABC".index(which)].name
    if how == "from memory":
        scalar = FromBuffer("scalars", 16, "scalar")
        buffers = (*draft.program.buffers, Buffer("scalars", 64))
        return followed(draft, Arithmetic(name, name, op, scalar, scalar_first), buffers=buffers)
    step = Arithmetic(name, name, op, Literal(1), scalar_first)
    return followed(draft, Repeat(2, (step,)) if how == "in a loop" else step)


_SCALARS: tuple[Scalar, ...] = (
    ("+", False, "C", ""),
    ("+", True, "C", ""),
    ("-", False, "C", ""),
    ("-", True, "C", ""),
    ("/", False, "C", ""),
    ("/", True, "C", ""),
    ("+", False, "A", ""),
    ("+", False, "C", "from memory"),
    ("/", False, "C", "in a loop"),
)
SCALARS: Mapping[str, Scalar] = MappingProxyType(
    {
        ", ".join(filter(None, (f"1 {op} {which}" if first else f"{which} {op} 1", how))): (op, first, which, how)
        for op, first, which, how in _SCALARS
    }
)


def nameless_mask(_: DrawContext[CoopMatCaps], draft: Draft, mask: int) -> Draft:
    """A reduce mask without a name: no bit, or one beyond those that there are."""
    c, d = (matrix.name for matrix in draft.program.matrices[2:4])
    return followed(draft, reduce(mask)(c, d))


NAMELESS_MASKS = in_forms(nameless_mask, {f"mask {mask}": mask for mask in (0, 8, 9, 0x1_0003)})
"""NVCM2-ENUMS; clamp modes make others."""

OPERATION_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "KHRCM-ARITH-SCALAR": in_forms(scalar_operator, SCALARS),
        "NVCM2-CONVERT-TYPES": Forms(
            (
                *_between("", convert, other_conversion, CONVERSIONS),
                *_between("", convert, exchanged_sizes, {"exchanged": "rows and columns exchanged"}),
            )
        ),
        "NVCM2-TRANSPOSE-TYPES": Forms(tuple(_between("", transpose, other_turned, TRANSPOSES))),
        "NVCM2-REDUCE-USE": Forms(tuple(_between("", reduce(REDUCE_ROW_AND_COLUMN), other_reduced, REDUCTIONS))),
        "NVCM2-REDUCE-MASK": REDUCE_MASKS,
        "NVCM2-REDUCE-SHAPE": Forms(tuple(_shapes())),
        "NVCM2-PERELEM-SIG": ELEMENT_FUNCTIONS,
    }
)
"""Validity clause -> how to break just that one."""
