"""Holding the answer that a golden example states against the oracle's: what somebody derived by hand is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.generators.golden import Bytes, Golden
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Expectation
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.windows import image_place


def disagreements(golden: Golden, case: Case, answer: Expectation) -> list[str]:
    """A line for each thing that an example expects and the oracle's ``answer`` to its case does not allow.

    Bytes are compared by element, as a legal set has many contents. ``BadInput`` for bytes outside any buffer.
    """
    stated = golden.expect
    if not isinstance(answer, Defined) or stated.verdict != "defined":
        found = type(answer).__name__.lower()
        clauses: frozenset[str] = frozenset() if isinstance(answer, Defined) else answer.clauses
        if stated.verdict == found and clauses == set(stated.clauses):
            return []
        return [f"it says {_said(stated.verdict, stated.clauses)}; the program is {_said(found, clauses)}"]
    return [line for entry in stated.bytes for line in _wrong(golden, case, answer, entry)]


def _said(verdict: str, clauses: Iterable[str]) -> str:
    return f"{verdict} by {', '.join(sorted(clauses))}" if clauses else verdict


def _wrong(golden: Golden, case: Case, answer: Defined, entry: Bytes) -> Iterator[str]:
    """What is wrong with one stretch of bytes."""
    buffers = {buffer.name: buffer for buffer in case.program.buffers}
    sizes = {buffer.name: buffer.size for buffer in case.program.buffers}
    if entry.buffer not in sizes or not 0 <= entry.offset <= sizes[entry.buffer] - len(entry.data):
        raise BadInput(f"{golden.clause}: [expect] has bytes outside the buffers: {entry.buffer}, byte {entry.offset}")
    stored: NDArray[np.bool_] = np.zeros(len(entry.data), np.bool_)
    for region in answer.regions:
        nbytes = region.legal.fmt.nbytes
        for index in map(tuple, np.argwhere(region.live)):
            start = int(region.addresses[index]) - entry.offset
            if region.buffer != entry.buffer or start + nbytes <= 0 or start >= len(entry.data):
                continue
            first, end = max(start, 0), min(start + nbytes, len(entry.data))
            stored[first:end] = True
            said = entry.data[first:end]
            if not _may_hold(region.legal.index((slice(None), *index)), said, first - start):
                yield f"{entry.buffer}, byte {first + entry.offset}: {said.hex()} is not legal"
    image, known = answer.images[entry.buffer][0], answer.known[entry.buffer]
    for number in np.flatnonzero(~stored):
        place = image_place(buffers[entry.buffer], entry.offset + int(number))
        if not known[place] or image[place] != entry.data[number]:
            yield f"{entry.buffer}, byte {entry.offset + int(number)}: nothing stores {entry.data[number]:02x} there"


def _may_hold(legal: Legal, said: bytes, at: int) -> bool:
    """Whether every batch item's element may have these bytes from byte ``at`` on.

    Bytes of a part of it count against it where one content alone is legal, or NaN alone.
    """
    nbytes = legal.fmt.nbytes
    lowest = int(from_ordinal(legal.fmt, legal.lo)[0]).to_bytes(nbytes, "little")
    for rest in (lowest, bytes(nbytes), b"\xff" * nbytes):
        whole = rest[:at] + said + rest[at + len(said) :]
        if not illegal(legal, np.full(legal.shape, int.from_bytes(whole, "little"), np.uint64)).any():
            return True
    return len(said) < nbytes and bool((legal.lo < legal.hi).any())
