"""Legal sets that are computed when somebody reads them: of values that were only moved, and of products.

A run asks whether what a device stored is legal, and hardly ever for the set: `illegal` answers without one where that
is possible. Whatever else is asked (an addend, a report, how much is accepted) computes the set, once.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmaspec.oracle.numerics import verdict
from mmaspec.oracle.numerics.contract import check, multiply_add
from mmaspec.oracle.numerics.legal import Legal, Reason, all_of, concatenate
from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_nan
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format

_FIELDS = frozenset({"lo", "hi", "nan", "why", "moved", "bits", "ends"})


class Deferred(Legal):
    """A set whose fields are empty until one of them is read; then all are filled, and it is a set like any other."""

    __slots__ = ("_shape",)
    _shape: tuple[int, ...]

    def __init__(self, fmt: Format, shape: tuple[int, ...]) -> None:
        _put(self, "fmt", fmt)
        _put(self, "_shape", shape)

    def __getattr__(self, name: str) -> Any:
        """Called for an attribute that is still empty."""
        if name not in _FIELDS:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        found = self._computed()
        for field in _FIELDS:
            _put(self, field, getattr(found, field))
        return getattr(found, name)

    @abstractmethod
    def _computed(self) -> Legal:
        """The set itself."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._shape


_put = object.__setattr__
"""Fills a slot of an object that is frozen to everybody else."""


class Moved(Deferred):
    """`Legal.from_bits`: exactly these bits, -0 included; where they are a NaN, any NaN."""

    __slots__ = ("codes",)
    codes: Bits

    def __init__(self, fmt: Format, codes: Bits) -> None:
        super().__init__(fmt, codes.shape)
        _put(self, "codes", codes)

    def _computed(self) -> Legal:
        return Legal.from_bits(self.fmt, self.codes)

    def reshape(self, *shape: int) -> Legal:
        """The same elements in another shape."""
        return Moved(self.fmt, self.codes.reshape(shape))

    def index(self, key: Any) -> Legal:
        """The part that numpy indexing with `key` selects."""
        return self if all_of(key, self.shape) else Moved(self.fmt, np.asarray(self.codes[key]))

    def broadcast_to(self, shape: tuple[int, ...]) -> Legal:
        """The elements repeated to `shape` (read-only views)."""
        return self if shape == self.shape else Moved(self.fmt, np.broadcast_to(self.codes, shape))

    def not_judged(self, mask: Flags, reason: Reason) -> Legal:
        """The same, with `reason` where `mask`."""
        return Legal.not_judged(self, mask, reason) if mask.any() else self

    def certain_bits(self) -> tuple[Bits, Flags]:
        """All bits: they are certain."""
        return self.codes, np.ones(self.shape, np.bool_)

    def illegal(self, got: Bits) -> Flags:
        """Where `got` has other bits, and where these are a NaN, where it is none."""
        wrong: Flags = got != self.codes
        if wrong.any():
            wrong &= ~(is_nan(self.fmt, self.codes) & is_nan(self.fmt, got))
        return wrong


class Beside(Deferred):
    """Sets of one format side by side, joined along the last axis when somebody reads them."""

    __slots__ = ("parts",)
    parts: tuple[Legal, ...]

    def __init__(self, parts: tuple[Legal, ...]) -> None:
        shapes = [part.shape for part in parts]
        super().__init__(parts[0].fmt, (*shapes[0][:-1], sum(shape[-1] for shape in shapes)))
        _put(self, "parts", parts)

    def _computed(self) -> Legal:
        return concatenate(self.parts, axis=-1)


@dataclass(frozen=True, slots=True)
class Factors:
    """What a product is made of: bits of A (..., M, K) and B (..., K, N), the set C, and the rules."""

    a_fmt: Format
    a: Bits
    b_fmt: Format
    b: Bits
    c: Legal
    rules: FloatRules

    @property
    def addend(self) -> Bits | Legal:
        """C, as bits where it is known to the bit."""
        return self.c.codes if isinstance(self.c, Moved) else self.c

    def part(self, key: slice) -> Factors:
        """A part of the first leading dimension, which all three must have in full."""
        return Factors(self.a_fmt, self.a[key], self.b_fmt, self.b[key], self.c.index(key), self.rules)


