"""The message of a failing conformance test."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.suites.judging.record import Result

SHOWN = 5


def explain(failures: Sequence[Result]) -> str:
    """One line per failing case, the first few of them."""
    lines = [f"{len(failures)} cases failed"]
    for failure in failures[:SHOWN]:
        finding = failure.finding
        if finding is not None:
            clause = finding.blamed[0] if finding.blamed else "no clause"
            lines.append(f"{failure.case} {failure.row}: {clause}: {finding.says}")
    return "\n".join(lines)
