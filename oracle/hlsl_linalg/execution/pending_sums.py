"""Atomic sums in memory: addends of several instances onto one element, in any order (LINALG-ATOMIC).

Until a barrier nothing orders additions of one instruction before those of another. What an element may hold is
therefore worked out anew from what it held at the last barrier and every addend since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import Addresses
from mmaspec.oracle.numerics.legal import Legal, concatenate, full, where
from mmaspec.programs.formats import Format

Adding = Callable[[Legal, list[Legal]], Legal]
"""(what elements held, addends) -> their sums in any order."""
Loading = Callable[[Addresses], Legal]
"""places ``(count,)`` -> what lies there, ``(batch, count)``."""


@dataclass(frozen=True, slots=True, eq=False)
class _Elements:
    """Elements of one format in one buffer or array: what each held, what was added to it, and what it may hold."""

    places: Addresses
    base: Legal
    now: Legal
    terms: tuple[Legal, ...] = ()


@dataclass(frozen=True, eq=False)
class PendingSums:
    """All elements that were added to, by buffer or array and format. What changes them makes others."""

    _elements: Mapping[tuple[str, str], _Elements] = field(default_factory=dict)

    def add(
        self, memory: str, fmt: Format, places: Addresses, addends: Legal, loading: Loading, adding: Adding
    ) -> tuple[PendingSums, Addresses, Legal]:
        """Add ``addends`` (batch, count) at ``places`` (count,), which may repeat: each place once, and its sum."""
        touched = np.unique(places)
        own = self._known(memory, fmt, touched, loading)
        terms = list(own.terms)
        for turn in turns(places):
            index = np.searchsorted(own.places, places[turn])
            zeros = full(fmt, own.base.shape, 0)
            terms.append(_put(zeros, index, addends.index((slice(None), turn))))
        here = np.searchsorted(own.places, touched)
        key = (slice(None), here)
        total = adding(own.base.index(key), [term.index(key) for term in terms])
        others = {key: other for key, other in self._elements.items() if key[0] != memory}
        own = replace(own, now=_put(own.now, here, total), terms=tuple(terms))
        return PendingSums({**others, (memory, fmt.name): own}), touched, total

    def settled(self) -> PendingSums:
        """After a barrier: what is added from here on is added to what lies there."""
        if not any(own.terms for own in self._elements.values()):
            return self
        return PendingSums({key: replace(own, base=own.now, terms=()) for key, own in self._elements.items()})

    def without(self, memory: str) -> PendingSums:
        """Once something else is written to this buffer or array."""
        if not any(name == memory for name, _ in self._elements):
            return self
        return PendingSums({key: own for key, own in self._elements.items() if key[0] != memory})

    def _known(self, memory: str, fmt: Format, touched: Addresses, loading: Loading) -> _Elements:
        own = self._elements.get((memory, fmt.name))
        if own is None:
            base = loading(touched)
            return _Elements(touched, base, base)
        fresh = np.setdiff1d(touched, own.places)
        if not fresh.size:
            return own
        base = loading(fresh)
        places = np.concatenate([own.places, fresh])
        order = (slice(None), np.argsort(places))
        nothing = full(fmt, base.shape, 0)
        return _Elements(
            np.sort(places),
            concatenate([own.base, base], 1).index(order),
            concatenate([own.now, base], 1).index(order),
            tuple(concatenate([term, nothing], 1).index(order) for term in own.terms),
        )


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
