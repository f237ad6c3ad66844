"""The parameters of a float contract: what a profile may choose, each with its bounds and its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mmaspec.programs.formats import Format
from mmaspec.programs.models import Model
from mmaspec.programs.rounding_mode import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatRules:
    """What is demanded of a float multiply-add. The defaults are the strictest envelope: nothing flushes.

    accumulator_precision   t, significand bits that a running sum keeps, 2 to 53. None: those of the accumulator's
                            format. Smaller where the specification allows it (14 for FP8 on some units).
    kept_fraction_bits      f, fraction bits that survive when terms are aligned before they are added, 1 to 60.
                            None: t - 1, the least that a unit adding in its own accumulator format keeps.
    flush_inputs            subnormal operands (A, B and C) may be read as zero
    f32_bits                set: f32 operands (A and B) may be rounded to so many significand bits before they are
                            multiplied, up or down, 11 for TF32. The range of their exponents stays that of f32
    f64_bits                set: the significand bits that results in f64 keep, of operations other than products
    flush_results           subnormal results, of any step, may become zero
    nan                     "required": rule N demands NaN (a NaN operand, Inf x 0, Inf - Inf);
                            "reported": NaN need not be produced, such elements are not judged
    window                  "required": rule X (exact window) applies; "reported": only the envelope does
    rounding                set: the exact sum, rounded once in this mode, is demanded instead of the envelope
                            (a declared profile); the window then follows by itself
    final_rounding          set: the running sum becomes the result in this mode, so that the ends of the envelope are
                            rounded in it, and a sum that is exact until then has one result. None: any faithful one
    zero_exponent           zeros take part in the alignment with the smallest normal exponent (seen in one model)
    model                   set: where it covers the formats and the addend is exactly known, D is what it answers, NaN
                            included. Everything above then holds for the rest only
    """

    accumulator_precision: int | None = None
    kept_fraction_bits: int | None = None
    flush_inputs: bool = False
    f32_bits: int | None = None
    f64_bits: int | None = None
    flush_results: bool = False
    nan: Literal["required", "reported"] = "required"
    window: Literal["required", "reported"] = "required"
    rounding: Mode | None = None
    final_rounding: Mode | None = None
    zero_exponent: bool = False
    model: Model | None = None

    def __post_init__(self) -> None:
        t, f = self.accumulator_precision, self.kept_fraction_bits
        if t is not None and not 2 <= t <= 53:
            raise ValueError(f"accumulator_precision is 2 to 53 bits, not {t}")
        if f is not None and not 1 <= f <= 60:
            raise ValueError(f"kept_fraction_bits is 1 to 60 bits, not {f}")
        if self.f32_bits is not None and not 2 <= self.f32_bits <= 23:
            raise ValueError(f"f32_bits is 2 to 23 bits, not {self.f32_bits}")

    def operand_bits(self, operand: Format) -> int | None:
        """Significand bits to which an operand of this format may be rounded; None: it is read as it is."""
        return self.f32_bits if operand.name == "f32" else None

    def t(self, accumulator: Format) -> int:
        """Precision t of the running sum in bits."""
        return accumulator.precision if self.accumulator_precision is None else self.accumulator_precision

    def f(self, accumulator: Format) -> int:
        """Fraction bits f kept at alignment."""
        return self.t(accumulator) - 1 if self.kept_fraction_bits is None else self.kept_fraction_bits

    def eps_exponent(self, accumulator: Format) -> int:
        """The exponent g of eps = 2^-g = max(2^(1-t), 2^-f) (`dot` states this by itself)."""
        return min(self.t(accumulator) - 1, self.f(accumulator))

    def window_bits(self, accumulator: Format) -> int:
        """The exponent w of the exact window: sums below 2^w quanta, w = min(t, f + 1), are exact (rule X).

        Not more than the accumulator's format holds, unless it is known how the rest is rounded away (rule R). `dot`
        states this by itself.
        """
        w = min(self.t(accumulator), self.f(accumulator) + 1)
        return w if self.final_rounding is not None else min(w, accumulator.precision)
