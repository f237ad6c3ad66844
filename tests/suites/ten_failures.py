"""A backend with ten failures at once, which can be mended one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.faults.amd_rdna3_wmma.devices import (
    ClampsUnsigned,
    FirstTileEveryPass,
    LiteralReadsDestination,
)
from mmaspec.backends.faults.planting import without
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.case import Case
from mmaspec.oracle.numerics.ordinals import is_nan
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.gate.waivers import Pinned, Waiver
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run
from tests.case_lists import case_list

SPEC = "amd-rdna3-wmma"


class NaNBecomesZero(WmmaDevice):
    """NaN results are zero."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Zero for NaN."""
        total, result = super().product(step, a, b, c), self.results_in(step)
        return total if result == "i32" else np.where(is_nan(format_named(result), total), np.uint64(0), total)


CHECKS = (
    "RDNA3-SHAPE", "RDNA3-OPS", "RDNA3-WAVE-SIZE", "RDNA3-SIG", "RDNA3-OPSEL-ONLY16", "RDNA3-IU-IMMEDIATE",
)  # fmt: skip
DEVICES: dict[str, type[WmmaDevice]] = {
    "RDNA3-IU-CLAMP": ClampsUnsigned,
    "RDNA3-FP-NAN": NaNBecomesZero,
    "RDNA3-ZERO-C": LiteralReadsDestination,
    "RDNA3-TILE": FirstTileEveryPass,
}
BROKEN = (*CHECKS, *DEVICES)
FAR = date(9999, 12, 31)


def backend(mended: Collection[str] = ()) -> NumpyBackend:
    """Everything in ``BROKEN`` at once, but what is mended."""
    devices = tuple(device for clause, device in DEVICES.items() if clause not in mended)
    device = type("Broken", (*devices, WmmaDevice), {})
    made = without(device, *(clause for clause in CHECKS if clause not in mended))
    return NumpyBackend(SequentialUnit(), {SPEC: made}, name="ten-failures", profile=PRACTICE)


def planned(under_test: Any, seed: int) -> tuple[Plan, tuple[Recipe, ...]]:
    return prepare(Wanted(backend="ten-failures", specs=(SPEC,), tier="quick", seed=seed), under_test, case_list)


def judged(under_test: Any, plan: Plan, recipes: Iterable[Recipe], *, sensitive: bool = False) -> list[Result]:
    """The results of a few cases, without reduced cases."""
    listed = list(recipes)
    known: dict[str, tuple[str, ...]] = {} if sensitive else {recipe.id: () for recipe in listed}
    case_judge = CaseJudge(under_test, plan.description, plan.profile, known, limit=0)
    return sorted((case_judge.judge_listed(recipe)[0] for recipe in listed), key=lambda result: result.case)


def run_of(plan: Plan, results: Sequence[Result]) -> Run:
    return assemble(plan, results, {})


def pinned(clause: str, case: Case, **changed: Any) -> Pinned:
    waiver = Waiver(
        clause=clause, reason="known", link="https://example.org/1", owner="someone", expires=FAR, case="case.json"
    )
    return Pinned(replace(waiver, **changed), SPEC, case)
