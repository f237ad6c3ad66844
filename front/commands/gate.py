"""The gate of a run: waivers and a baseline, read before the run and applied after it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mmaspec.backends.failures import BadReply, Raised, error_line
from mmaspec.backends.resolve import isolated
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import read_plain
from mmaspec.reports.code_spans import bare, without_reasons
from mmaspec.reports.gate_view import called
from mmaspec.reports.plain import plural
from mmaspec.suites.gate.baseline import MAX_BASELINE, Baseline, decode_baseline
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.gate.model import EXIT_CODES, WRONG, Failure, Gate, WaiverState
from mmaspec.suites.gate.pinned import replay_pinned
from mmaspec.suites.gate.waivers import Pinned, read_waivers
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.vectors.answers import Replayed
from mmaspec.suites.verdict.model import EXIT_CODES as RUN_CODES
from mmaspec.suites.verdict.model import Run

SHOWN = 10
"""Lines of a kind that are printed."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """The accepted failures, as read from the files."""

    waivers: tuple[Pinned, ...] | None = None
    baseline: Baseline | None = None
    where: str = ""
    """The baseline's file."""

    @property
    def given(self) -> bool:
        """Whether there are waivers or a baseline."""
        return self.waivers is not None or self.baseline is not None


NOTHING = Expectations()


def read_expectations(waivers: Path | None, baseline: Path | None) -> Expectations:
    """Read the files given. Raises ``BadInput``."""
    return Expectations(
        waivers=None if waivers is None else read_waivers(waivers),
        baseline=None if baseline is None else read_baseline(baseline),
        where=str(baseline or ""),
    )


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises ``BadInput``."""
    return decode_baseline(read_plain(path, MAX_BASELINE), str(path))


def replay_waived(plan: Plan, accepted: Expectations) -> list[WaiverState]:
    """Replay every pinned case, before anything else is run, or look up the recorded answer. Raises ``BadInput``."""
    if accepted.baseline is not None and accepted.baseline.backend != plan.description.name:
        was, now = accepted.baseline.backend, plan.description.name
        raise BadInput(f"{accepted.where}: a baseline of backend {was}; this run is of {now}")
    if not accepted.waivers:
        return []
    today = datetime.now(UTC).date()
    if plan.recorded is not None:
        return replay_pinned(Replayed(*map(Path, plan.recorded)), plan, accepted.waivers, today)
    with isolated(plan.backend, timeout_s=plan.time_limit) as backend:
        try:
            return replay_pinned(backend, plan, accepted.waivers, today)
        except (Raised, BadReply) as error:
            raise BadInput(f"backend {plan.backend}: could not say what it is: {error_line(error)}") from error


def hold_to(run: Run, results: Sequence[Result], states: Sequence[WaiverState], accepted: Expectations) -> Gate | None:
    """The gate's answer; None where the run is held to nothing."""
    return decide(run, results, states, accepted.baseline) if accepted.given else None


def exit_code(run: Run, gate: Gate | None) -> int:
    """The gate's exit code, or the run's own."""
    return RUN_CODES[run.verdict] if gate is None else EXIT_CODES[gate.verdict]


def print_gate(gate: Gate) -> None:
    """Print the decision of the gate, and why."""
    lines = [gate.headline]
    lines += [
        f"  waiver of {state.waiver.clause} ({state.waiver.owner}): {state.state}: {state.says}"
        for state in gate.waivers
        if state.state in WRONG or state.state == "inconclusive"
    ]
    # A file may serve several devices; but a pattern that is mistyped looks the same.
    elsewhere = [state for state in gate.waivers if state.state == "not for this run"]
    lines += [
        f"  {plural(len(elsewhere), 'waiver')} not for this run; that of {state.waiver.clause}: {state.says}"
        for state in elsewhere[:1]
    ]
    for fixed, failures in (("", gate.new), ("fixed, so the baseline can be updated", gate.fixed)):
        lines += [
            f"  {fixed or called(one)}: {one.clause or 'no clause'} [{one.row}]{_says(one)}" for one in failures[:SHOWN]
        ]
        lines += [f"  and {len(failures) - SHOWN} more"] if len(failures) > SHOWN else []
    for what, places in (("no longer judged", gate.lost), ("not judged", gate.unproved)):
        lines += [f"  {what}: {place.clause} [{place.row}]" for place in places[:SHOWN]]
        lines += [f"  and {len(places) - SHOWN} more"] if len(places) > SHOWN else []
    sys.stdout.write("\n".join(lines) + "\n")


def _says(failure: Failure) -> str:
    """What is wrong in one of its cases; the findings above have the rest."""
    return f": {bare(without_reasons(failure.says))}" if failure.says else ""
