"""Chains: what makes a matrix, changes it and uses it, where two operations meet that the text of 2025-09-19 alone has.

A chain is a line such as ``Accumulator wave: outer operator sum``. Its first word gives the matrix its content, those
between change it, and the last one uses it. A program has several chains, and one row is enough for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.earlier.links import Links, listed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import SCOPES, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER

PROGRAM = "chains"
"""The axis of a case: which program it has."""
SPEC = "hlsl-linalg"
BATCH = 2


class Program(NamedTuple):
    """Chains of one component type, and the data that suit them."""

    types: tuple[ComponentType, ...]
    """The first of these of which the device can have all chains, or else most of them."""
    regime: str
    chains: tuple[str, ...]


_FLOATS: tuple[ComponentType, ...] = ("F32", "F16")
_SIGNED: tuple[ComponentType, ...] = ("I32", "I16")
_UNSIGNED: tuple[ComponentType, ...] = ("U16", "U32")

PROGRAMS: Mapping[str, Program] = {
    "added-to-memory": Program(("I32", *_FLOATS), "small", (
        "accumulator wave: load operator sum",
        "accumulator group: load unary sum",
        "accumulator wave: load square-sum sum",
        "accumulator wave: outer sum",
        "accumulator wave: load operator array-sum",
        "accumulator wave: load unary array-sum",
        "accumulator wave: load square-sum array-sum",
        "accumulator wave: outer array-sum",
    )),
    "arrays": Program((*_FLOATS, *_SIGNED), "window", (
        "a wave: load operator array-store",
        "b wave: load unary array-store",
        "accumulator group: load square-sum array-store",
        "accumulator wave: outer array-store",
        "a wave: vectors array-store",
        "b wave: array-load operator store",
        "a wave: array-load unary store",
        "accumulator wave: array-load square-sum store",
        "b wave: array-load vectors",
    )),
    "square-sums": Program((*_FLOATS, *_SIGNED), "window", (
        "accumulator wave: load square-sum operator store",
        "accumulator group: load square-sum unary store",
        "accumulator wave: load operator square-sum store",
        "accumulator wave: load unary square-sum store",
        "accumulator group: load square-sum cast store",
        "accumulator wave: load cast square-sum store",
        "accumulator wave: load square-sum overwritten",
        "accumulator wave: load square-sum nothing",
        "accumulator wave branch-all: load square-sum store",
        "accumulator group: load square-sum-again store",
    )),
    "operands": Program((*_FLOATS, *_SIGNED), "window", (
        "a wave: load operator operand",
        "b wave: load unary operand",
        "a wave: load cast operand",
        "b wave: vectors operand",
        "a wave: array-load operand",
        "accumulator wave: outer unary store",
        "accumulator wave: outer accumulate store",
        "accumulator wave: product unary accumulate store",
        "accumulator group large: load square-sum store",
    )),
    "vectors": Program((*_FLOATS, *_SIGNED), "window", (
        "a wave: load operator vectors",
        "b wave: load unary vectors",
        "a wave: load cast vectors",
        "b wave: splat vectors",
        "a wave: vectors nothing",
        "b wave: load vectors-nothing",
        "a wave: load vectors-overwritten",
        "a wave: vectors overwritten",
        "b wave: load vectors-bias",
        "a wave: load vectors-far",
        "b wave branch-waves: load vectors",
        "a wave: product-vectors store",
        "accumulator wave: product-outer store",
    )),
    "signed-ends": Program(_SIGNED, "small", (
        "accumulator wave: lowest square-sum-up store",
        "b wave: lowest-of-long store",
        "accumulator wave: highest square-sum-down store",
        "accumulator group: zero square-sum store",
    )),
    "unsigned-ends": Program(_UNSIGNED, "small", (
        "accumulator wave: high square-sum-up store",
    )),
    "specials": Program(_FLOATS[::-1], "specials", (
        "accumulator wave: load square-sum store",
        "accumulator group: load square-sum store",
        "b wave: load operator-nan store",
    )),
    "subnormals": Program(_FLOATS, "subnormal", (
        "accumulator wave: load square-sum store",
    )),
    "signed-bytes": Program(("PackedS8x32",), "distinct", (
        "a wave: load unary store",
        "accumulator group: load unary store",
    )),
    "unsigned-bytes": Program(("PackedU8x32",), "distinct", (
        "b wave: load unary store",
        "accumulator wave: load unary store",
    )),
}  # fmt: skip
"""Name -> program."""


def built(context: DrawContext[LinalgCaps], chosen: Chosen) -> Draft | None:
    """The program that is chosen, in the row's type; chains that the device cannot have are left out."""
    program = PROGRAMS[chosen[PROGRAM]]
    shop = Workshop(context, 2)
    whole = [line for line in program.chains if _added(shop, line)]
    return shop.draft(program.regime, BATCH) if whole else None


def _added(shop: Workshop, line: str) -> bool:
    """Whether a chain could be added; what is left of one that could not is taken out again."""
    before = len(shop.body), len(shop.b.matrices), len(shop.b.vectors), len(shop.b.arrays)
    kind, words = line.split(": ")
    use, scope, *how = kind.split()
    flow = next((one for one in how if one.startswith("branch")), "straight")
    component: ComponentType = shop.context.row.entry.answer.component
    links = Links(shop, component, USES[use], SCOPES[scope], large="large" in how)
    outer = shop.body
    try:
        with shop.around(flow):
            links.added(words.split())
    except CannotBeMade:
        shop.body = outer
        growing: tuple[list[Any], ...] = (shop.body, shop.b.matrices, shop.b.vectors, shop.b.arrays)
        for made, count in zip(growing, before, strict=True):
            del made[count:]
        return False
    return True


def possible(caps: LinalgCaps, component: ComponentType, chains: Iterable[str]) -> int:
    """How many chains the device lists the products and sums for."""
    return sum(all(listed(caps, component, word) for word in line.split(": ")[1].split()) for line in chains)


@lru_cache(maxsize=256)
def _row(caps: LinalgCaps, name: str) -> str | None:
    """The row of a program: of the types it may have that of which the device can make most chains."""
    program = PROGRAMS[name]
    rows: tuple[Row[Any], ...] = tuple(spec_named(SPEC).rows(caps))
    found = {row.entry.answer.component: row.name for row in rows if {"matrix", EARLIER} <= row.tags}
    types: list[ComponentType] = [one for one in program.types if found.get(one)]
    if not types:
        return None
    return found[max(types, key=lambda one: possible(caps, one, program.chains))]


def _fits(row: Row[Any], caps: Any, axis: str, name: str) -> bool:
    return axis != PROGRAM or _row(caps, name) == row.name


CHAINS = Array(
    name="chains",
    focus=("LINALG-ELEMWISE", "LINALG-UNARY", "LINALG-SUMACC", "LINALG-FROMVEC", "LINALG-GETVEC"),
    axes={PROGRAM: tuple(PROGRAMS)},
    build=built,
    rows=("matrix",),
    fits=_fits,
)
"""Each program once."""
