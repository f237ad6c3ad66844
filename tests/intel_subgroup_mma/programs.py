"""Programs for tests: one call of one function, its matrices loaded from a buffer each."""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.programs.base import Affine, Buffer, Index, RunTime
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import (
    Fill,
    Fragment,
    Load,
    Mad,
    MadProgram,
    Repeat,
    Store,
)

HOLDS = {"i8": "s8", "i4": "s4", "i32": "s32"}
"""Elements that the functions' names spell otherwise than the formats."""


def named(signature: Signature) -> str:
    """The ID of a test of one function."""
    return f"n{signature.size}-{signature.form}-m{signature.rows}"


def function(size: int, form: str, rows: int) -> Signature:
    """One of the 88."""
    return next(one for one in signatures() if (one.size, one.form, one.rows) == (size, form, rows))


def caps_of(signature: Signature) -> Caps:
    """A device that has the function."""
    return Caps(signature.size, FORMS_OF[signature.size])


def fragments(signature: Signature) -> tuple[Fragment, Fragment, Fragment]:
    """A, B and accumulator of one function."""
    form = FORMS[signature.form]
    vectors = (("a", "a", form.a, signature.a), ("b", "b", form.b, signature.b), ("acc", "cd", form.acc, signature.acc))
    a, b, acc = (Fragment(name, use, HOLDS.get(what, what), *vector) for name, use, what, vector in vectors)  # type: ignore[arg-type]
    return a, b, acc


def product(signature: Signature, waves: int = 1) -> MadProgram:
    """``out = a * b + acc``: every matrix in a buffer of its own, one block a sub-group."""
    held = fragments(signature)
    sizes = {fragment.name: waves * signature.size * fragment.vector_bytes for fragment in held}
    loads = tuple(Load(fragment.name, f"in_{fragment.name}", data=fragment.name.upper()) for fragment in held)
    buffers = tuple(Buffer(f"in_{name}", size) for name, size in sizes.items())
    return MadProgram(
        sub_group_size=signature.size,
        buffers=(*buffers, Buffer("out", sizes["acc"])),
        fragments=held,
        body=(*loads, Mad(signature.function, "acc", "a", "b", "acc"), Store("acc", "out")),
        waves=waves,
    )


BLOCKS: tuple[Index, ...] = (
    0,
    5,
    Affine(2, wave=3),
    Affine(1, loop=4),
    Affine(1, wave=2, loop=8),
    Affine(3, wave=1, grid=2, row=10),
    Affine(0, grid=3, row=2, loop=1),
    RunTime("words", 8),
)
"""Block numbers of every kind."""


def everything() -> MadProgram:
    """A kernel with all kinds of statements: its only loop loads from blocks of each kind."""
    fragments = (
        Fragment("x", "a", "u4", "ushort", 4),
        Fragment("b", "b", "s4", "int", 8, fill=0x9),
        Fragment("acc", "cd", "s32", "int", 4, fill=0xFFFFFFFF),
        Fragment("half", "cd", "f16", "half", 2, fill=0x3C00),
        Fragment("f a", "a", "f16", "short", 2, fill=0x4000),
        Fragment("f b", "b", "f16", "int", 8),
        Fragment("float", "cd", "f32", "float", 1),
    )
    body = (
        Repeat(2, tuple(Load("x", "x", block, "A\nof pass") for block in BLOCKS)),
        Mad("u4_i4_matrix_mad_k64", "acc", "x", "b", "acc"),
        Mad("u4_i4_matrix_mad_k64", "acc", "x", "b"),
        Fill("f b", 0x3C00),
        Mad("f16_f16_matrix_mad_k16", "half", "f a", "f b", "half"),
        Mad("f16_f16_matrix_mad_k16", "half", "f a", "f b"),
        Fill("float", 0x7F800001),
        Store("float", "%out", 1),
        Store("half", "%out"),
        Store("acc", "x", Affine(64, wave=1)),
    )
    return MadProgram(16, (Buffer("x", 1 << 16), Buffer("%out", 256), Buffer("words", 16)), fragments, body, waves=5)
