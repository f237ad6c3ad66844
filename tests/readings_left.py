"""Readings that still explain everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mmaspec.oracle.readings import Assignment, explained


def still_possible(options: Mapping[str, Iterable[str]], accepted: Sequence[tuple[Assignment, ...]]) -> set[Assignment]:
    """The assignments that explain every case."""
    return {whole for whole, count in explained(options, accepted).items() if count == len(accepted)}
