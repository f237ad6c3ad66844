"""The parts of one kind in many cases, as a table: what is true of each, and in which case it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.suites.verdict.attributes import Attribute
from mmaspec.suites.verdict.features import Features


@dataclass(frozen=True, slots=True)
class Kind:
    """All parts that are called the same, such as the stores of all cases."""

    column: dict[Attribute, int]
    """Attribute -> its column."""
    has: NDArray[np.bool_]
    """``(parts, attributes)``."""
    owner: NDArray[np.intp]
    """The number of the case that each part is in."""
    cases: int

    @staticmethod
    def of(called: str, cases: Sequence[Features]) -> Kind:
        """The table of the parts of a kind."""
        column: dict[Attribute, int] = {}
        rows: list[list[int]] = []
        owner: list[int] = []
        for number, case in enumerate(cases):
            for name, attributes in case.parts:
                if name == called:
                    rows.append([column.setdefault(attribute, len(column)) for attribute in attributes])
                    owner.append(number)
        has = np.zeros((len(rows), len(column)), np.bool_)
        for part, row in enumerate(rows):
            has[part, row] = True
        return Kind(column, has, np.array(owner, np.intp), len(cases))
