"""Programs for blame in which all products have a flag of one of them: what an earlier one left on is then the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, VWmma, WmmaProgram

Change = Callable[[AnyWmma], AnyWmma | None]
"""From another product to the same with a flag of the blamed one; None where it has no such flag."""


def flags_alike(program: WmmaProgram, step: AnyWmma) -> Iterator[Ablation]:
    """Every group of flags that a product has, OPSEL apart, the same in all products."""
    if step.a_sign is not None:
        clause = "RDNA3-IU-CLAMP" if step.clamp else "RDNA3-IU-NOCLAMP"
        yield from alike(program, step, clause, "clamp", partial(_clamp, step))
        yield from alike(program, step, "RDNA3-IU-SIGN", "signs", partial(_signs, step))
    elif isinstance(step, VWmma):
        yield from alike(program, step, "RDNA3-FP-NEG", "changes of sign", partial(_changes_of_sign, step))
    if isinstance(step, VWmma) and step.c is None:
        yield from alike(program, step, "RDNA3-C-INLINE", "constant", partial(_constant, step))


def alike(program: WmmaProgram, step: AnyWmma, clause: str, says: str, given_to: Change) -> Iterator[Ablation]:
    """The program of which all products have those flags of one; none where they have them already.

    What goes away with it was left on by another product; what stays says nothing.
    """
    found = program
    for place, other, _ in tree.walk(program):
        if isinstance(other, AnyWmma) and other is not step and (new := given_to(other)) is not None and new != other:
            found = tree.replace(found, place, new)
    if found is not program:
        yield Ablation(clause, found, clears=False, others=True, says=words(says))


def words(flags: str) -> str:
    """What was changed."""
    return f"its {flags} in all other calls"


def _clamp(step: AnyWmma, other: AnyWmma) -> AnyWmma | None:
    return None if other.a_sign is None else replace(other, clamp=step.clamp)


def _signs(step: AnyWmma, other: AnyWmma) -> AnyWmma | None:
    if other.a_sign is None:
        return None
    if isinstance(other, VWmma):
        return replace(other, neg_lo=(bool(step.a_sign), bool(step.b_sign), other.neg_lo[2]))
    return replace(other, a_sign=step.a_sign, b_sign=step.b_sign)


def _changes_of_sign(step: VWmma, other: AnyWmma) -> AnyWmma | None:
    if not isinstance(other, VWmma) or other.integer:
        return None
    return replace(other, neg_lo=step.neg_lo, neg_hi=step.neg_hi)


def _constant(step: VWmma, other: AnyWmma) -> AnyWmma | None:
    """Numbers are for the formats that have them: only products with the same format of C get it."""
    if not isinstance(other, VWmma) or other.c is not None or other.result != step.result:
        return None
    return replace(other, inline=step.inline)
