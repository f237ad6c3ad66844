"""What practice demands beyond the documents, told apart from what they do (``Clause.apart``)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mmaspec.oracle.spec import spec_named
from mmaspec.suites.judging.blaming.blamed import SLIGHT, Blame
from mmaspec.suites.judging.blaming.suspects import widest


def apart(spec: str, clauses: Collection[str]) -> tuple[str, ...]:
    """Which of the clauses are on practice and told apart from what the documents demand (``Clause.apart``)."""
    known = spec_named(spec).catalogue.clause
    return tuple(sorted(name for name in clauses if known[name].apart))


def narrowed(
    spec: str, blamed: Blame, acted: Collection[str], told_apart: Collection[str], *, documents: bool
) -> Blame:
    """The blame without the clauses that are told apart where documents are broken, and else one of these alone.

    Where nothing else was blamed, a value is wrong by more than accuracy: the widest clauses about values come first.
    A slight error of a sum is none of its operands' places: then no others are suspected.
    """
    suspects = (*blamed.clauses, *blamed.own, *sorted(acted))
    if not documents:
        return replace(blamed, clauses=tuple(name for name in suspects if name in told_apart)[:1])
    catalogue = spec_named(spec).catalogue
    if blamed.how == SLIGHT:
        known = catalogue.clause
        sums = [name for name in widest(catalogue, blamed.own) if known[name].kind == "X" and not known[name].needs]
        if left := tuple(name for name in sums if known[name].carried_by == "arithmetic"):
            return replace(blamed, clauses=left)
    for some in (blamed.clauses, widest(catalogue, blamed.own), tuple(sorted(acted))):
        if left := tuple(name for name in some if name not in told_apart):
            return replace(blamed, clauses=left)
    return blamed
