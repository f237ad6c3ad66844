"""Devices that take the liberties of the text of 2025-09-19 alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.hlsl_linalg.conversions import Style, convert
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.earlier.operators import applied, operated
from mmaspec.backends.numpy.hlsl_linalg.products import Held
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, format_of
from mmaspec.backends.numpy.hlsl_linalg.sums import add
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, Matrix
from mmaspec.programs.hlsl_linalg.removed import Operate, Unary, UnaryOperation

COARSE = 0.0005
"""How far a sine or cosine of ``CoarseAngles`` may be off; Direct3D lets one of f32 be off by 0.0008."""
_CUT = Style("zero", "largest")


class InPlace(LinalgDevice):
    """ApplyUnaryOperation changes its matrix as well."""

    def unary(self, running: Running, one: Unary) -> Bits:
        """The source becomes the result, in the waves that execute it."""
        found, source = super().unary(running, one), running.program.matrix(one.source)
        acting, changed = running.acting(source.scope), running.contents(source).copy()
        changed[:, acting] = found[:, acting]
        running.matrices[source.name] = changed
        return found


class CoarseAngles(LinalgDevice):
    """Sines and cosines are off by a little, tangents are their quotients; of zeros they are exact."""

    most: float = COARSE
    """How far they are off."""

    def applied(self, op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
        """A wave of its own on top of each, inside -1 to 1."""
        if op not in ("sin", "cos", "tan") or not fmt.is_float:
            return applied(op, fmt, bits)
        with np.errstate(all="ignore"):
            x = doubles_of(fmt, bits)
            sine = np.clip(np.sin(x) + self.most * np.sin(7 * x), -1, 1)
            cosine = np.clip(np.cos(x) - self.most / 2 * (1 - np.cos(7 * x)), -1, 1)
            return bits_of_doubles(fmt, {"sin": sine, "cos": cosine, "tan": sine / cosine}[op])


class CutOperators(LinalgDevice):
    """Operators on floats leave the neighbour toward zero; quotients are products with a rounded reciprocal."""

    def operated(self, one: Operate, fmt: Format, elements: Bits, scalar: Bits) -> Bits:
        """Cut, or rounded twice."""
        scalar = np.broadcast_to(scalar, elements.shape).copy()
        if not fmt.is_float:
            return operated(one.op, fmt, elements, scalar)
        if one.op == "div":
            unity = np.full(elements.shape, fmt.bias << fmt.fraction_bits, np.uint64)
            return operated("mul", fmt, elements, operated("div", fmt, unity, scalar))
        x, y, exact = doubles_of(fmt, elements), doubles_of(fmt, scalar), FORMATS["f64"]
        with np.errstate(all="ignore"):
            found = {"add": x + y, "sub": x - y, "mul": x * y}[one.op]
        return convert(bits_of_doubles(exact, found), exact, fmt, _CUT)


class OneByOne(LinalgDevice):
    """SumAccumulate adds B, then A to the accumulator, rounded each time."""

    def sum_of_three(self, total: Held, a: Held, b: Held) -> Bits:
        """Two sums."""
        fmt = total[0]
        left, right = (self.converted_bits(bits, given, fmt) for given, bits in (a, b))
        return add(fmt, add(*total, fmt, right), fmt, left)


class ConvertsFactors(LinalgDevice):
    """A vector is converted to the type of the matrix that it is multiplied with."""

    def factor(self, running: Running, matrix: Matrix, held: Held) -> Held:
        """As later texts have it."""
        del running
        fmt = format_of(matrix)
        return fmt, self.converted_bits(held[1], held[0], fmt)


class NotAtomic(LinalgDevice):
    """By the text of 2025-09-19 all waves and threads may read memory before any of them adds to it."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.before: dict[str, NDArray[np.uint8]] = {}

    def interlocked_accumulate(self, running: Running, access: InterlockedAccumulate, loop: int) -> None:
        """From memory as it was."""
        if self.by_source:
            self.before = {name: image.copy() for name, image in (running.memory | running.shared).items()}
        super().interlocked_accumulate(running, access, loop)
        self.before = {}

    def add_to(self, running: Running, name: str, positions: Positions, fmt: Format, bits: Bits, mask: Mask) -> None:
        """The sum of what lay there and this addend."""
        if name not in self.before:
            super().add_to(running, name, positions, fmt, bits, mask)
            return
        images = running.shared if name in running.shared else running.memory
        now, images[name] = images[name], self.before[name]
        found = self.read(running, name, positions[mask], fmt.nbytes)
        images[name] = now
        self.write(running, name, positions[mask], fmt.nbytes, self.sum(fmt, found, bits[:, mask]))
