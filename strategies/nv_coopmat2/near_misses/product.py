"""Near misses of matrices and products: types that a device does not list, alone or together, and storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps_support import COMPONENTS, flexible_kind, listed, products, same_kind
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    SATURATING,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    CoopMatProgram,
    Matrix,
    MulAdd,
    Splat,
    Storage,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, form_of, in_forms
from mmaspec.strategies.nv_coopmat2.builder.program import with_program
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, first, followed
from mmaspec.strategies.nv_coopmat2.near_misses.listed import listed_types, other_type

ROLES: Mapping[str, tuple[int, tuple[str, str]]] = MappingProxyType(
    {"A": (USE_A, ("M", "K")), "B": (USE_B, ("K", "N")), "C": (USE_ACCUMULATOR, ("M", "N"))}
)
"""Operand -> its use, and which sizes its rows and columns are."""


def of_row(row: Row[Any], role: str) -> Matrix:
    """The operand as the property of a row has it, in its smallest size."""
    entry = row.entry
    component, rows, cols = {
        "A": (entry.a, entry.m, entry.k),
        "B": (entry.b, entry.k, entry.n),
        "C": (entry.c, entry.m, entry.n),
    }[role]
    return Matrix("", component, rows, cols, ROLES[role][0], entry.scope)


def unlisted(caps: CoopMatCaps, matrix: Matrix, aspect: str) -> list[Matrix]:
    """The matrix with another component type, or other rows or columns, as no property lists it.

    Doubles have a form of their own.
    """
    if aspect == "component":
        new = [replace(matrix, component=kind) for kind in COMPONENTS if kind != "f64"]
        return [each for each in new if not any(same_kind(entry, each) for entry in caps.properties)]
    size = getattr(matrix, aspect)
    new = [replace(matrix, **{aspect: other}) for other in (size // 2, size * 2, size + 1, size + 8) if other]
    return [each for each in new if not listed(caps, each) and not flexible_kind(caps, each)]


def lone(context: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[str, str]) -> Draft | None:
    """One matrix more, which the device does not list."""
    role, aspect = wrong
    own = draft.program.matrices["ABC".index(role)]
    found = unlisted(context.caps, own, aspect)
    return followed(draft, matrices=(replace(context.choices.one_of(found), name="odd"),)) if found else None


def doubles(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """A matrix of doubles that is filled: no known device lists the type, so no other program has it."""
    return followed(draft, matrices=(replace(draft.program.matrices[2], name="odd", component="f64"),))


def _no_doubles(row: Row[Any], caps: Any) -> bool:
    matrix = replace(of_row(row, "C"), component="f64")
    return not any(same_kind(entry, matrix) for entry in caps.properties)


def _has_unlisted(role: str, aspect: str, row: Row[Any], caps: Any) -> bool:
    return bool(unlisted(caps, of_row(row, role), aspect))


def device_scope(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """Every matrix of the scope that no property has."""
    matrices = tuple(replace(matrix, scope="device") for matrix in draft.program.matrices)
    return with_program(draft, replace(draft.program, matrices=matrices))


def _elsewhere(draft: Draft, *matrices: Matrix) -> Draft:
    """The draft with matrices for a product, whose own result is filled, as the product goes elsewhere."""
    grown = followed(draft, matrices=matrices)
    own = Splat(first(draft, MulAdd).result, Literal(0))
    return with_program(grown, replace(grown.program, body=(own, *grown.program.body)))


def other_uses(_: DrawContext[CoopMatCaps], draft: Draft, wrong: str) -> Draft:
    """A product of other matrices of the draft; where an A or B is added, the result is one too."""
    a, b, c, d = (matrix.name for matrix in draft.program.matrices[:4])
    fields: dict[str, Any] = {
        "A twice": {"b": a},
        "B twice": {"a": b},
        "operands exchanged": {"a": b, "b": a},
        "an accumulator as A": {"a": c},
        "an accumulator as B": {"b": d},
        "A added": {"c": a, "result": "odd"},
        "B added": {"c": b, "result": "odd"},
    }[wrong]
    if wrong.endswith("added"):
        draft = _elsewhere(draft, replace(draft.program.matrices["AB".index(wrong[0])], name="odd"))
    return changed(draft, MulAdd, **fields)


USES = (
    "A twice",
    "B twice",
    "operands exchanged",
    "an accumulator as A",
    "an accumulator as B",
    "A added",
    "B added",
)


def mismatches(
    caps: CoopMatCaps, entry: Any, own: tuple[Matrix, Matrix, Matrix], role: str, aspect: str
) -> list[Matrix]:
    """Listed types for one operand that differ in the aspect alone and make the product one that no property has."""
    number = "ABC".index(role)
    found = []
    for other in listed_types(caps, entry):
        if other.use == own[number].use and other_type(replace(other, use=own[number].use), own[number]) == {aspect}:
            three = [*own[:number], other, *own[number + 1 :]]
            if next(products(beside(caps, entry), three[0], three[1], three[2]), None) is None:
                found.append(other)
    return found


def not_together(context: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[str, str]) -> Draft | None:
    """A product of matrices that are listed each, but not together."""
    role, aspect = wrong
    a, b, c = draft.program.matrices[:3]
    own = (a, b, c)["ABC".index(role)]
    found = mismatches(context.caps, context.row.entry, (a, b, c), role, aspect)
    if aspect != "component" and "flexible" in context.row.tags:
        # Where the operand is as large as the device has it, the other one has to be the larger.
        found = [each for each in found if getattr(each, aspect) > getattr(own, aspect)] or found
    if not found:
        return None
    other = replace(context.choices.one_of(found), name="odd")
    if role != "C":
        fields: dict[str, Any] = {role.lower(): "odd"}
        return changed(followed(draft, matrices=(other,)), MulAdd, **fields)
    total = replace(other, name="odd-result")
    return changed(_elsewhere(draft, other, total), MulAdd, c="odd", result="odd-result")


def _apart(role: str, aspect: str, row: Row[Any], caps: Any) -> bool:
    a, b, c = (of_row(row, each) for each in "ABC")
    return bool(mismatches(caps, row.entry, (a, b, c), role, aspect))


SIZES = ((("fixed",), "another"), (("flexible",), "a larger"))
"""Tags of rows, and what a form says of N and K, in which the fixed sizes of known devices differ: of multiples
each operand grows, so that either may be the larger."""


def caps_match() -> Iterator[Form]:
    """The forms of KHRCM-CAPS-MATCH."""
    for role, (_, extents) in ROLES.items():
        for aspect, word in (("component", "component"), ("rows", extents[0]), ("cols", extents[1])):
            words = f"no matrix with another {word} of {role} is listed"
            yield form_of(lone, (role, aspect), words, possible=partial(_has_unlisted, role, aspect))
            for rows, other in SIZES if word in ("N", "K") else (((), "another"),):
                words = f"no product with {other} {word} of {role} is listed"
                yield form_of(not_together, (role, aspect), words, rows, partial(_apart, role, aspect))
    yield from in_forms(other_uses, USES).forms
    yield form_of(doubles, "", "a matrix of doubles", possible=_no_doubles)
    yield form_of(device_scope, "", "device scope")


def saturation(_: DrawContext[CoopMatCaps], draft: Draft, how: str) -> Draft | None:
    """A product that saturates where it must not, or the other way round."""
    product = first(draft, MulAdd)
    turned = replace(product, operands=SATURATING - product.operands)
    if how == "without an addend":
        turned = replace(turned, c=None)
    if how == "second product":
        return followed(draft, turned)
    return changed(draft, MulAdd, operands=turned.operands, c=turned.c)


def _one_kind(row: Row[Any], caps: Any) -> bool:
    """Whether no other property has the row's product saturating the other way."""
    a, b, c = (of_row(row, each) for each in "ABC")
    return len({entry.saturating for entry in products(caps, a, b, c)}) == 1


