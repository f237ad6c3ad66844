"""``mmaspec compare`` and ``mmaspec baseline update``."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from mmaspec.commands.gate import read_baseline
from mmaspec.programs.errors import BadInput, one_line
from mmaspec.reports.plain import plural
from mmaspec.reports.run_folder import read_gate, read_run
from mmaspec.suites.gate.baseline import Baseline, baseline_of, encode_baseline
from mmaspec.suites.planning.manifest import write_whole
from mmaspec.suites.verdict.compare import CHANGES, compare, differences


def compare_runs(before: Path, after: Path, *, as_json: bool) -> int:
    """Print what changed between two run folders; 1 if something broke or is no longer judged, else 0."""
    old, new = read_run(before)[0], read_run(after)[0]
    changes = compare(old, new)
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(changes), indent=1).decode() + "\n")
    else:
        lines = [f"the runs differ in {what}" for what in differences(old, new)]
        for kind in CHANGES:
            lines += [
                f"{kind}: {one.spec} {one.clause} [{one.row}]: {one.before}, now {one.after}" for one in changes[kind]
            ]
        lines.append(", ".join(f"{len(changes[kind])} {kind}" for kind in CHANGES))
        sys.stdout.write("\n".join(one_line(line) for line in lines) + "\n")
    return 1 if changes["broken"] or changes["no longer judged"] else 0


def update_baseline(folder: Path, file: Path) -> None:
    """Write the baseline that accepts just what the run in ``folder`` shows, and say what changes."""
    run, results = read_run(folder)
    gate = read_gate(folder)
    waived = (
        []
        if gate is None
        else [
            (one.spec, one.clause, one.row, one.symptom)
            for one in gate.accepted
            if one.by == "waiver" and not one.explored
        ]
    )
    now = baseline_of(run, results, waived)
    was = read_baseline(file) if file.exists() else None
    try:
        write_whole(file, encode_baseline(now))
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from error
    sys.stdout.write("\n".join(one_line(line) for line in _told(was, now, file)) + "\n")


def _told(was: Baseline | None, now: Baseline, file: Path) -> list[str]:
    accepted, judged = set(now.failures()), set(now.judged_places())
    lines = []
    if was is not None:
        before, reached = set(was.failures()), set(was.judged_places())
        for sign, places in (
            ("+ accepts", accepted - before),
            ("- accepts", before - accepted),
            ("+ judged", judged - reached),
            ("- judged", reached - judged),
        ):
            lines += [f"{sign}: {' '.join(place)}" for place in sorted(places)]
    return [*lines, f"{file}: {plural(len(accepted), 'failure')} accepted, {len(judged)} clauses x rows judged"]
