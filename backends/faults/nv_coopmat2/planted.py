"""How a counterfactual of GL_NV_cooperative_matrix2 is made."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device

SPEC = "nv-coopmat2"

fault: partial[Fault] = partial(planting.fault, SPEC)
"""(name, clause, behaves_as_if, device, rows) -> the counterfactual."""

lenient: partial[Fault] = partial(planting.lenient, SPEC, CoopMat2Device)
"""(name, clause, behaves_as_if, rows) -> the reference device without the check of that clause."""
