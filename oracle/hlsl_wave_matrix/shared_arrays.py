"""Groupshared arrays while a program executes: the set of legal contents of every element."""

from __future__ import annotations

from dataclasses import fields

from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses, cells
from mmaspec.oracle.numerics.legal import Legal, Reason, unjudged
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import SharedArray

_PARTS = tuple(field.name for field in fields(Legal) if field.name != "fmt")


class SharedArrays:
    """All arrays of the thread group. Places count matrix elements: an element of a packed array has four."""

    def __init__(self, arrays: tuple[SharedArray, ...], batch: int) -> None:
        self._contents = {
            array.name: unjudged(
                FORMATS[array.element], (batch, array.length * cells(array.element)), Reason.UNINITIALISED
            )
            for array in arrays
        }
        """Their fields are the arrays' own: a Store writes into them."""
        self._unwritten: dict[str, list[tuple[Addresses, Legal]]] = {array.name: [] for array in arrays}
        """What was stored since the last load."""

    def load(self, name: str, places: Addresses) -> Legal:
        """The contents at ``places`` (...shape), as ``(batch, *shape)``: a copy, which no later Store changes."""
        contents, waiting = self._contents[name], self._unwritten[name]
        for stored, legal in waiting:
            for part in _PARTS:
                getattr(contents, part)[:, stored] = getattr(legal, part)
        waiting.clear()
        return contents.index((slice(None), places))

    def store(self, name: str, places: Addresses, legal: Legal) -> None:
        """Write ``legal`` (batch, ...shape) to ``places`` (...shape), once something is loaded."""
        self._unwritten[name].append((places, legal))
