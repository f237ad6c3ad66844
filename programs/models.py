"""Complete arithmetics, as data: under one of them a legal set is a single value.

`mmaspec.oracle.numerics.definition.models` defines what a model answers, one element at a time, and `bulk.models`
beside it gives the same for whole batches. The numpy backend has arithmetic units of its own, which share no code
with these on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

MAX_KEPT_BITS = 40
"""Fraction bits that a fused block may keep: its sums then stay exact in float64 (see `numerics.bulk.models`)."""

MAX_RESULT_BITS = 52
"""Fraction bits that the sum of a fused block may be said to have: those of f64."""

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
    result_fraction_bits fraction bits to which a block's sum is rounded where the accumulator's format has more, with
                         the exponents of that format; 1 to 52, None: all that it has. C is read whole
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
    result_fraction_bits: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.products <= MAX_PRODUCTS:
            raise ValueError(f"a fused block has 1 to {MAX_PRODUCTS} products, not {self.products}")
        if not 1 <= self.kept_fraction_bits <= MAX_KEPT_BITS:
            raise ValueError(f"a fused block keeps 1 to {MAX_KEPT_BITS} fraction bits, not {self.kept_fraction_bits}")
        if not -2200 <= self.exponent_floor <= 0:
            raise ValueError(f"the exponent floor of a fused block is -2200 to 0, not {self.exponent_floor}")
        if self.result_fraction_bits is not None and not 1 <= self.result_fraction_bits <= MAX_RESULT_BITS:
            raise ValueError(
                f"the sum of a fused block has 1 to {MAX_RESULT_BITS} fraction bits, not {self.result_fraction_bits}"
            )
        if not {mode for _, mode in self.roundings} <= set(BLOCK_MODES):
            raise ValueError(f"a fused block rounds {', '.join(BLOCK_MODES)}")

    def covers(self, a_fmt: Format, b_fmt: Format, accumulator: Format) -> bool:
        """Whether the model says what comes out for these formats, with any K."""
        known = a_fmt.name in self.operands and b_fmt.name in self.operands
        return known and any(accumulator.name == name for name, _ in self.roundings)

    def rounding(self, accumulator: Format) -> Mode:
        """The mode in which a block's sum is rounded into the accumulator's format."""
        return dict(self.roundings)[accumulator.name]

    def sum_format(self, accumulator: Format) -> Format:
        """The format of a block's sum: the accumulator's, with as many fraction bits as sums have."""
        lost = accumulator.fraction_bits - (self.result_fraction_bits or accumulator.fraction_bits)
        if lost <= 0:
            return accumulator
        fewer = accumulator.fraction_bits - lost
        return replace(
            accumulator, name=f"{accumulator.name} of {fewer}", bits=accumulator.bits - lost, fraction_bits=fewer
        )


@dataclass(frozen=True, slots=True)
class BlocksByFormat:
    """Fused blocks that differ by the formats of operands and accumulator: at most one of them covers any three."""

    blocks: tuple[FusedBlock, ...]

    def covers(self, a_fmt: Format, b_fmt: Format, accumulator: Format) -> bool:
        """Whether one of them says what comes out for these formats."""
        return any(block.covers(a_fmt, b_fmt, accumulator) for block in self.blocks)

    def chosen(self, a_fmt: Format, b_fmt: Format, accumulator: Format) -> FusedBlock:
        """The one that covers these formats. Raises StopIteration if none does."""
        return next(block for block in self.blocks if block.covers(a_fmt, b_fmt, accumulator))


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


Model: TypeAlias = FusedBlock | BlocksByFormat | Chain
