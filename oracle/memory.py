"""Memory images: guard zones, poison, scattered data, and what every byte may hold according to the oracle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Images, Region
from mmaspec.oracle.numerics.deferred import Moved
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits
from mmaspec.oracle.parts_of_bytes import gather_parts, scatter_parts
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import Format
from mmaspec.programs.windows import Places, image_places, within

_PERIOD = 262_139
"""Bytes until poison repeats: a prime, so that no stride leads to the same again."""
_STEP = 48_271
"""Bytes by which the poison of buffers is shifted, times a number of its name."""


_WORDS = {nbytes: np.dtype(f"<u{nbytes}") for nbytes in (1, 2, 4, 8)}
"""Bytes of an element -> how numpy reads it."""


def poison(pattern: int, name: str, total: int) -> NDArray[np.uint8]:
    """Position-dependent filler for bytes that hold no data, shape ``(total,)``; it may be read-only.

    Neighbouring bytes, buffers and rows differ, so a stray copy of poison is seen as well.
    """
    start = sum((i + 1) * byte for i, byte in enumerate(name.encode())) * _STEP % _PERIOD
    twice = _twice()
    first = twice[start : start + total] if total <= _PERIOD else np.resize(twice[start : start + _PERIOD], total)
    return first if pattern == 0 else ~first


@cache
def _twice() -> NDArray[np.uint8]:
    """Two periods of poison."""
    index = np.arange(2 * _PERIOD, dtype=np.uint64) % np.uint64(_PERIOD)
    mixed = (index * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(29)
    found = (mixed & np.uint64(0xFF)).astype(np.uint8)
    found.flags.writeable = False  # all share it
    return found


def gather(image: NDArray[np.uint8], positions: NDArray[np.int64], nbytes: int) -> NDArray[np.uint64]:
    """Little-endian elements of ``nbytes`` at ``positions`` of each image: ``(batch, *positions.shape)``."""
    return _windows(np.ascontiguousarray(image), nbytes)[:, positions].astype(np.uint64)


def scatter(image: NDArray[np.uint8], positions: NDArray[np.int64], bits: NDArray[np.uint64], nbytes: int) -> None:
    """Write the elements of ``gather`` to ``positions`` of each image, in place."""
    _windows(image, nbytes)[:, positions] = bits.astype(_WORDS[nbytes])


def _windows(image: NDArray[np.uint8], nbytes: int) -> NDArray[Any]:
    """A little-endian element from every byte on: a view of a contiguous image, ``(batch, total - nbytes + 1)``."""
    assert image.flags.c_contiguous
    batch, total = image.shape
    return np.ndarray((batch, max(0, total - nbytes + 1)), _WORDS[nbytes], image, strides=(total, 1))


def _bytes_of(flags: NDArray[np.bool_], nbytes: int) -> NDArray[Any]:
    """The flags of so many bytes from every byte on, as one number: a view."""
    (whole,) = _windows(flags.view(np.uint8)[np.newaxis], nbytes)
    found: NDArray[Any] = whole
    return found


def _every_byte(nbytes: int) -> int:
    """That number where all of the flags are set."""
    return int.from_bytes(b"\1" * nbytes, "little")


class Memory:
    """Every buffer of a case while its program executes in the oracle.

    ``images`` hold bytes where they are known; ``known`` says where. Addresses are in bytes of a view and
    may be outside it: rules must have excluded that, so it is an error here. What a store leaves is written when
    something is loaded from its buffer, as hardly anything ever is.
    """

    def __init__(self, buffers: Iterable[Buffer], batch: int, start: Memory | None = None) -> None:
        """Filled with poison, or as ``start`` is before anything is stored: it has the same buffers."""
        self.batch = batch
        self._buffers = {buffer.name: buffer for buffer in buffers}
        self.kept: dict[Any, Any] = {} if start is None else start.kept
        """What executions on the same data keep for each other, whatever it is."""
        self.parts: Mapping[str, Places] = {}
        """Of what was executed, as in ``Defined``."""
        if start is None:
            self.images: Images = {
                name: np.tile(poison(0, name, buffer.total), (batch, 1)) for name, buffer in self._buffers.items()
            }
            self.known: dict[str, NDArray[np.bool_]] = {
                name: np.zeros(buffer.total, np.bool_) for name, buffer in self._buffers.items()
            }
        else:
            self.images = start.initial()
            self.known = {name: mask.copy() for name, mask in start.known.items()}
        self._owned = {name: np.zeros(buffer.total, np.bool_) for name, buffer in self._buffers.items()}
        self._stores: list[tuple[str, int, Places, Places, Legal, Places | None]] = []
        """Buffer, step, places in the image and bytes of the view (-1: nothing is stored), what, and copies in it."""
        self._initial = set[str]() if start is None else set(self.images)
        """The buffers whose images are shared with another memory."""
        self._unwritten: dict[str, list[tuple[Places, NDArray[np.bool_] | None, Legal]]] = defaultdict(list)
        self._written: dict[str, int] = defaultdict(int)
        """Bytes that stores wrote to a buffer, those that were written again as often as they were."""

    def _positions(self, name: str, addresses: NDArray[np.int64], nbytes: int) -> NDArray[np.int64]:
        if name not in self._buffers:
            raise BadInput(f"program: no buffer named {name!r}; there are {', '.join(sorted(self._buffers))}")
        buffer = self._buffers[name]
        if addresses.size and (addresses.min() < 0 or addresses.max() + nbytes > buffer.size):
            first, last = int(addresses.min()), int(addresses.max()) + nbytes - 1
            raise BadInput(f"buffer {name}: access to bytes {first}..{last} of a view of {buffer.size}")
        if buffer.windows and not (inside := within(buffer, addresses, nbytes)).all():
            first = int(addresses[~inside].min())
            raise BadInput(f"buffer {name}: access to bytes {first}..{first + nbytes - 1}, which lie in no window")
        return image_places(buffer, addresses)

    def place(
        self,
        name: str,
        addresses: NDArray[np.int64],
        bits: NDArray[np.uint64],
        fmt: Format,
        first_bits: NDArray[np.int64] | None = None,
    ) -> None:
        """Scatter initial data: ``bits`` (batch, ...shape) at ``addresses`` (...shape) of a view; they broadcast.

        ``first_bits`` (...shape) says where elements of fewer bits than a byte begin in it.
        """
        positions = self._positions(name, addresses, fmt.nbytes)
        if first_bits is None:
            scatter(self.images[name], positions, bits, fmt.nbytes)
        else:
            scatter_parts(self.images[name], positions, first_bits, bits, fmt.bits)
        _bytes_of(self.known[name], fmt.nbytes)[positions] = _every_byte(fmt.nbytes)

    def initial(self) -> Images:
        """The images as they are now. What is stored later is written to copies of them, if it is written at all."""
        self._initial = set(self.images)
        return dict(self.images)

    def again(self) -> Memory:
        """Another memory with the contents of this one, before anything is stored; they share what neither changes."""
        return Memory(self._buffers.values(), self.batch, self)

    def load(
        self, name: str, addresses: NDArray[np.int64], fmt: Format, first_bits: NDArray[np.int64] | None = None
    ) -> Legal:
        """The elements at ``addresses`` (...shape) as a moved value of shape ``(batch, *shape)``; as for ``place``.

        Bytes that hold poison, or a stored result that is not exactly known, are not judged.
        """
        positions = self._positions(name, addresses, fmt.nbytes)
        for stored in self._unwritten.pop(name, ()):
            self._write(name, *stored)
        if first_bits is None:
            codes = gather(self.images[name], positions, fmt.nbytes)
        else:
            codes = gather_parts(self.images[name], positions, first_bits, fmt.bits)
        legal = Moved(fmt, codes)
        mask = self.known[name]
        if positions.size and mask[positions.min() : positions.max() + fmt.nbytes].all():
            return legal
        known = _bytes_of(mask, fmt.nbytes)[positions] == _every_byte(fmt.nbytes)
        return legal if known.all() else legal.not_judged(np.broadcast_to(~known, legal.shape), Reason.INEXACT_RELOAD)

    def store(
        self,
        name: str,
        addresses: NDArray[np.int64],
        legal: Legal,
        step: int,
        *,
        mask: NDArray[np.bool_] | None = None,
        same: NDArray[np.int64] | None = None,
    ) -> None:
        """Write ``legal`` (batch, ...shape) to ``addresses`` (...shape), but for elements where ``mask`` is False.

        ``same`` says which elements are copies of one value, as in ``Region``.
        """
        nbytes = legal.fmt.nbytes
        if mask is None or mask.all():
            mask = None
            kept = found = self._positions(name, addresses, nbytes)
        else:
            kept = self._positions(name, addresses[mask], nbytes)
            found = np.full(addresses.shape, -1, np.int64)
            found[mask] = kept
            addresses = np.where(mask, addresses, -1)
        _bytes_of(self._owned[name], nbytes)[kept] = _every_byte(nbytes)
        self._written[name] += nbytes * kept.size
        self._stores.append((name, step, found, addresses, legal, same))
        self._unwritten[name].append((found, mask, legal))

    def _write(self, name: str, positions: NDArray[np.int64], mask: NDArray[np.bool_] | None, legal: Legal) -> None:
        """Write the bits of a store where they are certain, and note where."""
        keep = np.ones(positions.shape, np.bool_) if mask is None else mask
        nbytes = legal.fmt.nbytes
        bits, certain = certain_bits(legal)
        if legal.fmt.kind == "float":
            certain = certain & (legal.moved | (legal.lo != 0))  # the sign of a computed zero is free
        exact: NDArray[np.bool_] = np.asarray(certain.all(axis=0))
        if name in self._initial:
            self._initial.remove(name)
            self.images[name] = self.images[name].copy()
        scatter(self.images[name], positions[keep], bits[:, keep], nbytes)
        for byte in range(nbytes):
            self.known[name][positions[keep] + byte] = exact[keep]

    def regions(self) -> tuple[Region, ...]:
        """Every store, with the elements that later stores overwrote marked as no longer live."""
        found = []
        twice = {name for name, count in self._written.items() if np.count_nonzero(self._owned[name]) != count}
        owners = {name: self._owners(name) for name in twice}
        for index, (name, step, positions, addresses, legal, same) in enumerate(self._stores):
            live = positions >= 0
            if name in twice:
                element = _numbers(positions.shape, index)
                for byte in range(legal.fmt.nbytes):
                    live &= owners[name][np.maximum(positions, 0) + byte] == element
            found.append(Region(name, step, addresses, legal, live, same))
        return tuple(found)

    def _owners(self, name: str) -> NDArray[np.int64]:
        """For each byte of an allocation the number of the element that was stored there last; 0 for none."""
        owner = np.zeros(self._buffers[name].total, np.int64)
        for index, (buffer, _, positions, _, legal, _) in enumerate(self._stores):
            if buffer == name:
                kept = positions >= 0
                element = _numbers(positions.shape, index)[kept]
                for byte in range(legal.fmt.nbytes):
                    owner[positions[kept] + byte] = element
        return owner

    def stores_over(self, name: str, address: int, nbytes: int) -> tuple[int, ...]:
        """The steps that stored to one of these bytes of a view, whatever was stored there later."""
        start = int(self._positions(name, np.array([address], np.int64), nbytes)[0])
        if not self._owned[name][start : start + nbytes].any():
            return ()
        return tuple(
            step
            for buffer, step, positions, _, legal, _ in self._stores
            if buffer == name
            and ((positions >= 0) & (positions < start + nbytes) & (positions + legal.fmt.nbytes > start)).any()
        )

    def owned(self) -> dict[str, NDArray[np.bool_]]:
        """Per allocation, the bytes that some store wrote."""
        return dict(self._owned)


def _numbers(shape: tuple[int, ...], store: int) -> NDArray[np.int64]:
    """A number for each element of a store; no other store has it, and none is 0."""
    count = int(np.prod(shape))
    return np.arange(1, count + 1, dtype=np.int64).reshape(shape) + (store << 40)
