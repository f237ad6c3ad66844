"""Comparing two runs: what was fixed, what broke, what is newly judged, what is no longer judged."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from mmaspec.suites.verdict.model import Run
from mmaspec.suites.verdict.verdicts import pointless

UNSTABLE = "unstable"
"""Stands where a change names its clause."""
CHANGES = ("broken", "no longer judged", "fixed", "newly judged")
"""Worst first."""


class Change(Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """A clause in a caps row whose verdict changed; ``absent`` if a run does not have it.

    That a specification's cases are unstable is no clause's: it stands as ``unstable`` in row ``*``.
    """

    spec: str
    clause: str
    row: str
    before: str
    after: str


def compare(before: Run, after: Run) -> dict[str, list[Change]]:
    """The changes by kind, each sorted.

    broken: fails, and did not before. fixed: failed before, and passes or has no meaning there. no longer judged:
    neither passes nor fails, and did before. newly judged: passes, and neither passed nor failed before.
    """
    old, new = _cells(before), _cells(after)
    pointless_now = {
        (name, clause, row)
        for name, spec in after.specs.items()
        for clause, found in spec.clauses.items()
        for row, cell in found.rows.items()
        if pointless(cell)
    }
    changes: dict[str, list[Change]] = {kind: [] for kind in CHANGES}
    for place in sorted(old.keys() | new.keys()):
        was, now = old.get(place, "absent"), new.get(place, "absent")
        gone = (place[1] == UNSTABLE and now == "absent") or (was == "fail" and place in pointless_now)
        if kind := "fixed" if gone else _kind(was, now):
            changes[kind].append(Change(*place, was, now))
    return changes


def _kind(was: str, now: str) -> str:
    judged = {"pass", "fail"}
    if now == "fail":
        return "" if was == "fail" else "broken"
    if now == "pass":
        return {"pass": "", "fail": "fixed"}.get(was, "newly judged")
    return "no longer judged" if was in judged else ""


def _cells(run: Run) -> Mapping[tuple[str, str, str], str]:
    """(specification, clause, row) -> status. Unstable answers fail a place of their own."""
    unstable = {(group.spec, UNSTABLE, "*"): "fail" for group in run.findings if group.symptom == UNSTABLE}
    return unstable | {
        (name, clause, row): cell.status
        for name, spec in run.specs.items()
        for clause, found in spec.clauses.items()
        for row, cell in found.rows.items()
    }


def differences(before: Run, after: Run) -> list[str]:
    """The settings in which the two runs differ; a change may be due to them."""
    pairs = {
        "backend": (before.backend_name, after.backend_name),
        "profile": (_name(before.profile), _name(after.profile)),
        "authority": (before.authority, after.authority),
        "tier": (before.tier, after.tier),
        "seed": (str(before.seed), str(after.seed)),
        "case list": (before.case_list, after.case_list),
    }
    return [f"{what} {was} and {now}" for what, (was, now) in pairs.items() if was != now]


def _name(described: object) -> str:
    return str(described.get("name", "practice")) if isinstance(described, dict) else ""
