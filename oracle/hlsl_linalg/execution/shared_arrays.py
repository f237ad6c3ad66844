"""Groupshared arrays while a program executes: bytes, and the sets of legal contents that were stored in them.

An array may be written with elements of one type and read with those of another. What is read as it was stored keeps
its set; anything else is put together from bytes, where these are certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_linalg.addresses import Addresses, array_bytes
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, unjudged, where
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.program import SharedArray


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Elements of one store that still lie whole in an array: first bytes ``(count,)``, contents ``(batch, count)``."""

    places: Addresses
    legal: Legal


class SharedArrays:
    """All arrays of the thread group, for each item of a batch. Places count bytes."""

    def __init__(self, arrays: tuple[SharedArray, ...], batch: int) -> None:
        sizes = {array.name: array_bytes(array) for array in arrays}
        self._batch = batch
        self._bytes = {name: np.zeros((batch, size), np.uint8) for name, size in sizes.items()}
        self._known = {name: np.zeros(size, np.bool_) for name, size in sizes.items()}
        self._written = {name: np.zeros(size, np.bool_) for name, size in sizes.items()}
        # Of each byte, the store that wrote it (-1: none), and the element of that store.
        self._store = {name: np.full(size, -1, np.int64) for name, size in sizes.items()}
        self._element = {name: np.zeros(size, np.int64) for name, size in sizes.items()}
        self._stores: list[Piece] = []

    def has(self, name: str) -> bool:
        """Whether there is an array of that name."""
        return name in self._bytes

    def size(self, name: str) -> int:
        """The bytes of an array."""
        return self._bytes[name].shape[1]

    def store(self, name: str, places: Addresses, legal: Legal, mask: Flags | None = None) -> None:
        """Write ``legal`` (batch, ...shape) to ``places`` (...shape), but for elements where ``mask`` is False."""
        keep = np.ones(places.shape, np.bool_) if mask is None else mask
        flat, contents = places[keep], legal.index((slice(None), keep))
        bits, certain = certain_bits(contents)
        if legal.fmt.is_float:
            certain = certain & (contents.moved | (contents.lo != 0))  # the sign of a computed zero is free
        exact = certain.all(axis=0)
        numbers = np.arange(flat.size, dtype=np.int64)
        for byte in range(legal.fmt.nbytes):
            here = flat + byte
            self._bytes[name][:, here] = (bits >> np.uint64(8 * byte)).astype(np.uint8)
            self._known[name][here] = exact
            self._written[name][here] = True
            self._store[name][here] = len(self._stores)
            self._element[name][here] = numbers
        self._stores.append(Piece(flat, contents))

    def load(self, name: str, places: Addresses, fmt: Format) -> Legal:
        """The elements at ``places`` (...shape), read as ``fmt``: ``(batch, *shape)``."""
        flat = places.ravel()
        found = self._from_bytes(name, flat, fmt)
        owners, elements, whole = self._owners(name, flat, fmt.nbytes)
        for owner in np.unique(owners[whole]).tolist():
            stored = self._stores[owner]
            if stored.legal.fmt != fmt:
                continue
            own = whole & (owners == owner)
            own &= stored.places[np.where(own, elements, 0)] == flat
            as_stored = stored.legal.index((slice(None), np.where(own, elements, 0)))
            found = where(np.broadcast_to(own, found.shape), as_stored, found)
        return found.reshape(self._batch, *places.shape)

    def pieces(self, name: str, start: int, stop: int) -> Iterator[Piece]:
        """What lies in these bytes, as it was stored: whole elements of each store, then single bytes of the others."""
        rest = np.ones(stop - start, np.bool_)
        stores = self._store[name][start:stop]
        for owner in np.unique(stores[stores >= 0]).tolist():
            stored = self._stores[owner]
            size = stored.legal.fmt.nbytes
            elements = np.unique(self._element[name][start:stop][stores == owner])
            places = stored.places[elements]
            inside = (places >= start) & (places + size <= stop)
            for byte in range(size):
                here = np.where(inside, places + byte, start)
                inside &= (self._store[name][here] == owner) & (self._element[name][here] == elements)
            for byte in range(size):
                rest[places[inside] + byte - start] = False
            if inside.any():
                yield Piece(places[inside], stored.legal.index((slice(None), elements[inside])))
        left = start + np.flatnonzero(rest)
        if left.size:
            yield Piece(left, self._from_bytes(name, left, FORMATS["u8"]))

    def _owners(self, name: str, flat: Addresses, size: int) -> tuple[Addresses, Addresses, NDArray[np.bool_]]:
        """The store and element of each first byte, and where all bytes have the same."""
        owners, elements = self._store[name][flat], self._element[name][flat]
        whole = owners >= 0
        for byte in range(1, size):
            whole &= (self._store[name][flat + byte] == owners) & (self._element[name][flat + byte] == elements)
        return owners, elements, whole

    def _from_bytes(self, name: str, flat: Addresses, fmt: Format) -> Legal:
        bits = np.zeros((self._batch, flat.size), np.uint64)
        known, written = np.ones(flat.size, np.bool_), np.ones(flat.size, np.bool_)
        for byte in range(fmt.nbytes):
            bits |= self._bytes[name][:, flat + byte].astype(np.uint64) << np.uint64(8 * byte)
            known &= self._known[name][flat + byte]
            written &= self._written[name][flat + byte]
        if not written.all():
            nothing = unjudged(fmt, bits.shape, Reason.UNINITIALISED)
            return where(np.broadcast_to(written, bits.shape), self._reread(fmt, bits, known), nothing)
        return self._reread(fmt, bits, known)

    @staticmethod
    def _reread(fmt: Format, bits: NDArray[np.uint64], known: Flags) -> Legal:
        return Legal.from_bits(fmt, bits).not_judged(np.broadcast_to(~known, bits.shape), Reason.INEXACT_RELOAD)
