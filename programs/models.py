"""Complete arithmetics, as data: under one of them a legal set is a single value.

`mmaspec.oracle.numerics.definition.models` defines what a model answers, one element at a time, and `bulk.models`
beside it gives the same for whole batches. The numpy backend has arithmetic units of its own, which share no code
with these on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

MAX_KEPT_BITS = 40
"""Fraction bits that a fused block may keep: its sums then stay exact in float64 (see `numerics.bulk.models`)."""

MAX_PRODUCTS = 1024
"""Products that a fused block may add at once, for the same reason."""

BLOCK_MODES = (Mode.NEAREST_EVEN, Mode.TOWARD_ZERO, Mode.DOWN, Mode.UP)
"""Modes in which a block's sum may be rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedBlock:
    """Blocks of products and the running sum, each block added as one, as tensor cores do.

    The terms of a block are aligned on the largest exponent among them, cut toward zero to `kept_fraction_bits` below
    it, added exactly, and the sum is rounded once into the accumulator's format. The exponent of a product is the sum
    of its operands' exponents, unnormalised; a subnormal has that of the smallest normal. Blocks follow one another
    in the order of k; the last may be short. NaN and Inf are as IEEE 754 has them.

    products             products in a block, 1 to 1024
    kept_fraction_bits   f, 1 to 40
    operands             names of the formats that A and B may have, each on its own
    roundings            accumulator's format and rounding mode into it. In every mode a sum of 2^(emax + 1) or more,
                         after rounding, is Inf
    zero_products        "dropped": a term that is zero takes no part in the alignment; "aligned": it does, a zero
                         operand and a zero sum counting as the smallest normal
    addend               "first": C is the running sum of the first block; "last": it is added after all of them, in a
                         block of its own
    exponent_floor       blocks are aligned on this exponent at least

    Source: Khattak and Mikaitis, arXiv 2512.07004; Xie et al., arXiv 2511.10909.
    """

    products: int
    kept_fraction_bits: int
    operands: tuple[str, ...]
    roundings: tuple[tuple[str, Mode], ...]
    zero_products: Literal["dropped", "aligned"] = "dropped"
    addend: Literal["first", "last"] = "first"
    exponent_floor: int = -133

    def __post_init__(self) -> None:
        if not 1 <= self.products <= MAX_PRODUCTS:
            raise ValueError(f"a fused block has 1 to {MAX_PRODUCTS} products, not {self.products}")
        if not 1 <= self.kept_fraction_bits <= MAX_KEPT_BITS:
            raise ValueError(f"a fused block keeps 1 to {MAX_KEPT_BITS} fraction bits, not {self.kept_fraction_bits}")
        if not -2200 <= self.exponent_floor <= 0:
            raise ValueError(f"the exponent floor of a fused block is -2200 to 0, not {self.exponent_floor}")
        if not {mode for _, mode in self.roundings} <= set(BLOCK_MODES):
            raise ValueError(f"a fused block rounds {', '.join(BLOCK_MODES)}")

    def covers(self, a_fmt: Format, b_fmt: Format, accumulator: Format) -> bool:
        """Whether the model says what comes out for these formats, with any K."""
        known = a_fmt.name in self.operands and b_fmt.name in self.operands
        return known and any(accumulator.name == name for name, _ in self.roundings)

    def rounding(self, accumulator: Format) -> Mode:
        """The mode in which a block's sum is rounded into the accumulator's format."""
        return dict(self.roundings)[accumulator.name]


@dataclass(frozen=True, slots=True)
class Chain:
    """C plus one product after another, k = 0, 1, ...; IEEE 754 operations, rounded to nearest even.

    fused     True: each step is a fused multiply-add; False: each product is rounded, and then added
    running   "f32": the running sum is kept in f32, and rounded once into the format of C at the end; "": in that
    """

    fused: bool
    running: str = ""

    def __post_init__(self) -> None:
        if self.running not in ("", "f32"):
            raise ValueError(f"a running sum is kept in f32 or in the format of C, not {self.running}")

    def covers(self, a_fmt: Format, b_fmt: Format, accumulator: Format) -> bool:
        """Whether the model says what comes out for these formats: where the running sum is no narrower than C."""
        floats = a_fmt.is_float and b_fmt.is_float and accumulator.infinities
        return floats and self.format(accumulator).bits >= accumulator.bits

    def format(self, accumulator: Format) -> Format:
        """The format of the running sum."""
        return FORMATS[self.running] if self.running else accumulator


Model: TypeAlias = FusedBlock | Chain
