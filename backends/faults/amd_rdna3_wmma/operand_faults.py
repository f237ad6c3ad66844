"""Counterfactuals about A and B: their packing, their copies, and what numbers their bits are."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults.amd_rdna3_wmma import operands
from mmaspec.backends.faults.amd_rdna3_wmma.operands import (
    ConstantsFill,
    CopiesInPart,
    FormatsChanged,
    HeldOnce,
    KOtherwise,
    NibblesInBytes,
    Order,
    TwoCopiesOfTwoParts,
)
from mmaspec.backends.faults.amd_rdna3_wmma.planted import ANY, Planted, over
from mmaspec.backends.faults.defects import wrong_sums as values
from mmaspec.backends.faults.planting import Deviating
from mmaspec.backends.numpy.amd_rdna3_wmma.device import Width


def _a(width: Width, order: Order) -> Deviating:
    return partial(KOtherwise, factor="a", width=width, order=order)


def _b(width: Width, order: Order) -> Deviating:
    return partial(KOtherwise, factor="b", width=width, order=order)


_16, _8, _4 = ("f16", "bf16"), ("iu8",), ("iu4",)

PACKING: tuple[Planted, ...] = (
    ("halves-of-b-swapped", "RDNA3-AB-PACK16", "the odd k of B were in the low halves",
     _b(16, operands.exchanged(1)), _16),
    ("low-halves-of-a-first", "RDNA3-AB-PACK16", "the first eight k of A were in the low halves",
     _a(16, operands.by_register(2)), _16),
    ("low-halves-of-b-first", "RDNA3-AB-PACK16", "the first eight k of B were in the low halves",
     _b(16, operands.by_register(2)), _16),
    ("registers-of-16-bit-a-reversed", "RDNA3-AB-PACK16", "the last VGPR of A had its first two k",
     _a(16, lambda k: k ^ 14), _16),
    ("constants-of-bf16-fill-low-halves", "RDNA3-AB-PACK16", "a constant bf16 filled low halves only",
     partial(ConstantsFill, slots=16, word=1), ("bf16",)),
    ("bytes-of-a-big-endian", "RDNA3-AB-PACK8", "k of A ascended from the high byte",
     _a(8, operands.reversed_in(4)), _8),
    ("half-words-of-a-exchanged", "RDNA3-AB-PACK8", "the first two k of each VGPR of A were in its high half",
     _a(8, operands.exchanged(2)), _8),
    ("bytes-of-a-by-register", "RDNA3-AB-PACK8", "k of A went round the VGPRs", _a(8, operands.by_register(4)), _8),
    ("constants-of-bytes-fill-low-bytes", "RDNA3-AB-PACK8", "a constant byte filled the lowest byte of each VGPR",
     partial(ConstantsFill, slots=4, word=1), _8),
    ("nibbles-of-a-big-endian", "RDNA3-AB-PACK4", "k of A ascended from the high nibble of a VGPR",
     _a(4, operands.reversed_in(8)), _4),
    ("nibbles-of-b-big-endian", "RDNA3-AB-PACK4", "k of B ascended from the high nibble of a VGPR",
     _b(4, operands.reversed_in(8)), _4),
    ("nibbles-of-a-exchanged", "RDNA3-AB-PACK4", "the first k of A in each byte were its high nibble",
     _a(4, operands.exchanged(1)), _4),
    ("nibbles-of-b-exchanged", "RDNA3-AB-PACK4", "the first k of B in each byte were its high nibble",
     _b(4, operands.exchanged(1)), _4),
    ("bytes-of-nibbles-of-a-reversed", "RDNA3-AB-PACK4", "the bytes of A were reversed in each VGPR, nibbles kept",
     _a(4, operands.exchanged(6)), _4),
    ("half-words-of-nibbles-of-b-exchanged", "RDNA3-AB-PACK4", "the halves of each VGPR of B were exchanged",
     _b(4, operands.exchanged(4)), _4),
    ("nibbles-of-a-by-register", "RDNA3-AB-PACK4", "even k of A were in the first VGPR, odd ones in the second",
     _a(4, operands.by_register(8)), _4),
    ("registers-of-nibbles-of-b-exchanged", "RDNA3-AB-PACK4", "the second VGPR of B had its first eight k",
     _b(4, operands.exchanged(8)), _4),
    ("nibbles-in-bytes", "RDNA3-AB-PACK4", "each byte held one element, in its low nibble", NibblesInBytes, _4),
    ("constants-of-nibbles-fill-low-nibbles", "RDNA3-AB-PACK4", "a constant filled the lowest nibble of each VGPR",
     partial(ConstantsFill, slots=2, word=1), _4),
    ("constants-of-nibbles-fill-bytes", "RDNA3-AB-PACK4", "a constant filled the low nibble of each byte",
     partial(ConstantsFill, slots=2, word=0x01010101), _4),
)  # fmt: skip
"""Elements in other bits."""

COPIES: tuple[Planted, ...] = (
    ("upper-lanes-hold-upper-k-of-a", "RDNA3-W32-REPLICATE", "lanes 16-31 held k = 8 to 15 of A, and a copy of B",
     partial(CopiesInPart, factor="a"), ("w32",)),
    ("upper-lanes-hold-upper-k-of-b", "RDNA3-W32-REPLICATE", "lanes 16-31 held k = 8 to 15 of B, and a copy of A",
     partial(CopiesInPart, factor="b"), ("w32",)),
    ("quarter-lanes-hold-quarter-k-of-b", "RDNA3-W64-REPLICATE", "every sixteen lanes held four further k of B",
     partial(CopiesInPart, factor="b"), ("w64",)),
    ("two-copies-in-wave64", "RDNA3-W64-REPLICATE", "lanes 16-31 and 48-63 held further k, and there were two copies",
     TwoCopiesOfTwoParts, ("w64",)),
    ("copies-held-once", "RDNA3-MEM-FREE", "A and B were held once, not by every lane",
     HeldOnce, ANY),
)  # fmt: skip
"""Lanes above 15 that hold something else."""

_SIGNED, _UNSIGNED = {"u4": "s4"}, {"s4": "u4"}

NUMBERS: tuple[Planted, ...] = (
    ("bf16-read-as-f16", "RDNA3-MMA", "shorts of A and B carried f16",
     partial(FormatsChanged, a={"bf16": "f16"}, b={"bf16": "f16"}), ("bf16",)),
    ("bf16-of-b-read-as-f16", "RDNA3-MMA", "shorts of B carried f16", partial(FormatsChanged, b={"bf16": "f16"}),
     ("bf16",)),
    ("f16-read-as-bf16", "RDNA3-MMA", "halves of A and B carried bf16",
     partial(FormatsChanged, a={"f16": "bf16"}, b={"f16": "bf16"}), ("f16",)),
    ("shorts-of-a-converted", "RDNA3-MMA", "shorts of A were integers", over(values.integers_for_codes, floats=True),
     ("bf16",)),
    ("bf16-accumulators-read-as-f16", "RDNA3-MMA", "shorts of C and D carried f16",
     partial(FormatsChanged, c={"bf16": "f16"}), ("acc-bf16",)),
    ("f16-accumulators-read-as-bf16", "RDNA3-MMA", "halves of C and D carried bf16",
     partial(FormatsChanged, c={"f16": "bf16"}), ("acc-f16",)),
    ("nibbles-of-a-always-signed", "RDNA3-IU-SIGN", "nibbles of A were signed whatever the flag",
     partial(FormatsChanged, a=_SIGNED), _4),
    ("nibbles-of-b-always-signed", "RDNA3-IU-SIGN", "nibbles of B were signed whatever the flag",
     partial(FormatsChanged, b=_SIGNED), _4),
    ("nibbles-of-a-never-signed", "RDNA3-IU-SIGN", "nibbles of A were unsigned whatever the flag",
     partial(FormatsChanged, a=_UNSIGNED), _4),
    ("nibbles-of-b-never-signed", "RDNA3-IU-SIGN", "nibbles of B were unsigned whatever the flag",
     partial(FormatsChanged, b=_UNSIGNED), _4),
    ("integers-never-signed", "RDNA3-IU-SIGN", "IU meant unsigned",
     partial(FormatsChanged, a={**_UNSIGNED, "s8": "u8"}, b={**_UNSIGNED, "s8": "u8"}), ("int",)),
)  # fmt: skip
"""Bits that are taken for other numbers."""