class Product(Deferred):
    """The legal contents of A*B + C. A verdict on what was stored reads none of them, if it can be had without."""

    __slots__ = ("_asked", "_factors", "_whole")
    _factors: Factors
    _asked: _Asked
    _whole: tuple[Product, slice] | None

    def __init__(self, factors: Factors, shape: tuple[int, ...], whole: tuple[Product, slice] | None = None) -> None:
        """`whole`: the product and the part of its first dimension that this is."""
        super().__init__(factors.c.fmt, shape)
        _put(self, "_factors", factors)
        _put(self, "_asked", _Asked())
        _put(self, "_whole", whole)

    def _computed(self) -> Legal:
        self._asked.computed = True
        if self._whole is not None:
            product, part = self._whole
            return Legal.index(product, part)
        own = self._factors
        return multiply_add(a_fmt=own.a_fmt, a=own.a, b_fmt=own.b_fmt, b=own.b, c=own.c, rules=own.rules)

    def index(self, key: Any) -> Legal:
        """The part that numpy indexing with `key` selects; part of the batch is a product again."""
        own, shape = self._factors, self._shape
        if all_of(key, shape):
            return self
        if not isinstance(key, slice) or any(each[:1] != shape[:1] for each in (own.a.shape, own.b.shape, own.c.shape)):
            return Legal.index(self, key)
        length = len(range(*key.indices(shape[0])))
        return Product(own.part(key), (length, *shape[1:]), (self, key))

    def not_judged(self, mask: Flags, reason: Reason) -> Legal:
        """The same, with `reason` where `mask`."""
        return Legal.not_judged(self, mask, reason) if mask.any() else self

    @property
    def computed(self) -> bool:
        """Whether the set is there."""
        return self._asked.computed

    @property
    def open_kind(self) -> object | None:
        """Equal for products that can be `joined`; None if there is no need: the set is there, or was looked into."""
        own, asked = self._factors, self._asked
        shapes = own.a.shape, own.b.shape, own.c.shape
        broadcast = any(each[:-2] != self._shape[:-2] for each in shapes)
        if self._whole is not None or asked.computed or asked.open or broadcast:
            return None
        return own.a_fmt.name, own.b_fmt.name, self.fmt.name, shapes, own.rules, isinstance(own.c, Moved)

    def some_nan(self) -> bool:
        """Whether NaN is legal in some element: of finite terms, where a sum may overflow on the way (rule N4)."""
        own, sizes = self._factors, _sizes(self._factors)
        if sizes is not None and (own.rules.rounding is not None or _calm(own, sizes)):
            return False
        found = None
        if sizes is not None:
            found = verdict.some_hazard(own.a_fmt, own.a, own.b_fmt, own.b, self.fmt, own.addend, own.rules)
        return bool(self.nan.any()) if found is None else found

    def illegal(self, got: Bits) -> Flags:
        """Where `got` is not a legal content.

        What was found legal is not judged again: a run asks for every case twice, and gets the same. Where a verdict
        took sets, the next one is worth the whole set.
        """
        asked, whole = self._asked, self if self._whole is None else self._whole[0]
        if asked.legal is not None and np.array_equal(asked.legal, got):
            return np.zeros(got.shape, np.bool_)
        if asked.computed or whole._asked.open or whole._asked.computed:
            return Legal.illegal(self, got)
        own = self._factors
        wrong, sets = verdict.judged_sums(
            a_fmt=own.a_fmt, a=own.a, b_fmt=own.b_fmt, b=own.b, c_fmt=self.fmt, c=own.addend, got=got, rules=own.rules
        )
        whole._asked.open |= sets
        if not wrong.any():
            asked.legal = got
        return wrong


