"""The clauses that an arithmetic unit carries out by itself, and those that it borrows from the code around it.

The column ``carried_by`` of the catalogues says so. Products, sums, their exactness, signs, overflow and what becomes
of C are the arithmetic's; validity (V), memory and layout (M) and caps (C) are always the surrounding code's.
"""

from __future__ import annotations

from functools import cache

from mmaspec.oracle.spec import spec_named, specs_at_hand


def arithmetic_clauses(spec: str) -> frozenset[str]:
    """The clauses of a specification that ``mma`` can get wrong. Raises ``BadInput`` for an unknown specification."""
    listed = spec_named(spec).catalogue.clause.items()
    return frozenset(name for name, clause in listed if clause.carried_by == "arithmetic")


@cache
def borrowed_clauses() -> tuple[str, ...]:
    """Every testable clause, of any specification, that an arithmetic-only backend borrows, by specification."""
    return tuple(
        name
        for spec in sorted(specs_at_hand(), key=lambda spec: spec.name)
        for name, clause in sorted(spec.catalogue.clause.items())
        if clause.testable and clause.carried_by != "arithmetic"
    )
