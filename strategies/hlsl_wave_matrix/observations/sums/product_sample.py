"""The operands of one product or sum as bits, and exact sums of some of its elements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import is_inf, is_nan
from mmaspec.programs.base import Place
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_wave_matrix.program import Multiply, MultiplyAccumulate, SumAccumulate
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes
from mmaspec.strategies.hlsl_wave_matrix.observations.exact import Spot, Wholes, spot, unit, wholes

SAMPLE = 768
"""Elements of the result that are added up exactly, spread evenly over batch, waves and matrix."""


@dataclass(frozen=True, eq=False)
class Operands:
    """A product ``a @ b + c``: codes of ``(batch, waves, M, K)``, ``(.., K, N)`` and ``(.., M, N)``.

    Of a sum, the operand that is not there has ones. ``known`` says of which elements of c the bits are known;
    ``fresh``: the object held nothing, or what it held is dropped.
    """

    a_fmt: Format
    b_fmt: Format
    c_fmt: Format
    a: Codes
    b: Codes
    c: Codes
    known: NDArray[np.bool_]
    fresh: bool
    summed: Literal["", "left", "right"] = ""
    """Which operand a SumAccumulate sums; empty for a product."""

    @property
    def real(self) -> tuple[tuple[Format, Codes], ...]:
        """The factors that are matrices of the program."""
        both = ("left", self.a_fmt, self.a), ("right", self.b_fmt, self.b)
        return tuple((fmt, codes) for side, fmt, codes in both if self.summed in ("", side))

    @cached_property
    def picked(self) -> tuple[NDArray[np.int64], ...]:
        """Batch, wave, row and column of the sampled elements."""
        shape = (*self.a.shape[:3], self.b.shape[-1])
        total = int(np.prod(shape))
        flat = np.unique(np.linspace(0, total - 1, min(total, SAMPLE)).astype(np.int64))
        return tuple(np.unravel_index(flat, shape))

    @cached_property
    def exponent(self) -> int:
        """Of the unit in which exact sums are counted."""
        return min(unit(self.a_fmt) + unit(self.b_fmt), unit(self.c_fmt))

    @cached_property
    def _codes(self) -> tuple[Codes, Codes, Codes]:
        item, wave, row, col = self.picked
        return self.a[item, wave, row], self.b[item, wave, :, col], self.c[item, wave, row, col]

    @cached_property
    def finite(self) -> NDArray[np.bool_]:
        """Which sampled elements have only finite terms, and a known addend."""
        a, b, c = self._codes
        item, wave, row, col = self.picked
        known = self.known[item, wave, row, col] | self.fresh
        good: NDArray[np.bool_] = (
            known
            & ~(not_finite(self.a_fmt, a) | not_finite(self.b_fmt, b)).any(axis=1)
            & ~(not_finite(self.c_fmt, c) & ~np.bool_(self.fresh))
        )
        return good

    @cached_property
    def terms(self) -> Wholes:
        """The exact products of the sampled, finite elements: ``(elements, K)`` integers in the unit."""
        a, b, _ = self._codes
        shift = unit(self.a_fmt) + unit(self.b_fmt) - self.exponent
        found: Wholes = wholes(self.a_fmt, a[self.finite]) * wholes(self.b_fmt, b[self.finite]) * (1 << shift)
        return found

    @cached_property
    def held_wholes(self) -> Wholes:
        """What the object held at these elements, whether it is added or dropped."""
        _, _, c = self._codes
        found: Wholes = wholes(self.c_fmt, c[self.finite]) * (1 << unit(self.c_fmt) - self.exponent)
        return found

    @cached_property
    def addends(self) -> Wholes:
        """Their addends; zeros where what the object held is dropped."""
        found: Wholes = self.held_wholes * 0 if self.fresh else self.held_wholes
        return found

    @cached_property
    def rows(self) -> list[tuple[list[int], int]]:
        """Terms and addend of every sampled, finite element."""
        return list(zip(self.terms.tolist(), self.addends.tolist(), strict=True))

    @cached_property
    def spots(self) -> list[Spot]:
        """Where their sums lie in the accumulator's format."""
        return [spot(self.c_fmt, sum(terms) + addend, self.exponent) for terms, addend in self.rows]


def not_finite(fmt: Format, codes: Codes) -> NDArray[np.bool_]:
    """Where a code is an infinity or NaN."""
    found: NDArray[np.bool_] = is_nan(fmt, codes) | is_inf(fmt, codes)
    return found


@lru_cache(maxsize=8)
def operands_of(
    subject: Subject, place: Place, method: Multiply | MultiplyAccumulate | SumAccumulate
) -> Operands | None:
    """The operands of a product or sum; None where bits of the factors are not known."""
    program = subject.program
    names = (method.left, method.right) if not isinstance(method, SumAccumulate) else (method.operand,)
    factors = []
    for name in names:
        legal = subject.held(name, place)
        if legal is None:
            return None
        codes, known = legal.certain_bits()
        if not known.all():
            return None
        factors.append((legal.fmt, codes))
    if isinstance(method, SumAccumulate):
        fmt, codes = factors[0]
        one = fmt.bias << fmt.fraction_bits if fmt.is_float else 1
        left = program.matrix(method.operand).kind == "left"
        shape = (*codes.shape[:2], codes.shape[-1], 1) if left else (*codes.shape[:2], 1, codes.shape[-2])
        ones = (fmt, np.full(shape, one, np.uint64))
        factors.insert(1 if left else 0, ones)
    side: Literal["", "left", "right"] = ""
    if isinstance(method, SumAccumulate):
        side = "left" if program.matrix(method.operand).kind == "left" else "right"
    (a_fmt, a), (b_fmt, b) = factors
    c_fmt = FORMATS[program.matrix(method.matrix).element]
    held = subject.held(method.matrix, place)
    shape = (*a.shape[:-1], b.shape[-1])
    if held is None:
        return Operands(a_fmt, b_fmt, c_fmt, a, b, np.zeros(shape, np.uint64), np.ones(shape, np.bool_), True, side)
    c, known = held.certain_bits()
    return Operands(a_fmt, b_fmt, c_fmt, a, b, c, known, isinstance(method, Multiply), side)
