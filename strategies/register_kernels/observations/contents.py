"""The bits that the operands of a product hold, and where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mmaspec.oracle.numerics.legal import Legal, certain_bits
from mmaspec.oracle.numerics.ordinals import Bits, Flags, to_ordinal
from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.dialect import dialect_of
from mmaspec.strategies.register_kernels.observations.flow import Event, Held


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """A matrix of every item and wave: ``(batch, waves, rows, cols)``."""

    fmt: Format
    bits: Bits
    known: Flags
    """Where the bits are certain; a computed NaN is known to be one, its payload is not."""
    computed: bool
    """Whether a product left it."""

    def columns(self, some: slice) -> Contents:
        """Some of its columns."""
        return Contents(self.fmt, self.bits[..., some], self.known[..., some], self.computed)

    @property
    def values(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Integers; of integer formats only."""
        return to_ordinal(self.fmt, self.bits)


def contents_of(subject: Subject, held: Held) -> Contents:
    """What a fragment holds."""
    if held.by is None:
        assert held.fill is not None
        return _filled(subject, held.fragment, held.fill)
    step = subject.left_by(held.by.place)
    assert step is not None
    assert step.legal is not None
    return _of_legal(step.legal, computed=held.product is not None)


def _filled(subject: Subject, name: str, bits: int) -> Contents:
    dialect, program = dialect_of(subject), subject.program
    fragment = program.fragment(name)
    shape = (subject.case.batch, program.waves, *dialect.extent(fragment, program.lanes))
    return Contents(
        dialect.element_format(fragment), np.full(shape, bits, np.uint64), np.ones(shape, np.bool_), computed=False
    )


def _of_legal(legal: Legal, *, computed: bool) -> Contents:
    bits, known = certain_bits(legal)
    required = legal.nan & (legal.lo > legal.hi) & (legal.why == 0)
    if legal.fmt.is_float and required.any():
        bits = np.where(required & ~known, np.uint64(legal.fmt.nan_bits), bits)
        known = known | required
    return Contents(legal.fmt, bits, known, computed)


@lru_cache(maxsize=32)
def operand_of(subject: Subject, event: Event, role: str) -> Contents:
    """What a product reads as A, B or C, and as what; a C that is a literal is zeros."""
    held = event.reads.get(role)
    found = _filled(subject, event.call.d, 0) if held is None else contents_of(subject, held)
    if role == "c":
        return found.columns(dialect_of(subject).columns(event.call))
    fmt, turned = dialect_of(subject).operand(subject.program, event.call, role)
    bits, known = found.bits, found.known
    if turned:
        bits, known = np.swapaxes(bits, -1, -2), np.swapaxes(known, -1, -2)
    return Contents(fmt, bits, known, found.computed)


def known_elements(a: Contents, b: Contents, c: Contents) -> Flags:
    """Where the row of A, the column of B and C are all known."""
    rows, columns = np.asarray(a.known.all(axis=-1)), np.asarray(b.known.all(axis=-2))
    found: Flags = rows[..., :, None] & columns[..., None, :] & c.known
    return found
