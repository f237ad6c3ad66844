"""The known defects, planted in the reference device of every specification under which they are defects."""

from __future__ import annotations

from functools import cache, partial

from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import DefectiveUnit
from mmaspec.backends.faults.defects.memory import MEMORY, MemoryDefect
from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.faults.fault import Family, Fault
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.specifications import SPECS, blaming, clauses_of, has, part, specification


@cache
def defects_of(spec: str) -> tuple[Fault, ...]:
    """Every defect of a specification: of float sums, of integer sums, of memory; none for an unknown one.

    None, too, for a specification whose faults have no ``DEFECTS``. Raises ``BadInput`` for a third party's that is
    broken.
    """
    if spec not in SPECS or not has(spec, "faults", "DEFECTS"):
        return ()
    plan = part(spec, "faults", "DEFECTS", Plan, lambda plan: plan.flaws(clauses_of(spec)))
    with blaming(spec, f"{specification(spec).module('faults')}.DEFECTS"):
        return _planted(spec, plan)


def _planted(spec: str, plan: Plan) -> tuple[Fault, ...]:
    # Imported when asked for: sensitivity needs none of them.
    from mmaspec.backends.faults.defects import integers, values, width, wiring
    from mmaspec.backends.numpy.devices import DEVICES

    found: list[Fault] = []
    tables: tuple[tuple[Family, tuple[Defect, ...]], ...] = (
        ("arithmetic", (*width.DEFECTS, *wiring.DEFECTS, *values.DEFECTS)),
        ("integer", integers.DEFECTS),
    )
    for family, defects in tables:
        for defect in defects:
            if not plan.has(defect.name, defect.where):
                continue
            name = f"{plan.prefix}-{defect.name}"
            unit = DefectiveUnit(defect.deviation, floats=family == "arithmetic")
            make = partial(NumpyBackend, unit, {spec: DEVICES[spec]}, name=f"fault:{name}", profile=PRACTICE)
            role = "int" if family == "integer" and defect.role == "sum" else defect.role
            clause = plan.clauses.get(defect.name) or plan.clauses[role]
            also = plan.also.get(defect.name, frozenset()) | plan.also.get(role, frozenset())
            found.append(
                Fault(name, spec, clause, defect.behaves_as_if, make, defect.rows, family, defect.imitates, also=also)
            )
    for memory in MEMORY:
        if plan.has(memory.name, memory.where):
            name = f"{plan.prefix}-{memory.name}"
            clause = plan.clauses.get(memory.name) or plan.clauses[f"{memory.verb}-{memory.way}"]
            make = partial(_with_memory, name, spec, plan, memory)
            also = plan.also.get(memory.name, frozenset())
            found.append(Fault(name, spec, clause, memory.behaves_as_if, make, (), "state", memory.imitates, also=also))
    return tuple(found)


def _with_memory(name: str, spec: str, plan: Plan, defect: MemoryDefect) -> NumpyBackend:
    devices = {spec: lambda unit: plan.memory(unit, defect)}
    return NumpyBackend(SequentialUnit(), devices, name=f"fault:{name}", profile=PRACTICE)
