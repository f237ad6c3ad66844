"""The numpy backend's machine for each specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaMachine
from mmaspec.backends.numpy.backend import Machine
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixMachine
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Machine
from mmaspec.backends.numpy.units.unit import ArithmeticUnit

MACHINES: Mapping[str, Callable[[ArithmeticUnit], Machine]] = MappingProxyType(
    {
        "amd-rdna3-wmma": WmmaMachine,
        "hlsl-wave-matrix": WaveMatrixMachine,
        "nv-coopmat2": CoopMat2Machine,
    }
)
"""Specification -> what makes its machine over an arithmetic unit."""
