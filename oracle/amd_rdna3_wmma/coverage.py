"""Coverage points: the clauses that an executed instruction carries out, and in which circumstance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fill, Fragment, VWmma, WmmaProgram
from mmaspec.programs.base import Place

PACKED = {16: "RDNA3-AB-PACK16", 8: "RDNA3-AB-PACK8", 4: "RDNA3-AB-PACK4"}
"""Bits of an element of A and B -> the clause of how registers hold them."""

OPERAND_BITS = {"f16": 16, "bf16": 16, "iu8": 8, "iu4": 4}
"""Format of A and B, as builtins' names have it -> bits of an element."""

_LAYOUTS = {32: ("RDNA3-CD-W32", "RDNA3-W32-REPLICATE"), 64: ("RDNA3-CD-W64", "RDNA3-W64-REPLICATE")}
"""Wave size -> the clauses of where accumulators stand and of how often operands do."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Fragments whose elements are all one constant: name -> bits, and those that have had it from the start."""

    filled: Mapping[str, int]
    declared: Set[str]


def of_load(place: Place) -> tuple[str, ...]:
    """RDNA3-MEM-FREE, and RDNA3-TILE in a loop."""
    return ("RDNA3-MEM-FREE/load", *(("RDNA3-TILE/load",) if len(place.path) > 1 else ()))


def of_fill(step: Fill, fragment: Fragment) -> tuple[str, ...]:
    """RDNA3-ZERO-C for an addend of zeros, else RDNA3-MEM-FREE; for operands the packing (RDNA3-AB-PACK16, ...) too."""
    if fragment.use == "cd":
        return ("RDNA3-ZERO-C/fill",) if step.bits == 0 else ("RDNA3-MEM-FREE/fill",)
    packed = PACKED.get(fragment.element_bits)
    return ((f"{packed}/fill",) if packed is not None else ()) + ("RDNA3-MEM-FREE/fill",)


def of_store() -> tuple[str, ...]:
    """RDNA3-MEM-FREE and RDNA3-STORE-ONLY."""
    return ("RDNA3-MEM-FREE/store", "RDNA3-STORE-ONLY")


def of_wmma(
    program: WmmaProgram, step: AnyWmma, builtin: Builtin, place: Place, constants: Constants
) -> tuple[str, ...]:
    """The register layouts, the arithmetic, and where the addend comes from; of an instruction its modifiers."""
    accumulators, copies = _LAYOUTS[program.wave_size]
    points = [accumulators, "RDNA3-CD-NOREP", copies, "RDNA3-AB-ROWCOL", PACKED[OPERAND_BITS[builtin.operand]]]
    if builtin.halves:
        points += _of_halves(step, builtin)
    if builtin.integer:
        signs = "".join("s" if sign else "u" for sign in (step.a_sign, step.b_sign))
        points += [f"RDNA3-IU-SIGN/{signs}", "RDNA3-IU-ACC", "RDNA3-IU-DOT-RANGE"]
        points.append("RDNA3-IU-CLAMP" if step.clamp else "RDNA3-IU-NOCLAMP")
    else:
        points.append("RDNA3-FP-ACC")
    if step.c == step.d:
        points.append("RDNA3-INPLACE")
    filled = constants.filled
    inline = step.inline if isinstance(step, VWmma) else 0
    if step.c is None and inline == 0:
        points.append("RDNA3-ZERO-C/literal")
    elif step.c is not None and filled.get(step.c) == 0 and step.c in constants.declared:
        points.append("RDNA3-ZERO-C/declared")
    if isinstance(step, VWmma):
        points += _of_modifiers(step)
    if len(place.path) > 1:
        points.append("RDNA3-TILE/pass")
    return (*points, "RDNA3-MMA")


def _of_modifiers(step: VWmma) -> Iterator[str]:
    """RDNA3-FP-NEG for each bit that is set, RDNA3-C-INLINE by the kind of constant."""
    if not step.integer:
        for bits, half in ((step.neg_lo, "low"), (step.neg_hi, "high")):
            yield from (f"RDNA3-FP-NEG/{name}-{half}" for name, bit in zip("ab", bits[:2], strict=True) if bit)
        if step.neg_hi[2]:
            yield "RDNA3-FP-NEG/c-absolute"
        if step.neg_lo[2]:
            yield "RDNA3-FP-NEG/c-negative"
    if step.c is None:
        yield f"RDNA3-C-INLINE/{'integer' if isinstance(step.inline, int) else 'number'}"


_HALVES = {
    False: ("RDNA3-CD-UNPACKED", "RDNA3-OPSEL-LOW", "RDNA3-OPSEL-SLOT/low"),
    True: ("RDNA3-CD-UNPACKED", "RDNA3-OPSEL-HIGH", "RDNA3-OPSEL-SLOT/high"),
}
"""OPSEL -> where 16-bit C and D stand in their registers."""
_BESIDE = {False: "RDNA3-OPSEL-OTHER/low", True: "RDNA3-OPSEL-OTHER/high"}
"""OPSEL -> what a tied builtin keeps beside them."""


def _of_halves(step: AnyWmma, builtin: Builtin) -> tuple[str, ...]:
    """What is about 16-bit C and D alone."""
    opsel = bool(step.opsel)
    return (*_HALVES[opsel], _BESIDE[opsel]) if builtin.tied else _HALVES[opsel]
