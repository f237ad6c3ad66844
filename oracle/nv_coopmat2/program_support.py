"""Whether a device's caps support the matrices and products of a program, all of them at once."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps_support import flexible_kind, listed, products
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, MulAdd
from mmaspec.programs.tree import unrolled


def unmatched(program: CoopMatProgram, caps: CoopMatCaps) -> bool:
    """Whether some matrix type, or some product of listed types, is listed nowhere."""
    for matrix in program.matrices:
        if matrix.use in (0, 1, 2) and not listed(caps, matrix) and not flexible_kind(caps, matrix):
            return True
    return any(
        isinstance(instruction, MulAdd) and _product_unlisted(program, caps, instruction)
        for _, instruction in unrolled(program)
    )


def _product_unlisted(program: CoopMatProgram, caps: CoopMatCaps, instruction: MulAdd) -> bool:
    a, b = program.matrix(instruction.a), program.matrix(instruction.b)
    c = program.matrix(instruction.result if instruction.c is None else instruction.c)
    if not all(listed(caps, matrix) for matrix in (a, b, c)):
        return False  # the types themselves are at fault already
    return next(products(caps, a, b, c), None) is None


def off_granularity(program: CoopMatProgram, caps: CoopMatCaps) -> bool:
    """Whether some size misses the multiples, or the maximum, of flexible properties of its kind."""
    return any(not listed(caps, matrix) and flexible_kind(caps, matrix) for matrix in program.matrices)


def by_workgroup(caps: CoopMatCaps) -> Iterator[tuple[int, CoopMatCaps]]:
    """Every number of invocations for which matrices of workgroup scope are listed, and the support with it."""
    counts = sorted({entry.invocations for entry in caps.flexible if entry.scope == "workgroup"})
    for count in counts or [0]:
        kept = tuple(entry for entry in caps.flexible if entry.scope != "workgroup" or entry.invocations == count)
        yield count, replace(caps, flexible=kept)


def beside(caps: CoopMatCaps, entry: Property) -> CoopMatCaps:
    """The support of a device for one program in workgroups of the size that a property needs."""
    if not isinstance(entry, FlexibleSize) or entry.scope != "workgroup":
        return caps
    return dict(by_workgroup(caps))[entry.invocations]


def workgroup_of(program: CoopMatProgram, caps: CoopMatCaps) -> int | None:
    """The number of invocations with which the whole program is supported; None where there is none."""
    for count, one in by_workgroup(caps):
        if not unmatched(program, one) and not off_granularity(program, one):
            return count
    return None
