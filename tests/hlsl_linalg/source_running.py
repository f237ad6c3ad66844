"""Programs of the text of 2025-09-19 on a device that supports what they use, and whether bytes are right."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_linalg import (
    SOURCE_CAPS,
    AtomicSum,
    Construction,
    LinalgProgram,
    MatrixProduct,
    OuterProductSupport,
    VectorProduct,
)

from . import by_hand

SOURCE = "2025-09-19"
ANY = ("F16", "F32", "I16", "I32", "U32", "PackedS8x32", "PackedU8x32")
CAPS = replace(
    SOURCE_CAPS,
    wave_sizes=(4, 8, 32),
    construction=tuple(Construction(component, 1, 4, 1) for component in ANY),
    products=tuple(
        MatrixProduct(*types, ((4, 4, 4),), group_threads=(4, 64))
        for types in (("F16", "F16", "F16"), ("F16", "F16", "F32"), ("I16", "I16", "I32"))
    ),
    vector_products=(
        VectorProduct("F16", "F16", "F32", ("F32",)),
        VectorProduct("I32", "PackedS8x32", "I32", ("I32",)),
    ),
    outer_products=(OuterProductSupport("F16", "F16"), OuterProductSupport("F32", "F32")),
    atomics=tuple(AtomicSum(component, True, True) for component in ANY[:5]),
)
"""A device that supports whatever these programs use."""


def checked(program):
    """The program, which the rules of this text let through."""
    assert (SPEC.rejected(program, CAPS), SPEC.undefined(program, CAPS)) == (frozenset(), frozenset())
    return program


def is_right(program, contents, left, readings=None):
    return by_hand.is_right(checked(program), contents, left, readings, revision=SOURCE)


def points(program, contents):
    return by_hand.points(checked(program), contents, revision=SOURCE)


def judged(program, contents):
    """Every element that is stored is judged."""
    return all(not region.legal.why.any() for region in by_hand.expected(program, contents, revision=SOURCE).regions)


BUFFERS = (Buffer("a", 1024, 16), Buffer("out", 1024, 16))


def one(matrix, *body, **fields):
    return LinalgProgram(fields.pop("buffers", BUFFERS), body, (matrix,), **fields)


def poison(program, buffer):
    """What a view holds where nobody writes."""
    held = by_hand.expected(program, {}, revision=SOURCE)
    (view,) = (each for each in program.buffers if each.name == buffer)
    return held.images[buffer][0, view.base : view.base + view.size].tobytes()


def written(program, buffer, *parts):
    found = bytearray(poison(program, buffer))
    for start, part in parts:
        found[start : start + len(part)] = part
    return bytes(found)


def shown(program, *parts, into="out"):
    return {into: written(program, into, *parts)}
