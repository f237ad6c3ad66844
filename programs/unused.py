"""Names for declarations that are added to a program."""

from __future__ import annotations

from collections.abc import Iterable


def unused(name: str, taken: Iterable[str]) -> str:
    """``name``, or the first of ``name_``, ``name__``, ... that is not taken."""
    known = frozenset(taken)
    while name in known:
        name += "_"
    return name
