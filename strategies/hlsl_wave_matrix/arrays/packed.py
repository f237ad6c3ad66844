"""Arrays of which a case has several things, each with classes of its own: one access is too little for a case.

What meets are the classes of one thing. A covering array of things is cut into parts, and every part is a case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.strategies.array import ROW, classes_of
from mmaspec.strategies.covering import Class, Tuple, covering, row_with
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

PART = "part"
"""The axis of a case: which things it has."""

Build = Callable[[DrawContext[WaveMmaCaps], tuple[Chosen, ...]], Draft | None]
"""(context, the classes of every thing) -> the program that has them; None where none was found."""


@dataclass(frozen=True, eq=False)
class Packed:
    """Things of which every two classes meet, so many to a case."""

    name: str
    focus: tuple[str, ...]
    axes: Mapping[str, tuple[str, ...]]
    build: Build
    groups: tuple[str, ...]
    """The groups of the parameter space that the things belong to."""
    per_case: int
    rules: tuple[str, ...] = ()
    excluded: Callable[[Row[Entry]], Iterable[Tuple]] = lambda _: ()
    """What may not meet in a row, besides the rules; classes of this row only."""
    turn: int = 0
    """Of the rows that differ in M and N alone one has cases: the first, the next, ..."""
    most_parts: int = 40
    alike: str = ""
    """An axis whose class all things of a case share."""
    unused: tuple[str, ...] = ()
    """Classes, ``axis=one|other``, of things whose result nobody sees: they need not meet any others, as nothing could
    show there."""
    fits_row: Callable[[Row[Entry]], bool] = lambda _: True
    _known: dict[WaveMmaCaps, dict[str, tuple[tuple[Chosen, ...], ...]]] = field(default_factory=dict)

    def parts(self, caps: WaveMmaCaps, row: str) -> tuple[tuple[Chosen, ...], ...]:
        """The things of every case of a row."""
        if caps not in self._known:
            self._known[caps] = self._cut(caps)
        return self._known[caps].get(row, ())

    def _cut(self, caps: WaveMmaCaps) -> dict[str, tuple[tuple[Chosen, ...], ...]]:
        rows = [row for row in one_of_each(caps, self.turn) if self.fits_row(row)]
        if not rows:
            return {}
        excluded = {some for written in self.rules for some in classes_of(written)}
        for row in rows:
            excluded |= {some | {(ROW, row.name)} for some in self.excluded(row)}
        axes = {ROW: [row.name for row in rows], **self.axes}
        unused = [one for written in self.unused for some in classes_of(written) for one in some]
        found = [*covering(axes, sorted(excluded, key=sorted), 2, self.name, unused).rows]
        found += self._rest(rows, axes, excluded, unused, found)
        cut: dict[str, tuple[tuple[Chosen, ...], ...]] = {}
        for row in rows:
            own = sorted((one for one in found if one[ROW] == row.name), key=self._order)
            cut[row.name] = tuple(part for group in self._alike(own) for part in self._even(group))[: self.most_parts]
        return cut

    def _rest(
        self,
        rows: Iterable[Row[Entry]],
        axes: Mapping[str, Sequence[str]],
        excluded: Collection[Tuple],
        unused: Iterable[Class],
        found: Iterable[Chosen],
    ) -> Iterable[Chosen]:
        """Things for each class that nobody sees and that integers, or floats, do not have yet."""
        for is_int in (False, True):
            names = [row.name for row in rows if ("int" in row.tags) == is_int]
            for axis, name in unused if names else ():
                if not any(one[ROW] in names and one[axis] == name for one in found):
                    some = frozenset({(ROW, names[0]), (axis, name)})
                    if row := row_with(some, axes, excluded, self.name):
                        yield row

    def _alike(self, things: list[Chosen]) -> Iterable[list[Chosen]]:
        for name in self.axes[self.alike] if self.alike else ("",):
            if found := [one for one in things if not self.alike or one[self.alike] == name]:
                yield found

    def _even(self, things: list[Chosen]) -> Iterable[tuple[Chosen, ...]]:
        """Parts of about one size."""
        size = -(-len(things) // -(-len(things) // self.per_case))
        return (tuple(things[n : n + size]) for n in range(0, len(things), size))

    def _order(self, chosen: Chosen) -> list[int]:
        """Things that are alike in the first axes stand in one case: those that take much memory, say."""
        return [names.index(chosen[axis]) for axis, names in self.axes.items()]

    def array(self) -> Array:
        """The array that the grammar lists; its axis is the part."""
        return Array(
            name=self.name,
            focus=self.focus,
            axes={PART: tuple(f"{n + 1}" for n in range(self.most_parts))},
            build=self._built,
            fits=self._fits,
        )

    def _built(self, context: DrawContext[Any], chosen: Chosen) -> Draft | None:
        return self.build(context, self.parts(context.caps, context.row.name)[int(chosen[PART]) - 1])

    def _fits(self, row: Row[Any], caps: Any, axis: str, name: str) -> bool:
        return axis != PART or int(name) <= len(self.parts(caps, row.name))


@cache
def one_of_each(caps: WaveMmaCaps, turn: int) -> tuple[Row[Entry], ...]:
    """A row of every datatype and accumulator: of those that differ in M and N, the ``turn``-th, smaller ones first."""
    found: dict[tuple[str, str], list[Row[Entry]]] = {}
    every: tuple[Row[Any], ...] = tuple(spec_named("hlsl-wave-matrix").rows(caps))
    for row in every:
        found.setdefault((row.entry.answer.datatype, row.entry.accumulator), []).append(row)
    chosen = []
    for rows in found.values():
        rows.sort(key=lambda row: (row.entry.answer.m * row.entry.answer.n, row.entry.answer.m))
        chosen.append(rows[min(turn, len(rows) - 1)])
    return tuple(chosen)
