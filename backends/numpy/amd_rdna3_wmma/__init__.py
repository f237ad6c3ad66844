"""The reference device for the RDNA3 matrix builtins."""

from __future__ import annotations

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.amd_rdna3_wmma.offered import offered
from mmaspec.backends.numpy.amd_rdna3_wmma.variants import VARIANTS
from mmaspec.backends.numpy.backend import Device

DEVICE = Device(
    make=WmmaDevice,
    offered=offered,
    liberties=frozenset({"order", "subnormals", "small-integers"}),
    variants=VARIANTS,
)
