"""``mmaspec score``."""

from __future__ import annotations

import sys
from statistics import median

import msgspec
from rich.console import Console
from rich.progress import Progress

from mmaspec.commands.catalogue import show, table
from mmaspec.options import worker_count
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS
from mmaspec.suites.score.scoring import PARTS, FaultScore, Score
from mmaspec.suites.score.scoring import score as scored


def score(
    specs: list[str] | None, tier: str, seed: int | None, workers: int | None, only: str | None, *, as_json: bool
) -> int:
    """Print how the suite fares against backends whose defects are known; 1 if it is not perfect."""
    if tier not in TIERS:
        raise BadInput(f"no tier named {tier!r}; there are {', '.join(TIERS)}")
    if only is not None and only not in PARTS:
        raise BadInput(f"--only {only}: expected {' or '.join(PARTS)}")
    wanted = tuple(dict.fromkeys(spec_named(name).name for name in specs or SPECS))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("judging the suite", total=None)
        found = scored(
            wanted,
            tier,
            DEFAULT_SEED if seed is None else seed,
            max(1, worker_count(workers)),
            lambda done, total: bar.update(task, completed=done, total=total),
            PARTS if only is None else (only,),
        )
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n")
    else:
        _print(found)
    return 0 if found.perfect else 1


PLANTED = {
    "clause": "wrong readings of clauses",
    "arithmetic": "defects of float sums",
    "integer": "defects of integer sums",
    "state": "defects of memory",
}
"""What a family of planted faults is called."""


def _print(found: Score) -> None:
    rows = table("SPEC", "PLANTED", "", "CAUGHT", "RIGHTLY BLAMED", "AS IF UNKNOWN", "FIRST KILL, MEDIAN S", "LATEST S")
    for spec, family in dict.fromkeys((fault.spec, fault.family) for fault in found.faults):
        mine = [fault for fault in found.faults if (fault.spec, fault.family) == (spec, family)]
        killed = [fault for fault in mine if fault.killed]
        seconds = [fault.first_kill_s for fault in killed if fault.first_kill_s is not None]
        rows.add_row(
            spec,
            PLANTED[family],
            str(len(mine)),
            _share(len(killed), len(mine)),
            _share(sum(fault.blamed for fault in mine), len(mine)),
            _share(sum(fault.blamed_unknown for fault in mine), len(mine)),
            f"{median(seconds):.2f}" if seconds else "-",
            f"{max(seconds):.2f}" if seconds else "-",
        )
    if found.faults:
        show(rows)
    alarms = table("LEGAL VARIANT", "SPEC", "CASES", "ELEMENTS JUDGED", "FALSE ALARMS")
    for variant in found.legal:
        alarms.add_row(variant.name, variant.spec, str(variant.cases), f"{variant.judged:,}", str(variant.failed))
    if found.legal:
        show(alarms)
    for fault in found.faults:
        if problem := _problem(fault):
            sys.stdout.write(f"{fault.name} ({fault.clause}): {problem}\n")


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


def _problem(fault: FaultScore) -> str:
    if not fault.killed:
        return "not caught"
    return "" if fault.blamed else f"named instead: {', '.join(name or 'nothing' for name in fault.named)}"
