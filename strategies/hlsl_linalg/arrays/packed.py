"""Arrays of which a case has several things, each with classes of its own: one access is too little for a case.

What meets are the classes of one thing. A covering array of things is cut into parts, and every part is a case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.strategies.array import ROW, classes_of
from mmaspec.strategies.covering import Tuple, covering
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

PART = "part"
"""The axis of a case: which things it has."""
SPEC = "hlsl-linalg"

Build = Callable[[DrawContext[LinalgCaps], tuple[Chosen, ...]], Draft | None]
"""(context, the classes of every thing) -> the program that has them; None where none was found."""


@dataclass(frozen=True, eq=False)
class Packed:
    """Things of which every two classes meet, so many to a case."""

    name: str
    focus: tuple[str, ...]
    axes: Mapping[str, tuple[str, ...]]
    build: Build
    groups: tuple[str, ...]
    """The groups of the parameter space in which the things have their classes."""
    per_case: int
    rows: tuple[str, ...]
    """Tags, one of which a caps row must carry."""
    rules: tuple[str, ...] = ()
    excluded: Callable[[Row[Any], LinalgCaps], Iterable[Tuple]] = lambda _row, _caps: ()
    """What may not meet in a row, besides the rules."""
    alike: str = ""
    """An axis whose class all things of a case share."""
    one_row: bool = False
    """Whether one row is enough: the things have types of their own."""
    fits_row: Callable[[Row[Any]], bool] = lambda _row: True
    """Whether a row that has the tag has things at all."""
    under: str = ""
    """The revision of the text whose rows have things; empty: of both."""
    most_parts: int = 40
    _known: dict[LinalgCaps, dict[str, tuple[tuple[Chosen, ...], ...]]] = field(default_factory=dict)

    def parts(self, caps: LinalgCaps, row: str) -> tuple[tuple[Chosen, ...], ...]:
        """The things of every case of a row."""
        if caps not in self._known:
            self._known[caps] = self._cut(caps)
        return self._known[caps].get(row, ())

    def _cut(self, caps: LinalgCaps) -> dict[str, tuple[tuple[Chosen, ...], ...]]:
        every: tuple[Row[Any], ...] = tuple(spec_named(SPEC).rows(caps))
        rows = [row for row in every if not row.tags.isdisjoint(self.rows) and self.fits_row(row)]
        rows = [row for row in rows if not self.under or self.under in row.tags]
        if not rows:
            return {}
        if self.one_row:
            rows = rows[:1]
        excluded = {some for written in self.rules for some in classes_of(written)}
        for row in rows:
            excluded |= {some | {(ROW, row.name)} for some in self.excluded(row, caps)}
        axes = {ROW: [row.name for row in rows], **self.axes}
        found = covering(axes, sorted(excluded, key=sorted), 2, self.name).rows
        cut: dict[str, tuple[tuple[Chosen, ...], ...]] = {}
        for row in rows:
            own = sorted((one for one in found if one[ROW] == row.name), key=self._order)
            cut[row.name] = tuple(part for group in self._alike(own) for part in self._even(group))[: self.most_parts]
        return cut

    def _alike(self, things: list[Chosen]) -> Iterable[list[Chosen]]:
        for name in self.axes[self.alike] if self.alike else ("",):
            if found := [one for one in things if not self.alike or one[self.alike] == name]:
                yield found

    def _even(self, things: list[Chosen]) -> Iterable[tuple[Chosen, ...]]:
        """Parts of about one size."""
        size = -(-len(things) // -(-len(things) // self.per_case))
        return (tuple(things[n : n + size]) for n in range(0, len(things), size))

    def _order(self, chosen: Chosen) -> list[int]:
        return [names.index(chosen[axis]) for axis, names in self.axes.items()]

    def array(self) -> Array:
        """The array that the grammar lists; its axis is the part."""
        return Array(
            name=self.name,
            focus=self.focus,
            axes={PART: tuple(f"{n + 1}" for n in range(self.most_parts))},
            build=self._built,
            rows=self.rows,
            fits=self._fits,
        )

    def _built(self, context: DrawContext[Any], chosen: Chosen) -> Draft | None:
        return self.build(context, self.parts(context.caps, context.row.name)[int(chosen[PART]) - 1])

    def _fits(self, row: Row[Any], caps: Any, axis: str, name: str) -> bool:
        return axis != PART or int(name) <= len(self.parts(caps, row.name))
