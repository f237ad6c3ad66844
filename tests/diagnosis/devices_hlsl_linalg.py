"""Devices of linear algebra with a defect each: loaded by ``mmaspec``, so this file imports nothing of the tests.

Each defect is one that a team of compiler, driver or hardware engineers could make. None is a counterfactual or a
defect of the catalogue.
"""

from __future__ import annotations

import random

import numpy as np

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_linalg.access import Access
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.products import Held
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.base import Affine
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.program import (
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    Scope,
    Vector,
    VectorAccumulate,
)
from mmaspec.programs.profile import PRACTICE


class Planted(NumpyBackend):
    """The numpy backend with another device for linear algebra; it declares no arithmetic of its own."""

    device: type[LinalgDevice] = LinalgDevice

    def __init__(self) -> None:
        super().__init__(SequentialUnit(), {"hlsl-linalg": self.device}, name=type(self).__name__, profile=PRACTICE)


class _EvenColumnStride(LinalgDevice):
    def stride(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        found = super().stride(running, access, scope, instance, loop)
        shared = running.program.array(access.memory) is not None
        return found if shared or access.layout != "ColMajor" or not isinstance(access, Load) else found // 32 * 32


class ColumnStrideInPairs(Planted):
    """The stride of a column-major Load from a buffer loses its lowest bit that counts: a field counts 32 bytes."""

    device = _EvenColumnStride


class _NeighboursA(LinalgDevice):
    def multiply(self, running: Running, product: Multiply | MultiplyAccumulate) -> Bits:
        matrix = running.program.matrix(product.a)
        held = running.contents(matrix)
        if matrix.scope == "Wave":
            running.matrices[matrix.name] = held[:, np.arange(held.shape[1]) & ~1]
        found = super().multiply(running, product)
        running.matrices[matrix.name] = held
        return found


class LeftOfWaveBefore(Planted):
    """Odd waves multiply the A of the wave before: two waves share one staging buffer."""

    device = _NeighboursA


class _ThirdPass(LinalgDevice):
    def offset(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        late = isinstance(access, Load) and isinstance(access.offset, Affine) and loop >= 2
        if late and running.program.array(access.memory) is None:
            loop -= 1
        return super().offset(running, access, scope, instance, loop)


class ThirdPassLoadsSecond(Planted):
    """From the third pass on, Loads from buffers find the pass before: a loop unrolled by two forgets to advance."""

    device = _ThirdPass


class _Quadrants(LinalgDevice):
    def turned(self, bits: Bits) -> Bits:
        found = super().turned(bits).copy()
        m, n = found.shape[-2] // 2, found.shape[-1] // 2
        upper, lower = found[..., :m, n : 2 * n].copy(), found[..., m : 2 * m, :n].copy()
        found[..., :m, n : 2 * n], found[..., m : 2 * m, :n] = lower, upper
        return found


class QuadrantsStayInTransposition(Planted):
    """A Cast that transposes turns every quadrant in itself, and leaves the quadrants where they are."""

    device = _Quadrants


class _ShortAddend(LinalgDevice):
    def vector_product(self, a: Held, column: Held, bias: Held) -> Bits:
        fmt, bits = bias
        if not fmt.is_float and fmt.bits == 32:
            low = bits & np.uint64(0xFFFF)
            bits = np.where(low >> np.uint64(15) == 1, low | np.uint64(0xFFFF0000), low)
        return super().vector_product(a, column, (fmt, bits))


class BiasOfSixteenBits(Planted):
    """An integer bias has sixteen bits and a sign."""

    device = _ShortAddend


class _Raising(LinalgDevice):
    def vector_accumulate(self, running: Running, access: VectorAccumulate, loop: int) -> None:
        if running.program.vector(access.vector).length % 4:
            raise RuntimeError("unhandled vector width in atomic")
        super().vector_accumulate(running, access, loop)


class RaisesOnOddVectorSums(Planted):
    """An exception where vectors are accumulated whose length is no multiple of four."""

    device = _Raising


class _Hoisted(LinalgDevice):
    def bias(self, running: Running, product: MultiplyVector, vector: Vector) -> Bits:
        found = super().bias(running, product, vector)
        return found if product.bias is None else np.broadcast_to(found[:1], found.shape)


class BiasOfFirstItem(Planted):
    """The bias of a product with a vector is that of the first item of the batch: loaded once, too early."""

    device = _Hoisted


class _LosesAtTimes(LinalgDevice):
    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.draws = random.Random("late")  # noqa: S311 - the same calls get the same answers in every process

    def add_to(self, running: Running, name: str, positions: Positions, fmt: Format, bits: Bits, mask: Mask) -> None:
        if self.draws.random() < 0.4:
            mask = mask.copy()
            mask.flat[-1] = False
        super().add_to(running, name, positions, fmt, bits, mask)


class LosesLastAddendAtTimes(Planted):
    """In four of ten atomic sums the last element is not added."""

    device = _LosesAtTimes