def caps_saturation() -> Iterator[Form]:
    """The forms of KHRCM-CAPS-SAT."""
    for words, rows in (
        ("floats saturate", ("float",)),
        ("integers saturate", ("wraps",)),
        ("integers do not saturate", ("saturates",)),
    ):
        for how in ("", "without an addend", "second product"):
            yield form_of(saturation, how, ", ".join(filter(None, (words, how))), rows, _one_kind)


STORAGES: tuple[tuple[Storage, str], ...] = (
    ("shared", "A"),
    ("shared", "D"),
    ("uniform", "B"),
    ("buffer", "C"),
    ("in", "D"),
    ("out", "A"),
    ("out", "C"),
)
"""Where no matrix may be, and which matrix is there."""


def misplaced(_: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[Storage, str]) -> Draft:
    """A matrix that is no variable of its own."""
    where, which = wrong
    program: CoopMatProgram = draft.program
    number = "ABCD".index(which)
    matrices = tuple(replace(one, storage=where) if n == number else one for n, one in enumerate(program.matrices))
    return with_program(draft, replace(program, matrices=matrices))


def other_result(context: DrawContext[CoopMatCaps], draft: Draft, aspect: str) -> Draft | None:
    """A product assigned to a matrix of another type than its addend's."""
    c = draft.program.matrices[2]
    found = [each for each in listed_types(context.caps, context.row.entry) if other_type(each, c) == {aspect}]
    return _into(draft, context.choices.one_of(found)) if found else None


def _into(draft: Draft, other: Matrix) -> Draft:
    return changed(_elsewhere(draft, replace(other, name="odd")), MulAdd, result="odd")


def result_of_use(_: DrawContext[CoopMatCaps], draft: Draft, which: str) -> Draft:
    """A product assigned to an A or a B."""
    return _into(draft, draft.program.matrices["AB".index(which)])


def other_results() -> Iterator[Form]:
    """The forms of KHRCM-STORAGE about products."""
    for which in "AB":
        yield form_of(result_of_use, which, f"product into {'an' if which == 'A' else 'a'} {which}")
    for aspect in ("component", "rows", "cols"):
        yield form_of(other_result, aspect, f"product into other {aspect}", possible=partial(_has_other, aspect))


def _has_other(aspect: str, row: Row[Any], caps: Any) -> bool:
    return any(other_type(each, of_row(row, "C")) == {aspect} for each in listed_types(caps, row.entry))


def nameless_operands(_: DrawContext[CoopMatCaps], draft: Draft, bits: int) -> Draft:
    """Operands of a product that have no name, beside or in place of saturation."""
    return changed(draft, MulAdd, operands=bits)


def nameless_use(_: DrawContext[CoopMatCaps], draft: Draft, use: int) -> Draft:
    """One matrix more, of a use that has no name."""
    return followed(draft, matrices=(replace(draft.program.matrices[0], name="odd", use=use),))
