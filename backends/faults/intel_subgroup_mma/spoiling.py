"""A device for sub-group matrix functions that changes what one instruction writes."""

from __future__ import annotations

from mmaspec.backends.faults.register_kernels import SpoilingDevice
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice


class Spoiling(SpoilingDevice, MadDevice):
    """Executes everything, and changes what one instruction writes."""
