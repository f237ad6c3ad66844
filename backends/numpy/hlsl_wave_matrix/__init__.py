"""The reference device for HLSL WaveMatrix."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import Device
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixMachine
from mmaspec.backends.numpy.hlsl_wave_matrix.offered import offered

DEVICE = Device(
    machine=WaveMatrixMachine, offered=offered, liberties=frozenset({"order", "subnormals", "int-overflow"})
)
