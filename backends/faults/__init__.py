"""Counterfactuals, one module per specification, and defects, which every specification shares."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from mmaspec.backends.faults.defects.catalogue import PLANS, defects_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.programs.errors import BadInput

__all__ = ["Fault", "all_defects", "all_faults", "defects_of", "fault_named", "faults_of"]


@cache
def all_faults() -> tuple[Fault, ...]:
    """Every counterfactual, by specification and in the order of its module."""
    # Imported when asked for: a machine of one specification should not need those of the others.
    from mmaspec.backends.faults.amd_rdna3_wmma.catalogue import FAULTS as AMD_RDNA3_WMMA
    from mmaspec.backends.faults.hlsl_wave_matrix.catalogue import FAULTS as HLSL_WAVE_MATRIX
    from mmaspec.backends.faults.nv_coopmat2.catalogue import FAULTS as NV_COOPMAT2

    return (*AMD_RDNA3_WMMA, *HLSL_WAVE_MATRIX, *NV_COOPMAT2)


@cache
def faults_of(spec: str) -> tuple[Fault, ...]:
    """The counterfactuals of one specification; none for an unknown one."""
    return tuple(fault for fault in all_faults() if fault.spec == spec)


@cache
def all_defects() -> tuple[Fault, ...]:
    """Every defect that is no wrong reading of a clause, by specification."""
    return tuple(defect for spec in PLANS for defect in defects_of(spec))


def fault_named(name: str) -> Fault:
    """The counterfactual or defect called ``name``; ``BadInput`` with the nearest names if there is none."""
    found = {fault.name: fault for fault in (*all_faults(), *all_defects())}
    if name in found:
        return found[name]
    near = get_close_matches(name, found, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`mmaspec faults` lists them"
    raise BadInput(f"no fault named {name!r}; {hint}")
