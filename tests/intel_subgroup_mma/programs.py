"""Programs for tests: one call of one function, its matrices loaded from a buffer each."""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.programs.base import Buffer
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Load, Mad, MadProgram, Store

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
