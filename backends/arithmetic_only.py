"""The arithmetic-only level of an adapter: one function, ``mma(shape, types, a, b, c) -> d``.

Everything else is borrowed from the numpy backend: memory, layout, registers, control flow, the rules about
valid programs. Clauses that the borrowed code carries out are declared as borrowed and judged of nobody.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.arithmetic_clauses import borrowed_clauses
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES, device_of
from mmaspec.backends.numpy.units.encoding import bits_of_integers, integers_of
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.backends.protocol import Description, Images
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import PRACTICE, Profile

Array = NDArray[Any]

DTYPES: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        **{f"u{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
        **{f"s{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
        "u4": np.dtype("u1"),
        "s4": np.dtype("i1"),
        **{f"f{bits}": np.dtype(f"f{bits // 8}") for bits in (16, 32, 64)},
        "bf16": np.dtype(ml_dtypes.bfloat16),
        "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
        "e5m2": np.dtype(ml_dtypes.float8_e5m2),
    }
)
"""Format -> dtype of its arrays: numpy's own where it has one, else that of ``ml_dtypes``.

An integer of four bits is a byte with its value: of a factor, as no results have so few bits.
"""


class Shape(NamedTuple):
    """A is (M, K), B is (K, N), C and D are (M, N)."""

    m: int
    n: int
    k: int


class Types(NamedTuple):
    """Names of the formats of A, B and C, such as ``("u8", "s8", "s32")``; D has that of C."""

    a: str
    b: str
    c: str


class ArithmeticOnly(ABC):
    """A backend that consists of its arithmetic: give it ``name``, ``version``, ``supports`` and ``mma``.

    It executes and does not validate. Rows of the caps whose types it does not support are not offered.
    """

    name: str
    version: str
    profile: Profile = PRACTICE
    """What its arithmetic declares beyond practice."""

    @abstractmethod
    def supports(self, types: Types) -> bool:
        """Whether ``mma`` takes these types."""

    @abstractmethod
    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
        """A times B plus C, for a batch: ``a`` (batch, M, K), ``b`` (batch, K, N), ``c`` and the result (batch, M, N).

        The dtypes are those of ``DTYPES``, and the arrays are contiguous copies that may be overwritten. M, N
        and K need not be sizes of the caps: a device asks for the part that it computes at once. Integer
        sums beyond the range of C's format wrap, unless the specification leaves them open. Raise ``Refused``
        or anything else for what cannot be done: inside the caps that is a failure.
        """

    def describe(self) -> Description:
        """It executes; every testable clause that is not about arithmetic is borrowed."""
        return Description(
            name=self.name,
            version=self.version,
            borrowed=borrowed_clauses(),
            profile=self.profile,
            sparse=self._rest.describe().sparse,
        )

    def caps(self, spec: str) -> Any | None:
        """The numpy backend's caps, less the rows with types that are not supported; None if no row is left."""
        caps, device = self._rest.caps(spec), device_of(spec)
        return None if device is None else device.offered(caps, lambda *types: self.supports(Types(*types)))

    def report(self, spec: str, caps: Any) -> None:
        """Report ``caps`` from now on, less the rows with types that are not supported."""
        self._rest.report(spec, caps)

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Execute a program on the numpy backend's reference device, with this arithmetic."""
        return self._rest.run(spec, program, inputs)

    @cached_property
    def _rest(self) -> NumpyBackend:
        return NumpyBackend(_Unit(self), DEVICES, name=self.name)


class _Unit(ExactUnit):
    """Products by an ``ArithmeticOnly``; everything else that a device needs of a unit is borrowed."""

    def __init__(self, arithmetic: ArithmeticOnly) -> None:
        self._arithmetic = arithmetic

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """See ``ArithmeticUnit.multiply_add``; saturation is borrowed, as ``mma`` knows no such flag."""
        types = Types(a_fmt, b_fmt, c_fmt)
        if overflow == "wrap":
            return self._product(types, a, b, c)
        fmt = format_named(c_fmt)
        total = integers_of(fmt, self._product(types, a, b, np.zeros_like(c))) + integers_of(fmt, c)
        return bits_of_integers(fmt, np.clip(total, fmt.min_value, fmt.max_value))

    def _product(self, types: Types, a: Bits, b: Bits, c: Bits) -> Bits:
        """A times B plus C by ``mma``, all leading dimensions as one."""
        shape = Shape(a.shape[-2], b.shape[-1], a.shape[-1])
        leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
        operands = [_values(fmt, bits, leading) for fmt, bits in zip(types, (a, b, c), strict=True)]
        expected = operands[2].dtype, operands[2].shape
        result: object = self._arithmetic.mma(shape, types, *operands)
        if not isinstance(result, np.ndarray) or (result.dtype, result.shape) != expected:
            raise TypeError(f"mma returned {_kind(result)}; expected {expected[0]} {expected[1]}")
        return _bits(result).reshape(*leading, shape.m, shape.n)


def _values(fmt: str, bits: Bits, leading: tuple[int, ...]) -> Array:
    """A fresh array of a format's own dtype, ``(batch, rows, cols)``."""
    known = format_named(fmt)
    # Of four bits the sign goes on through the byte.
    whole: Array = integers_of(known, bits) if known.bits < 8 else bits
    full = np.broadcast_to(whole, (*leading, *bits.shape[-2:])).astype(f"u{known.nbytes}", order="C")
    return full.view(DTYPES[fmt]).reshape(-1, *bits.shape[-2:])


def _bits(values: Array) -> Bits:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").astype(np.uint64)


def _kind(result: object) -> str:
    return f"{result.dtype} {result.shape}" if isinstance(result, np.ndarray) else f"a {type(result).__name__}"
