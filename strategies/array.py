"""Arrays of a grammar: which classes its cases have, so that together they have every pair that can be.

The caps row is one of the axes. A tier lists cases by strength: pairs, or triples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.covering import Class, Tuple, covering, row_with
from mmaspec.strategies.grammar import Array, Chosen

TRIES = 12
"""How many cases are tried for classes that met in one that could not be made."""
ROW = "row"
"""The axis of caps rows."""


def tuples(
    array: Array, caps: object, rows: Sequence[Row[Any]], strength: int, *, sparing: bool = False
) -> tuple[Chosen, ...]:
    """What the cases of an array have under these caps, in order; none where no row fits.

    Where they are ``sparing``, costly classes meet only some others.
    """
    own = [row for row in rows if array.meets(row)]
    if not own:
        return ()
    axes = {ROW: [row.name for row in own], **array.axes}
    excluded = {some for row in own for some in _excluded(array, row, caps)}
    return covering(axes, sorted(excluded, key=sorted), strength, array.name, costly(array) if sparing else ()).rows


def costly(array: Array) -> frozenset[Class]:
    """The classes of an array that take long to run."""
    return frozenset(one for written in array.costly for some in classes_of(written) for one in some)


def instead(
    array: Array,
    caps: object,
    row: Row[Any],
    lost: Chosen,
    others: Sequence[Chosen],
    strength: int,
    *,
    sparing: bool = False,
) -> Iterator[Iterator[Chosen]]:
    """For whatever classes met in a case that could not be made, and meet in no other: cases in which they do too.

    What is made of them is added to ``others`` by whoever makes it, before the next ones are asked for.
    """
    once = costly(array) if sparing else frozenset[Class]()
    axes = {ROW: [row.name], **array.axes}
    excluded = {*_excluded(array, row, caps), frozenset(lost.items())}
    met = combinations(sorted(lost.items()), min(strength, len(lost)))
    for some in (
        *(each for each in met if once.isdisjoint(each)),
        *((one,) for one in once.intersection(lost.items())),
    ):
        if not any(all(other[axis] == name for axis, name in some) for other in others if other is not lost):
            found = (row_with(frozenset(some), axes, excluded, f"{array.name} {turn}") for turn in range(TRIES))
            yield (one for one in found if one is not None)


def drawn(array: Array, choices: Choices, row: Row[Any], caps: object) -> Chosen | None:
    """Any classes that may meet in a row; None where the draw led nowhere."""
    excluded = _excluded(array, row, caps)
    chosen = {ROW: row.name}
    for axis, classes in array.axes.items():
        left = [
            name
            for name in classes
            if not any({(axis, name)} <= rule <= {*chosen.items(), (axis, name)} for rule in excluded)
        ]
        if not left:
            return None
        chosen[axis] = choices.one_of(left)
    return chosen


def _excluded(array: Array, row: Row[Any], caps: object) -> list[Tuple]:
    """What may not meet, in one row."""
    found = [some for written in array.rules for some in classes_of(written)]
    if array.fits is not None:
        found += [
            frozenset({(ROW, row.name), (axis, name)})
            for axis, names in array.axes.items()
            for name in names
            if not array.fits(row, caps, axis, name)
        ]
    return found


def classes_of(rule: str) -> Iterator[Tuple]:
    """The classes that may not meet by a rule: ``a=one|other with b=some`` is two."""
    parts = []
    for written in rule.split(" with "):
        axis, _, names = written.partition("=")
        parts.append([(axis.strip(), name.strip()) for name in names.split("|")])
    for some in product(*parts):
        yield frozenset(some)


def unknown(array: Array) -> Iterator[str]:
    """The classes in the rules of an array, or among its costly ones, that it does not have."""
    axes: Mapping[str, Sequence[str]] = array.axes
    for rule in (*array.rules, *array.costly):
        for some in classes_of(rule):
            yield from sorted(f"{axis}={name}" for axis, name in some if name not in axes.get(axis, ()))
