"""A device that is legal under one reading only: a Load makes subnormals zero."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_wave_matrix.device import Arguments, Shader, WaveMatrixDevice
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Load, Matrix


class FlushingLoads(WaveMatrixDevice):
    """Loads make every subnormal a zero of its sign, as a conversion into an opaque format may (WM-AMB-18)."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """What is loaded, without its subnormals."""
        bits, fmt = super().load(shader, load, matrix, waves), FORMATS[matrix.element]
        if not fmt.is_float:
            return bits
        sign = np.uint64(fmt.sign_bit)
        return np.where(bits & ~sign < np.uint64(1 << fmt.fraction_bits), bits & sign, bits)
