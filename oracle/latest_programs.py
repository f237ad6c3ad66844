"""What was worked out about the programs that were asked about latest, so that it is not worked out again.

Programs are told apart as objects, since none is ever changed; equal ones that were made apart are not compared.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

KEPT = 4
"""So many programs are remembered."""


class LatestPrograms(Generic[K, V]):
    """Results about programs: a table for each of the latest ones, which its user fills."""

    def __init__(self) -> None:
        self._tables: deque[tuple[Any, dict[K, V]]] = deque(maxlen=KEPT)

    def about(self, program: Any) -> dict[K, V]:
        """The table of a program; an empty one if it was not asked about lately."""
        for known, table in self._tables:
            if known is program:
                return table
        table = {}
        self._tables.appendleft((program, table))
        return table
