"""A device for RDNA3 that changes what one instruction writes."""

from __future__ import annotations

from mmaspec.backends.faults.register_kernels import SpoilingDevice
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice


class Spoiling(SpoilingDevice, WmmaDevice):
    """Executes everything, and changes what one instruction writes."""
