"""The reference device for the sub-group matrix functions."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import Device
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice
from mmaspec.backends.numpy.intel_subgroup_mma.offered import offered

DEVICE = Device(make=MadDevice, offered=offered, liberties=frozenset({"order", "subnormals"}))
