"""Groupshared arrays while a program executes: the set of legal contents of every element."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

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

    def load(self, name: str, places: Addresses) -> Legal:
        """The contents at ``places`` (...shape), as ``(batch, *shape)``."""
        return self._contents[name].index((slice(None), places))

    def store(self, name: str, places: Addresses, legal: Legal) -> None:
        """Write ``legal`` (batch, ...shape) to ``places`` (...shape)."""
        old = self._contents[name]
        parts = []
        for part in _PARTS:
            changed = np.array(getattr(old, part))
            changed[:, places] = getattr(legal, part)
            parts.append(changed)
        self._contents[name] = Legal(old.fmt, *parts)
