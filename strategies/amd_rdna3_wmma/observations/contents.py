"""The bits that the operands of a product hold, and where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma.addresses import TILE, element_format
from mmaspec.oracle.numerics.legal import Legal, certain_bits
from mmaspec.oracle.numerics.ordinals import Bits, Flags, to_ordinal
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.amd_rdna3_wmma.observations.flow import Event, Held
from mmaspec.strategies.axes.observation import Subject


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """A matrix of every item and wave: ``(batch, waves, rows, cols)``."""

    fmt: Format
    bits: Bits
    known: Flags
    """Where the bits are certain; a computed NaN is known to be one, its payload is not."""
    computed: bool
    """Whether a product left it."""

    @property
    def values(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Integers; of integer formats only."""
        return to_ordinal(self.fmt, self.bits)


def contents_of(subject: Subject, held: Held) -> Contents:
    """What a fragment holds."""
    fmt = element_format(subject.program.fragment(held.fragment))
    if held.by is None:
        assert held.fill is not None
        return _filled(subject, fmt, held.fill)
    step = subject.left_by(held.by.place)
    assert step is not None
    assert step.legal is not None
    return _of_legal(step.legal, computed=held.product is not None)


def _filled(subject: Subject, fmt: Format, bits: int) -> Contents:
    shape = (subject.case.batch, subject.program.waves, TILE, TILE)
    return Contents(fmt, np.full(shape, bits, np.uint64), np.ones(shape, np.bool_), computed=False)


def _of_legal(legal: Legal, *, computed: bool) -> Contents:
    bits, known = certain_bits(legal)
    required = legal.nan & (legal.lo > legal.hi) & (legal.why == 0)
    if legal.fmt.is_float and required.any():
        bits = np.where(required & ~known, np.uint64(legal.fmt.nan_bits), bits)
        known = known | required
    return Contents(legal.fmt, bits, known, computed)


@lru_cache(maxsize=32)
def operand_of(subject: Subject, event: Event, role: str) -> Contents:
    """What a product reads as A, B or C, bytes by its sign flags; a C that is a literal is zeros.

    A fragment of a left factor that is read as B is that matrix transposed, and the other way round.
    """
    held = event.reads.get(role)
    if held is None:
        fmt = element_format(subject.program.fragment(event.wmma.d))
        return _filled(subject, fmt, 0)
    found = contents_of(subject, held)
    if role != "c" and subject.program.fragment(held.fragment).use != role:
        bits, known = np.swapaxes(found.bits, -1, -2), np.swapaxes(found.known, -1, -2)
        found = Contents(found.fmt, bits, known, found.computed)
    if found.fmt.name != "u8":
        return found
    signed = event.wmma.a_sign if role == "a" else event.wmma.b_sign
    return Contents(format_named("s8" if signed else "u8"), found.bits, found.known, found.computed)


def known_elements(a: Contents, b: Contents, c: Contents) -> Flags:
    """Where the row of A, the column of B and C are all known."""
    rows, columns = np.asarray(a.known.all(axis=-1)), np.asarray(b.known.all(axis=-2))
    found: Flags = rows[..., :, None] & columns[..., None, :] & c.known
    return found
