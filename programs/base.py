"""The parts of programs that all specifications share.

A program is data: a tuple of a specification's own instructions over named buffers (or register
files), each buffer an array of bytes. Nothing here knows an address rule or interprets a program; a backend may
import it.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

GUARD = 64
"""Bytes of guard zone after every buffer view; the zone before it is ``Buffer.base`` bytes."""


class Buffer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A memory resource: a view of ``size`` bytes that starts ``base`` bytes into its allocation.

    The allocation is aligned to 256 bytes and ends ``GUARD`` bytes after the view, so the address of
    the view is congruent to ``base`` modulo 256. Backends get whole allocations and bind the view.

    A *sparse* buffer has windows: the only bytes that a program may touch, that are given, and that are compared. Its
    image is its windows, one after the other.
    """

    name: str
    size: int
    base: int = 64
    windows: tuple[tuple[int, int], ...] = ()
    """Start and length of each, in bytes of the view, guard zones included; in order, apart. None: a dense buffer."""

    @property
    def total(self) -> int:
        """Bytes of its image: of a dense buffer the allocation (guard, view, guard), of a sparse one its windows."""
        return sum(length for _, length in self.windows) if self.windows else self.allocation

    @property
    def allocation(self) -> int:
        """Bytes of the whole allocation: guard, view, guard."""
        return self.base + self.size + GUARD


class Affine(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="affine"):
    """An unsigned argument ``base + wave * w + loop * i``, in the unit of the argument.

    ``w`` is the wave's index in its group, ``i`` the index of the enclosing ``Repeat`` (0 outside).

    Two refinements for specifications that need them: with ``grid``, waves stand in rows of that many, ``wave``
    multiplies the place in the row and ``row`` the number of the row. ``lane`` is what every further lane of a
    wave adds, where a specification says what happens when lanes disagree.
    """

    base: int = 0
    wave: int = 0
    loop: int = 0
    grid: int = 0
    row: int = 0
    lane: int = 0


class RunTime(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="run-time"):
    """A 32-bit unsigned argument that the program loads, little-endian, from a buffer at run time.

    ``offset`` is in bytes from the start of the view. The case's ``Word`` says what lies there.
    """

    buffer: str
    offset: int


Index = int | Affine | RunTime
"""An argument such as an offset, a stride or an orientation (0 or 1)."""


class Literal(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="literal"):
    """A scalar operand written into the program, as the bits of its format."""

    bits: int


class FromBuffer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="from-buffer"):
    """A scalar operand loaded from a buffer view at byte ``offset``, so that a batch varies it.

    ``data`` names the case's values that lie there (None: whatever the program stored before).
    """

    buffer: str
    offset: int
    data: str | None = None


Scalar = Literal | FromBuffer


class Word(Struct, frozen=True, forbid_unknown_fields=True):
    """What a ``RunTime`` argument finds: a 32-bit little-endian word in a buffer view."""

    buffer: str
    offset: int
    value: int


@runtime_checkable
class Program(Protocol):
    """The members that the programs of every specification have."""

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """Every buffer that the program touches, arguments included."""
        ...

    @property
    def waves(self) -> int:
        """The number of waves (subgroups) that execute the body, each with its own matrices."""
        ...

    @property
    def body(self) -> tuple[Any, ...]:
        """The instructions, in order; a ``Repeat`` of the specification holds a body of its own."""
        ...


class Place(Struct, frozen=True, order=True):
    """One execution of an instruction: ``body[path[0]].body[path[1]]`` in pass ``loop``."""

    path: tuple[int, ...]
    loop: int = 0

    def __str__(self) -> str:
        """As a reader counts: ``3`` or ``2.1 (pass 4)``, from 1."""
        text = ".".join(str(step + 1) for step in self.path)
        return f"{text} (pass {self.loop + 1})" if len(self.path) > 1 else text


def at(index: Index, wave: int, loop: int) -> int:
    """The value of a resolved argument for the first lane of one wave in one pass; no ``RunTime`` may be left."""
    if isinstance(index, int):
        return index
    if isinstance(index, Affine):
        across, down = (wave % index.grid, wave // index.grid) if index.grid else (wave, 0)
        return index.base + index.wave * across + index.row * down + index.loop * loop
    raise TypeError(f"argument read from {index.buffer} is not resolved")
