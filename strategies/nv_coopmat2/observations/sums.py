"""The axes of products about their data: what happens in a sum of products, and where operands are special."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan
from mmaspec.programs.base import Place
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.program import MulAdd
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.nv_coopmat2.observations.facts import facts
from mmaspec.strategies.nv_coopmat2.observations.values import Scale

TERMS = 1 << 15
"""Products of one instruction that are looked at: of more, only some elements."""
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Sum:
    """One element of a result: the terms of its sum in the order of K, and its addend, exact in units of 2**unit."""

    terms: tuple[int, ...]
    c: int
    item: tuple[int, int]
    """Batch item and wave."""

    @property
    def total(self) -> int:
        """The whole sum."""
        return sum(self.terms) + self.c


class ProductData:
    """What the operands of a product hold when it begins; None where nothing is known."""

    def __init__(self, subject: Subject, place: Place) -> None:
        known = facts(subject)
        product = known.text[known.turn[place]].instruction
        assert isinstance(product, MulAdd)
        self.product = product
        self.names: tuple[str, str] = (product.a, product.b)
        self.result: Format = format_named(known.matrix(product.result).component)
        self.legal: list[Legal | None] = [subject.held(name, place) for name in (product.a, product.b)]
        c = None if product.c is None else subject.held(product.c, place)
        self.has_c: bool = product.c is not None
        self.c_legal = c

    @property
    def known(self) -> bool:
        """Whether all operands hold something."""
        return None not in self.legal and (self.c_legal is not None or not self.has_c)

    @cached_property
    def parts(self) -> list[tuple[Format, Words, Flags]]:
        """Format, bits and certainty of A, B and (if there is one) C, each ``(batch, waves, rows, cols)``."""
        held = [one for one in (*self.legal, self.c_legal) if one is not None]
        return [(one.fmt, *one.certain_bits()) for one in held]

    @cached_property
    def unit(self) -> int:
        """The exponent of the unit in which every sum is exact."""
        a, b = self.parts[0][0], self.parts[1][0]
        if not a.is_float:
            return 0
        return min(a.qmin + b.qmin, self.result.qmin, self.parts[-1][0].qmin) - 2

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """The elements whose operands are all finite and certain; of many, some of every batch item."""
        (fa, a, sure_a), (fb, b, sure_b) = self.parts[:2]
        batch, waves, m, k = a.shape
        n = b.shape[-1]
        left, right = self._exact(fa, a, sure_a, 0), self._exact(fb, b, sure_b, 0)
        c = self._exact(*self.parts[2], self.unit) if self.has_c else None
        step = max(1, -(-batch * waves * m * n * k // TERMS))
        shift = (fa.qmin + fb.qmin - self.unit) if fa.is_float else 0
        found = []
        columns: dict[tuple[int, int, int], list[int | None]] = {}
        for number in range(0, batch * waves * m * n, step):
            at, j = divmod(number, n)
            at, i = divmod(at, m)
            x, y = divmod(at, waves)
            row = left[x, y, i].tolist()
            column = columns.setdefault((x, y, j), right[x, y, :, j].tolist())
            added = 0 if c is None else c[x, y, i, j]
            if added is None or None in row or None in column:
                continue
            terms = tuple((p * q) << shift for p, q in zip(row, column, strict=True))
            found.append(Sum(terms, added, (x, y)))
        return tuple(found)

    @staticmethod
    def _exact(fmt: Format, bits: Words, sure: Flags, unit: int) -> NDArray[np.object_]:
        """Every element as an integer, in units of its own format's quantum where ``unit`` is 0."""
        scale = Scale(fmt.qmin if fmt.is_float and not unit else unit)
        patterns, where = np.unique(bits, return_inverse=True)
        numbers = np.array([scale.of(fmt, int(word)) for word in patterns] + [None], dtype=np.object_)[:-1]
        found = numbers[where.reshape(bits.shape)]
        found[~sure] = None
        return found

    def specials(self) -> Iterator[tuple[Flags, Flags, Words]]:
        """Infinities and NaN of A, B and C, and their bits."""
        for fmt, bits, sure in self.parts:
            yield is_inf(fmt, bits) & sure, is_nan(fmt, bits) & sure, bits


@lru_cache(maxsize=8)
def product_data(subject: Subject, place: Place) -> ProductData | None:
    """The data of a product; None where they are not known."""
    found = ProductData(subject, place)
    return found if found.known else None
