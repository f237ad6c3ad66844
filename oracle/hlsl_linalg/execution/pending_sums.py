"""Atomic sums in memory: addends of several instances onto one element, in any order (LINALG-ATOMIC).

Until a barrier nothing orders additions of one instruction before those of another. What an element may hold is
therefore worked out anew from what it held at the last barrier and every addend since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import Addresses
from mmaspec.oracle.numerics.legal import Legal, concatenate, full, where
from mmaspec.programs.formats import Format

Adding = Callable[[Legal, list[Legal]], Legal]
"""(what elements held, addends) -> their sums in any order."""
Loading = Callable[[Addresses], Legal]
"""places ``(count,)`` -> what lies there, ``(batch, count)``."""


@dataclass(slots=True)
class _Elements:
    """Elements of one format in one buffer or array: what each held, what was added to it, and what it may hold."""

    places: Addresses
    base: Legal
    now: Legal
    terms: list[Legal] = field(default_factory=list)


@dataclass
class PendingSums:
    """All elements that were added to, by buffer or array and format."""

    _elements: dict[tuple[str, str], _Elements] = field(default_factory=dict)

    def add(
        self, memory: str, fmt: Format, places: Addresses, addends: Legal, loading: Loading, adding: Adding
    ) -> tuple[Addresses, Legal]:
        """Add ``addends`` (batch, count) at ``places`` (count,), which may repeat: each place once, and its sum."""
        for name, other in list(self._elements):
            if name == memory and other != fmt.name:
                del self._elements[name, other]
        touched = np.unique(places)
        own = self._known(memory, fmt, touched, loading)
        for turn in turns(places):
            index = np.searchsorted(own.places, places[turn])
            zeros = full(fmt, own.base.shape, 0)
            own.terms.append(_put(zeros, index, addends.index((slice(None), turn))))
        here = np.searchsorted(own.places, touched)
        key = (slice(None), here)
        total = adding(own.base.index(key), [term.index(key) for term in own.terms])
        own.now = _put(own.now, here, total)
        return touched, total

    def settle(self) -> None:
        """A barrier: what is added from here on is added to what lies there."""
        for own in self._elements.values():
            own.base, own.terms = own.now, []

    def forget(self, memory: str) -> None:
        """Something else is written to this buffer or array."""
        for key in [key for key in self._elements if key[0] == memory]:
            del self._elements[key]

    def _known(self, memory: str, fmt: Format, touched: Addresses, loading: Loading) -> _Elements:
        key = (memory, fmt.name)
        own = self._elements.get(key)
        if own is None:
            base = loading(touched)
            own = self._elements[key] = _Elements(touched, base, base)
            return own
        fresh = np.setdiff1d(touched, own.places)
        if fresh.size:
            base = loading(fresh)
            places = np.concatenate([own.places, fresh])
            order = (slice(None), np.argsort(places))
            nothing = full(fmt, base.shape, 0)
            own.places = np.sort(places)
            own.base = concatenate([own.base, base], 1).index(order)
            own.now = concatenate([own.now, base], 1).index(order)
            own.terms = [concatenate([term, nothing], 1).index(order) for term in own.terms]
        return own


def turns(places: Addresses) -> list[Addresses]:
    """Indices of ``places`` in as few groups as it takes for none to have one place twice."""
    found, left = [], np.arange(places.size)
    while left.size:
        _, first = np.unique(places[left], return_index=True)
        found.append(left[np.sort(first)])
        left = np.delete(left, first)
    return found


def _put(whole: Legal, index: Addresses, part: Legal) -> Legal:
    """The elements of ``whole`` (batch, count) with those of an index replaced."""
    places = np.full(whole.shape[1], -1, np.int64)
    places[index] = np.arange(index.size)
    replaced = places >= 0
    wide = part.index((slice(None), np.where(replaced, places, 0)))
    return where(np.broadcast_to(replaced, whole.shape), wide, whole)