@dataclass(slots=True)
class _Asked:
    """What a product remembers of the questions so far."""

    computed: bool = False
    """The set is there."""
    open: bool = False
    """A verdict took sets of some tiles."""
    legal: Bits | None = None
    """Contents that are legal, every one of them."""


def joined(products: Sequence[Product]) -> Product:
    """Products of one `open_kind`, one after the other along the first dimension."""
    every = [product._factors for product in products]
    first, sets = every[0], [own.c for own in every]
    codes = [c.codes for c in sets if isinstance(c, Moved)]
    c = Moved(first.c.fmt, np.concatenate(codes)) if codes else concatenate(sets)
    a, b = np.concatenate([own.a for own in every]), np.concatenate([own.b for own in every])
    return Product(Factors(first.a_fmt, a, first.b_fmt, b, c, first.rules), c.shape)


def filled(fmt: Format, shape: tuple[int, ...], bits: int) -> Legal:
    """`legal.full`: an array of one moved value."""
    return Moved(fmt, np.full(shape, bits, np.uint64))


def moves_subnormals(legal: Legal) -> bool:
    """Whether some element is a subnormal that was only moved. Computes no product: nothing in one was."""
    if isinstance(legal, Product) or not legal.fmt.is_float:
        return False
    codes = legal.codes if isinstance(legal, Moved) else np.where(legal.moved, legal.bits, np.uint64(0))
    magnitude = codes & np.uint64(legal.fmt.sign_bit - 1)
    return bool(((magnitude > 0) & (magnitude < 1 << legal.fmt.fraction_bits)).any())


def product(*, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """`contract.multiply_add`, deferred where a verdict can be had without the set. Raises what that raises."""
    lead, (m, n) = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2]), c.shape[-2:]
    if not (verdict.has_verdict(a_fmt, b_fmt, c.fmt, a.shape[-1]) and verdict.seen_at_once(rules)):
        return multiply_add(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=c, rules=rules)
    check(a_fmt, a, b_fmt, b, c)
    return Product(Factors(a_fmt, a, b_fmt, b, c, rules), (*lead, m, n))


def _sizes(factors: Factors) -> tuple[float, float, float] | None:
    """Powers of two above every size in A, B and C, and above the smallest normals; None if not all are finite.

    Nor where an operand may be rounded up to an infinity.
    """
    c = factors.c
    if isinstance(c, Moved):
        last = _largest(c.fmt, c.codes)
    elif c.why.any() or c.nan.any():
        return None
    else:
        last = max(-int(c.lo.min(initial=0)), int(c.hi.max(initial=0)))
    a, b = _largest(factors.a_fmt, factors.a), _largest(factors.b_fmt, factors.b)
    largest = ((factors.a_fmt, a), (factors.b_fmt, b), (c.fmt, last))
    if any(magnitude > fmt.largest_magnitude for fmt, magnitude in largest):
        return None
    for fmt, magnitude in largest[:2]:
        if factors.rules.operand_bits(fmt) is not None and magnitude >> fmt.fraction_bits == fmt.emax + fmt.bias:
            return None
    above = (math.ldexp(2.0, max(size >> fmt.fraction_bits, 1) - fmt.bias) for fmt, size in largest)
    return next(above), next(above), next(above)


def _largest(fmt: Format, codes: Bits) -> int:
    """The largest exponent and fraction bits, those of specials included."""
    return int((codes.astype(f"u{fmt.nbytes}") & (fmt.sign_bit - 1)).max(initial=0))


def _calm(factors: Factors, sizes: tuple[float, float, float]) -> bool:
    """Whether sums of such sizes, with all bounds, stay far from overflow. Flushing only takes away."""
    fmt, n = factors.c.fmt, 2 * (factors.a.shape[-1] + 1)
    star = n * sizes[0] * sizes[1] + sizes[2]
    n_eps = math.ldexp(n, -factors.rules.eps_exponent(fmt))
    reach = star * (2 + n_eps * (1 + n_eps)) + math.ldexp(n, fmt.emin + 1)
    return bool(reach < math.ldexp(1.0, fmt.emax))
