"""Classes of many alike parts at once: the elements of a D, the matrices of a batch; and a few that show them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.strategies.axes.observation import Answer, Look, Subject, UnknownClass
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.register_kernels.observations.flow import Event

SHOWN = 24
"""Parts of one table that are shown, beyond those that it takes to show every class."""


class Table:
    """Classes of parts; each column is an axis and a class, each row a part."""

    def __init__(self, subject: Subject, shape: tuple[int, ...]) -> None:
        self.spec: str = subject.case.spec
        self.shape: tuple[int, ...] = shape
        self.columns: dict[str, dict[str, Flags]] = {}

    def put(self, axis: str, classes: Mapping[str, Flags]) -> None:
        """Which parts have these classes; each array has the shape of the table or one that broadcasts to it."""
        known = self.columns.setdefault(axis, {})
        for name, flags in classes.items():
            if flags.any():
                flat = np.broadcast_to(flags, self.shape).reshape(-1)
                known[name] = known[name] | flat if name in known else flat

    def number(self, axis: str, values: NDArray[np.int64], where: Flags | None = None) -> None:
        """The classes of numbers, where they have one. Raises `UnknownClass`."""
        here = np.ones(values.shape, np.bool_) if where is None else where
        found = values[here]
        if not found.size:
            return
        least, most = found.min(), found.max()
        left = here.copy()
        for name, one in space_of(self.spec).axis[axis].classes.items():
            assert one.least is not None
            assert one.most is not None
            if one.most < least or one.least > most:
                continue
            inside = here & (values >= one.least) & (values <= one.most)
            left &= ~inside
            self.put(axis, {name: inside})
        if left.any():
            raise UnknownClass(f"axis {axis}: {values[left][0]} is in no class")

    def named(self, axis: str, value: int) -> tuple[str, ...]:
        """The classes of one number. Raises `UnknownClass`."""
        return _named(self.spec, axis, value)

    def classes(self, axis: str, row: int) -> list[str]:
        """The classes of one part."""
        return [name for name, flags in self.columns.get(axis, {}).items() if flags[row]]

    def all(self, axis: str) -> list[str]:
        """The classes of some part."""
        return list(self.columns.get(axis, {}))

    def shown(self) -> list[int]:
        """Rows that have every class between them, and some more; no two have the same classes."""
        columns = [flags for axis in self.columns.values() for flags in axis.values()]
        if not columns:
            return [0]
        matrix = np.stack(columns, axis=1)
        packed = np.packbits(matrix, axis=1)
        codes = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
        _, rows = np.unique(codes, return_index=True)
        kinds, missing = matrix[rows], np.ones(len(columns), np.bool_)
        found: list[int] = []
        while missing.any():
            best = int((kinds & missing).sum(axis=1).argmax())
            missing &= ~kinds[best]
            found.append(best)
        more = np.linspace(0, len(rows) - 1, SHOWN).astype(np.intp)
        return [int(rows[n]) for n in dict.fromkeys([*found, *more.tolist()])]


@cache
def _named(spec: str, axis: str, value: int) -> tuple[str, ...]:
    classes = space_of(spec).axis[axis].classes.items()
    found = tuple(
        name
        for name, one in classes
        if one.least is not None and one.most is not None and one.least <= value <= one.most
    )
    if not found:
        raise UnknownClass(f"axis {axis}: {value} is in no class")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One part of a table: an element of a product's D, or one of its operands in one item and wave."""

    event: Event
    table: Table
    row: int
    role: str = ""

    @property
    def item(self) -> int:
        """The row: of operands item times waves plus wave."""
        return self.row


def column(axis: str) -> Look:
    """The look of an axis that a table has."""

    def look(_: object, thing: object) -> Answer:
        part: Part = thing.of  # type: ignore[attr-defined]
        return part.table.classes(axis, part.row)

    return look
