"""The reference device for HLSL linear algebra."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import Device
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.offered import offered
from mmaspec.backends.numpy.hlsl_linalg.variants import VARIANTS

DEVICE = Device(
    make=LinalgDevice,
    offered=offered,
    liberties=frozenset({"order", "subnormals", "int-overflow"}),
    variants=VARIANTS,
)
