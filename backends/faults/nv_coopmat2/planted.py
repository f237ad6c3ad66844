"""How a counterfactual of GL_NV_cooperative_matrix2 is made from a machine that deviates."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Machine
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.profile import PRACTICE

SPEC = "nv-coopmat2"


def _backend(name: str, machine: type[CoopMat2Machine]) -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {SPEC: machine}, name=f"fault:{name}", profile=PRACTICE)


def fault(
    name: str, clause: str, behaves_as_if: str, machine: type[CoopMat2Machine], rows: tuple[str, ...] = ()
) -> Fault:
    """A machine that breaks one clause; ``rows``: tags of the caps rows where it shows (none: everywhere)."""
    return Fault(name, SPEC, clause, behaves_as_if, partial(_backend, name, machine), rows)


def lenient(name: str, clause: str, behaves_as_if: str, rows: tuple[str, ...] = ()) -> Fault:
    """The reference machine without one of its checks."""
    machine = type("Lenient", (CoopMat2Machine,), {"unchecked": frozenset({clause}), "__doc__": behaves_as_if})
    return fault(name, clause, behaves_as_if, machine, rows)
