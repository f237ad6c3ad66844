"""Rows of the tables of counterfactuals, and how a fault is made of one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.amd_rdna3_wmma.devices import tags
from mmaspec.backends.faults.defects.defective_unit import DefectiveUnit, Deviation
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.planting import Deviating
from mmaspec.backends.faults.register_kernels import OnlyWhere
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs.amd_rdna3_wmma.program import VWmma, Wmma, WmmaProgram

SPEC = "amd-rdna3-wmma"

Planted = tuple[str, str, str, Deviating, tuple[str, ...]]
"""Name, clause, as if, device, rows: tags of which any one is enough; none: all rows."""

ANY: tuple[str, ...] = ()
HALVES = ("acc-f16", "acc-bf16")
"""Rows whose C and D have 16 bits an element."""


_ALSO = {"constants-fill-low-halves-of-c": frozenset({"RDNA3-OPSEL-HIGH", "RDNA3-OPSEL-SLOT"})}
"""Of what is missing in high halves alone, that it is not where OPSEL says is right too."""


def _belongs(rows: frozenset[str], program: WmmaProgram, call: Wmma | VWmma | None) -> bool:
    """Whether a call has one of the tags."""
    return not rows.isdisjoint(tags(program, call))


def with_instructions(rows: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of rows of builtins, and those of the rows of instructions that are alike."""
    return (*rows, *(f"v-{tag}" for tag in rows if tag in ("int", "float") or tag.startswith("acc-")))


def planted(name: str, clause: str, behaves_as_if: str, device: Deviating, rows: tuple[str, ...]) -> Fault:
    """A device that deviates in the named rows only: a rule of one layout leaves the others alone.

    What it does with builtins it does with instructions too.
    """
    rows = with_instructions(rows)
    made = partial(OnlyWhere, device=device, plain=WmmaDevice, meant=partial(_belongs, frozenset(rows)))
    found = planting.fault(SPEC, f"rdna3-{name}", clause, behaves_as_if, made if rows else device, rows)
    return replace(found, also=_ALSO.get(name, frozenset()))


def _over(unit: ArithmeticUnit, *, deviation: Deviation, floats: bool | None) -> WmmaDevice:
    del unit
    return WmmaDevice(DefectiveUnit(deviation, floats=floats))


def over(deviation: Deviation, *, floats: bool | None = None) -> Deviating:
    """The reference device over an arithmetic unit that deviates in sums of floats, in others, or (None) in all."""
    return partial(_over, deviation=deviation, floats=floats)
