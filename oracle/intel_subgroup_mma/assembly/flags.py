"""The operand flags of the instruction: SPIR-V integers have no sign, and a vector does not say what is packed in it.

A factor without the flag of its sign is unsigned (ISGMMA-AMB-04).
"""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.intel_subgroup_mma.caps import Form

FACTOR: dict[str, tuple[str, ...]] = {
    "i8": ("SignedComponents", "PackedInt8"),
    "u8": ("PackedInt8",),
    "i4": ("SignedComponents", "PackedInt4"),
    "u4": ("PackedInt4",),
    "f16": ("PackedFloat16",),
    "bf16": ("PackedBFloat16",),
}
"""Element of A or B -> what its flags say, in the companion's words."""

SUM: dict[str, tuple[str, ...]] = {"i32": (), "f32": (), "f16": (), "bf16": ("BFloat16",)}
"""The same of accumulator and result, whose types say the rest."""


def flags(form: Form) -> str:
    """The flags of a form's instruction, joined as the assembler takes them."""
    return "|".join(_flags(form))


def _flags(form: Form) -> Iterator[str]:
    said = (("A", FACTOR[form.a]), ("B", FACTOR[form.b]), ("C", SUM[form.acc]), ("Result", SUM[form.acc]))
    for matrix, words in said:
        yield from (f"Matrix{matrix}{word}INTEL" for word in words)
