"""A device without FP8 arithmetic: what only products use is not made FP8 at all."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.products import Held
from mmaspec.backends.numpy.hlsl_linalg.running import Running
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Cast,
    Convert,
    LinalgProgram,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    Simple,
    simple_instructions,
)

FP8 = ("F8_E4M3FN", "F8_E5M2")
WIDE = FORMATS["f32"]
"""What is kept in place of FP8; it has every number of either format."""


class EmulatedFp8(LinalgDevice):
    """Conversions to FP8 of which nothing but a product or sum of matrices sees the result are made to f32 instead."""

    def cast(self, running: Running, cast: Cast) -> Bits:
        """A cast, to f32 where only products see it."""
        matrix, source = (running.program.matrix(name) for name in (cast.matrix, cast.source))
        if matrix.component not in FP8 or not kept_wide(running.program, matrix.name):
            return super().cast(running, cast)
        fmt, bits = self.matrix_held(running, source)
        running.held[matrix.name] = WIDE
        bits = self.converted_bits(bits, fmt, WIDE)
        return self.turned(bits) if cast.transpose else bits.copy()

    def convert(self, running: Running, method: Convert) -> Bits:
        """A conversion of a vector, to f32 where only products see it."""
        vector, source = (running.program.vector(name) for name in (method.vector, method.source))
        if vector.component not in FP8 or not kept_wide(running.program, vector.name):
            return super().convert(running, method)
        fmt, bits = self.vector_held(running, source)
        running.held[vector.name] = WIDE
        return self.fitted(self.converted_bits(bits, fmt, WIDE), vector.length)

    def factor(self, running: Running, matrix: Matrix, held: Held) -> Held:
        """A vector is not converted to FP8 to be multiplied."""
        if matrix.component in FP8 and held[0].is_float:
            return held
        return super().factor(running, matrix, held)


def kept_wide(program: LinalgProgram, name: str) -> bool:
    """Whether a matrix or vector is written by conversions alone, and seen by products and sums of matrices alone."""
    found = [one for one, _ in simple_instructions(program) if name in _named(one)]
    return all(_made(one) == name or name in _factors(one) for one in found)


def _made(found: Simple) -> str:
    """What a conversion makes of something else."""
    match found:
        case Cast() if found.matrix != found.source:
            return found.matrix
        case Convert() if found.vector != found.source:
            return found.vector
    return ""


def _factors(found: Simple) -> tuple[str, ...]:
    """The operands of products and sums."""
    match found:
        case Multiply() | MultiplyAccumulate():
            return found.a, found.b
        case Accumulate():
            return (found.operand,)
        case MultiplyVector():
            return (found.source, found.matrix)
    return ()


def _named(found: Simple) -> Iterator[str]:
    """Every name in an instruction."""
    return (value for field in found.__struct_fields__ if isinstance(value := getattr(found, field), str))
