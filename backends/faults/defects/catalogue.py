"""Defects seen in the world, planted in the machine of every specification where they are defects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType

from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import DefectiveUnit
from mmaspec.backends.faults.defects.memory import MEMORY, MemoryDefect
from mmaspec.backends.faults.fault import Family, Fault
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.programs.profile import PRACTICE


@dataclass(frozen=True, slots=True)
class Plan:
    """How a specification names what defects break.

    ``clauses``: by role, or by the name of one defect; memory defects by verb and way. ``window``: whether sums of
    small integers have to be exact.
    """

    prefix: str
    clauses: Mapping[str, str]
    window: bool


PLANS: Mapping[str, Plan] = MappingProxyType(
    {
        "amd-rdna3-wmma": Plan(
            "rdna3",
            {
                "sum": "RDNA3-FP-ACC",
                "addend": "RDNA3-MMA",
                "addend-value": "RDNA3-MMA",
                "nan": "RDNA3-FP-NAN",
                "int": "RDNA3-IU-DOT-RANGE",
                "int-addend": "RDNA3-MMA",
                "int-range": "RDNA3-IU-ACC",
                "sign": "RDNA3-IU-SIGN",
                "wrap": "RDNA3-IU-NOCLAMP",
                "load-any": "RDNA3-MEM-FREE",
                "store-any": "RDNA3-MEM-FREE",
                "skip-any": "RDNA3-MEM-FREE",
                "spill-any": "RDNA3-STORE-ONLY",
                "pairs-of-a-exchanged": "RDNA3-AB-PACK16",
                "pairs-of-b-exchanged": "RDNA3-AB-PACK16",
                "int-bytes-of-a-reversed": "RDNA3-AB-PACK8",
                "infinity-in-c-is-largest": "RDNA3-MMA",
                "halves-added-apart": "RDNA3-IU-ACC",
            },
            window=False,
        ),
        "hlsl-wave-matrix": Plan(
            "wm",
            {
                "sum": "WM-FP-SUM",
                "addend": "WM-MAC",
                "addend-value": "WM-FP-SUM",
                "nan": "WM-FP-SUM",
                "int": "WM-INT-EXACT",
                "int-addend": "WM-MAC",
                "int-range": "WM-INT-EXACT",
                "sign": "WM-MUL-MIXSIGN",
                "load-row": "WM-ADDR-ROW",
                "load-column": "WM-ADDR-COL",
                "store-column": "WM-ADDR-COL",
                "skip-column": "WM-ADDR-COL",
                "spill-any": "WM-STORE-ONLY-ELEMS",
                "c-of-16-bits": "WM-INT-EXACT",
                "int-last-product-missing": "WM-DEPTH-ELEMS",
                "int-second-half-missing": "WM-DEPTH-ELEMS",
                "int-first-half-again": "WM-DEPTH-ELEMS",
            },
            window=True,
        ),
        "nv-coopmat2": Plan(
            "cm",
            {
                "sum": "KHRCM-FP-ORDER",
                "addend": "KHRCM-MULADD",
                "addend-value": "KHRCM-MULADD",
                "int": "KHRCM-INT-EXT",
                "int-addend": "KHRCM-MULADD",
                "int-range": "KHRCM-INT-WRAP",
                "sign": "KHRCM-INT-EXT",
                "wrap": "KHRCM-INT-WRAP",
                "load-row": "KHRCM-LOAD-ROW",
                "load-column": "KHRCM-LOAD-COL",
                "store-column": "KHRCM-LOAD-COL",
                "skip-column": "KHRCM-LOAD-COL",
                "spill-any": "KHRCM-STORE-ONCE",
                "halves-added-apart": "KHRCM-MULADD",
            },
            window=True,
        ),
    }
)
"""Specification -> its plan."""


def _with_memory(name: str, spec: str, defect: MemoryDefect) -> NumpyBackend:
    from mmaspec.backends.faults.defects.memory_devices import MACHINES

    machine = MACHINES[spec]
    return NumpyBackend(
        SequentialUnit(), {spec: lambda unit: machine(unit, defect)}, name=f"fault:{name}", profile=PRACTICE
    )


@cache
def defects_of(spec: str) -> tuple[Fault, ...]:
    """Every defect of a specification: of float sums, of integer sums, of memory; none for an unknown one."""
    # Imported when asked for: sensitivity needs none of them.
    from mmaspec.backends.faults.defects import integers, values, width, wiring
    from mmaspec.backends.numpy.devices import MACHINES

    if spec not in PLANS:
        return ()
    plan, found = PLANS[spec], []
    tables: tuple[tuple[Family, tuple[Defect, ...]], ...] = (
        ("arithmetic", (*width.DEFECTS, *wiring.DEFECTS, *values.DEFECTS)),
        ("integer", integers.DEFECTS),
    )
    for family, defects in tables:
        for defect in defects:
            if spec not in defect.specs or (defect.window and not plan.window):
                continue
            name = f"{plan.prefix}-{defect.name}"
            unit = DefectiveUnit(defect.deviation, floats=family == "arithmetic")
            make = partial(NumpyBackend, unit, {spec: MACHINES[spec]}, name=f"fault:{name}", profile=PRACTICE)
            role = "int" if family == "integer" and defect.role == "sum" else defect.role
            clause = plan.clauses.get(defect.name) or plan.clauses[role]
            found.append(Fault(name, spec, clause, defect.behaves_as_if, make, defect.rows, family, defect.imitates))
    for memory in MEMORY:
        if spec in memory.specs:
            name = f"{plan.prefix}-{memory.name}"
            clause = plan.clauses.get(memory.name) or plan.clauses[f"{memory.verb}-{memory.way}"]
            make = partial(_with_memory, name, spec, memory)
            found.append(Fault(name, spec, clause, memory.behaves_as_if, make, (), "state", memory.imitates))
    return tuple(found)
