"""The reference device for HLSL WaveMatrix."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import Device
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.offered import offered
from mmaspec.backends.numpy.hlsl_wave_matrix.variants import VARIANTS

DEVICE = Device(
    make=WaveMatrixDevice,
    offered=offered,
    liberties=frozenset({"order", "subnormals", "int-overflow"}),
    variants=VARIANTS,
)
