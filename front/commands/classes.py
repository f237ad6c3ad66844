"""The second half of ``mmaspec score --mutants``: devices that are wrong exactly where something has a class."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mmaspec.commands.catalogue import show, table
from mmaspec.suites.score.classes.scoring import SpecClasses, Tried

COLUMNS = ("SPEC", "CASES", "OF", "DRAWN", "KILLED", "EQUIVALENT", "UNJUDGED", "FREE", "REFUSED", "UNSEEN", "RATE")
CALLED = {1: "classes", 2: "pairs", 3: "triples"}
REASONS = {
    "unjudged": "nothing judged depends on it",
    "free": "everything is legal where it would be wrong",
    "refused": "only programs that must be refused have it",
    "unseen": "no case has it",
}
"""Why a mutant survives, in the order in which survivors are listed."""


def show_classes(found: Sequence[SpecClasses]) -> None:
    """Print how many are killed, then every survivor."""
    rows = table(
        "SPEC", "CASES", "MUTANTS OF", "DRAWN", "KILLED", "EQUIVALENT", "UNJUDGED", "REFUSED", "UNSEEN", "RATE"
    )
    for one in found:
        for of in one.strengths:
            counts = (of.drawn, of.killed, of.equivalent, of.unjudged, of.free, of.refused, of.unseen)
            rate = "-" if of.rate is None else f"{100 * of.rate:.1f} %"
            rows.add_row(one.spec, str(one.cases), CALLED[of.classes], *map(str, counts), rate)
    show(rows)
    for one in found:
        for of in one.strengths:
            for reason, text in REASONS.items():
                for mutant in of.mutants:
                    if mutant.state == "survivor" and mutant.reason == reason:
                        sys.stdout.write(f"{one.spec}: {text}: {_told(mutant)}\n")
            for mutant in of.mutants:
                if mutant.kind and mutant.why:
                    sys.stdout.write(
                        f"{one.spec}: {_told(mutant)}: judged equivalent, but case {mutant.case} notices it\n"
                    )


def _told(mutant: Tried) -> str:
    return f"{mutant.group}: {', '.join(mutant.classes)}"
