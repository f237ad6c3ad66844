"""The reference device for GL_NV_cooperative_matrix2."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import Device
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.offered import offered
from mmaspec.backends.numpy.nv_coopmat2.variants import VARIANTS

DEVICE = Device(
    make=CoopMat2Device, offered=offered, liberties=frozenset({"order", "subnormals", "nan"}), variants=VARIANTS
)
