"""An instruction as the device carries it out: the call that it is, and what becomes of its operands first."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.instruction import VWmma
from mmaspec.programs.amd_rdna3_wmma.program import Wmma

LOW, HIGH = 0x8000, 0x80000000
"""The signs in the halves of a VGPR."""

WORDS = {
    "0.5": {"f32": 0x3F000000, "f16": 0x3800},
    "1.0": {"f32": 0x3F800000, "f16": 0x3C00},
    "2.0": {"f32": 0x40000000, "f16": 0x4000},
    "4.0": {"f32": 0x40800000, "f16": 0x4400},
    "1/(2*pi)": {"f32": 0x3E22F983, "f16": 0x3118},
}
"""Number and format of C -> what it is as an operand."""


class Modified(Wmma, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="wmma"):
    """A call of a builtin, changes of sign of its operands, and a constant in place of C."""

    a_signs: int = 0
    """The signs that change in each VGPR of A."""
    b_signs: int = 0
    c_absolute: bool = False
    c_negative: bool = False
    constant: int = 0
    """The word in each VGPR of a C that is no fragment."""


def as_call(step: VWmma, wave_size: int) -> Modified:
    """The call that an instruction is. D that is C keeps the halves that are not written, as tied builtins do."""
    _, _, result, shape, operands = step.opcode.split("_")
    narrow, integer = result in ("f16", "bf16"), result == "i32"
    tied = "_tied" if narrow and step.c == step.d else ""
    call = Modified(
        f"{result}_{shape}_{operands}{tied}_w{wave_size}",
        step.d,
        step.a,
        step.b,
        step.c,
        opsel=step.op_sel[2] if narrow else None,
        constant=word(step, result) if step.c is None else 0,
    )
    if integer:
        return replace(call, a_sign=step.neg_lo[0], b_sign=step.neg_lo[1], clamp=step.clamp)
    a_signs, b_signs = (LOW * low | HIGH * high for low, high in zip(step.neg_lo[:2], step.neg_hi[:2], strict=True))
    return replace(call, a_signs=a_signs, b_signs=b_signs, c_absolute=step.neg_hi[2], c_negative=step.neg_lo[2])


def word(step: VWmma, result: str) -> int:
    """An inline constant as a word: integers are extended by their sign, numbers are in the format of C."""
    if isinstance(step.inline, int):
        return step.inline & 0xFFFFFFFF
    sign = (LOW if result == "f16" else HIGH) if step.inline.startswith("-") else 0
    return sign | WORDS[step.inline.removeprefix("-")][result]
