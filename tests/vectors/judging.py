"""Judging a device itself, and judging its answers later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from mmaspec.backends.protocol import Backend
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.vectors.answers import Replayed
from mmaspec.suites.vectors.evidence import weighed
from mmaspec.suites.vectors.recorded_run import RecordedExplainer
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run

from . import devices
from .conftest import Written


def live(written: Written, device: type[Backend]) -> list[Result]:
    """What judging the device itself gives."""
    backend = device()
    case_judge = CaseJudge(backend, backend.describe(), written.plan.profile, written.known, limit=0)
    return [case_judge.judge_listed(recipe)[0] for recipe in written.recipes]


def later(written: Written, results: Path) -> list[Result]:
    """What judging its answers gives."""
    backend = Replayed(written.folder, results)
    case_judge = CaseJudge(
        backend, backend.describe(), written.plan.profile, written.known, limit=0, explaining=RecordedExplainer
    )
    return weighed([case_judge.judge_listed(recipe)[0] for recipe in written.recipes])


def run_of(written: Written, backend: Backend, results: Sequence[Result]) -> Run:
    """The run that these results make."""
    plan = replace(written.plan, description=backend.describe())
    return assemble(plan, sorted(results, key=lambda result: result.case), {})


def failing(run: Run) -> list[str]:
    """The clauses that fail in it."""
    return sorted(name for name, clause in run.specs[devices.SPEC].clauses.items() if clause.status == "fail")
