"""The order of suspected clauses: the narrowest first where something narrows them down, else the widest."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.oracle.clauses import Catalogue
from mmaspec.suites.judging.blaming.wrong_tile import Target
from mmaspec.suites.judging.patterns.pattern import Pattern


def without_nan(catalogue: Catalogue, clauses: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses but those that demand NaN, where others are left: for failures in which no NaN is missing."""
    return tuple(name for name in clauses if not catalogue.clause[name].nan) or clauses


def by_refinement(catalogue: Catalogue, clauses: Sequence[str]) -> tuple[str, ...]:
    """The clauses with the narrowest first: one that refines another stands before it.

    Last come those that no case can show to be broken: whatever they are about, what it leaves breaks another one.
    """
    known = catalogue.clause
    return tuple(sorted(clauses, key=lambda name: (bool(known[name].why_not), -refinements(catalogue, name))))


def about(catalogue: Catalogue, clauses: Sequence[str], argument: str) -> tuple[str, ...]:
    """Those of the clauses that say what an argument does, which is named as in ``slice.offsets``."""
    named = {argument, argument.rpartition(".")[2]} - {""}
    return tuple(name for name in clauses if not named.isdisjoint(catalogue.clause[name].arguments))


def widest(catalogue: Catalogue, clauses: Sequence[str]) -> tuple[str, ...]:
    """The other way round, results before layouts and what needs circumstances: for what nothing narrows down."""
    known = catalogue.clause
    return tuple(
        sorted(
            clauses,
            key=lambda name: (
                bool(known[name].why_not),
                bool(known[name].needs),
                refinements(catalogue, name),
                known[name].kind != "X",
            ),
        )
    )


def values_first(catalogue: Catalogue, clauses: Sequence[str]) -> tuple[str, ...]:
    """The clauses with those behind that say how operands come and results go, as in place, and nothing of values.

    For failures that hang on the values. What refines a clause about a range is about it as well. What no case can show
    to be broken stays last.
    """
    known = catalogue.clause

    def of_range(name: str) -> bool:
        return "range" in known[name].needs or any(map(of_range, known[name].refines))

    def of_places(name: str) -> bool:
        return known[name].carried_by == "around" and not of_range(name)

    return tuple(sorted(clauses, key=lambda name: (bool(known[name].why_not), of_places(name))))


def misplaced_first(catalogue: Catalogue, clauses: Sequence[str], pattern: Pattern, target: Target) -> tuple[str, ...]:
    """Clauses about this kind of pattern, about places of what it shows, about places at all, then the others.

    Values of other waves are about what needs several waves. An addend has the layout of a result.
    """
    known = catalogue.clause
    of_result = target in ("result", "C")
    whose = "result" if of_result else f"{target} {pattern.axis}" if target == "product" else "operand"
    return tuple(
        dict.fromkeys(
            (
                *(name for name in clauses if pattern.kind == "wave" and "waves" in known[name].needs),
                *(name for name in clauses if of_result and pattern.kind in known[name].patterns),
                *(name for name in clauses if whose in known[name].patterns),
                *by_refinement(catalogue, [name for name in clauses if known[name].kind == "M"]),
                *widest(catalogue, clauses),
            )
        )
    )


def refinements(catalogue: Catalogue, name: str) -> int:
    """How many steps of refinement lead to a clause."""
    wider = [other for other in catalogue.clause[name].refines if other in catalogue.clause]
    return max((refinements(catalogue, other) + 1 for other in wider), default=0)
