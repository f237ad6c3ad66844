"""Kernels whose blocks lie where an array wants them, beside blocks that are placed by draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product as combined
from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Buffer, Index
from mmaspec.programs.register_kernels import Use
from mmaspec.programs.windows import around
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.register_kernels.builder import Builder

WAVES: dict[str, tuple[int, ...]] = {
    "one": (1,), "two": (2,), "three": (3,), "four": (4,), "five-to-seven": (5, 6, 7), "eight": (8,),
    "nine-to-fifteen": (9, 10, 12, 15), "sixteen": (16,), "seventeen-to-31": (18, 20, 21, 27), "thirty-two": (32,),
}  # fmt: skip
"""Classes of ``waves``."""

STEPS: dict[str, tuple[int, ...]] = {
    "zero": (0,), "one": (1,), "two": (2,), "three-or-more": (3, 4, 5, 6, 7, 8, 12, 15), "large": (16, 17, 20, 33),
}  # fmt: skip
"""Classes of ``argument-wave`` and ``argument-loop``; with the first four those of ``argument-row``."""

BASES: dict[str, tuple[int, ...]] = {
    "zero": (0,), "one": (1,), "two-or-three": (2, 3), "four": (4,), "five-to-fifteen": (5, 8, 12),
    "sixteen-to-63": (16, 31, 32, 63), "large": (64, 65, 128),
}  # fmt: skip
"""Classes of ``argument-base``."""

VIEWS = {"zero": 0, "whole-256": 512, "odd-128": 384, "odd-64": 192, "odd-32": 96}
"""Classes of ``buffer-base``."""

Fits = Callable[[Row[Any], Any, str, str], bool]
"""As of ``Array``: (row, caps, axis, class) -> whether the row can have the class."""


def both(one: Fits, other: Fits | None) -> Fits:
    """What fits by two."""
    return lambda *asked: one(*asked) and (other is None or other(*asked))


LARGEST = 1 << 20
"""Bytes of the largest buffer of a case."""


@dataclass(slots=True)
class Room:
    """A buffer whose blocks are placed by hand: bytes up to the last block, and after it."""

    base: int
    end: int = 0
    slack: int = 0
    sparse: bool = False
    """Whether the buffer has windows, around its covered blocks alone: whole it would cost more than it shows."""
    covered: list[range] = field(default_factory=list)


class Kernel(Builder):
    """A kernel under construction; the buffers of ``rooms`` lie beside those that draw their blocks.

    A specification's own is a subclass of this and of its builder.
    """

    def __init__(self, context: DrawContext[Any], waves: int = 1, **own: Any) -> None:
        super().__init__(context, waves, **own)
        self.rooms: dict[str, Room] = {}
        self.sizes: dict[str, int] = {}
        """Bytes of the block of each fragment."""
        self.uses: dict[str, Use] = {}

    def fragment(self, name: str, use: Use, fill: int | None = None) -> str:
        """Declare a fragment, and keep the bytes of its block."""
        super().fragment(name, use, fill)
        self.uses[name] = use
        self.sizes[name] = self.lanes * int(self.declared[name].vector_bytes)
        return name

    def fragments(self, **uses: Use) -> None:
        """Declare several."""
        for name, use in uses.items():
            self.fragment(name, use)

    def room(self, name: str, base: int = 64) -> Room:
        """The buffer of that name, made when first asked for."""
        return self.rooms.setdefault(name, Room(base))

    def cover(self, buffer: str, fragment: str, block: Index, passes: int = 1) -> None:
        """Let a buffer reach to the end of these blocks of a fragment."""
        room, found = self.room(buffer), places(block, self.waves, passes)
        size = self.sizes[fragment]
        room.end = max(room.end, (max(found) + 1) * size)
        room.covered += [range(number * size, (number + 1) * size) for number in found]

    def next(self, buffer: str, fragment: str, blocks: int = 1) -> int:
        """The first of so many fresh blocks behind what a buffer holds."""
        room, size = self.room(buffer), self.sizes[fragment]
        first = -(-room.end // size)
        room.end = (first + blocks) * size
        return first

    def mine(self, buffer: str, fragment: str, passes: int = 0) -> Affine:
        """Fresh blocks, one for every wave, and for every pass if there are any."""
        count = max(passes, 1)
        first = self.next(buffer, fragment, self.waves * count)
        return Affine(first, wave=count, loop=1 if passes else 0)

    def program(self) -> Any:
        """The kernel."""
        own = {name: Buffer(name, room.end + room.slack, room.base) for name, room in self.rooms.items()}
        for name, room in self.rooms.items():
            if room.sparse:
                own[name] = around(own[name], (np.array(one) for one in room.covered))
        found: Any = super().program()
        return replace(found, buffers=(*own.values(), *found.buffers))


def places(block: Index, waves: int, passes: int = 1) -> list[int]:
    """The block numbers of every wave and pass."""
    if isinstance(block, int):
        return [block]
    assert isinstance(block, Affine)
    found = []
    for wave, loop in combined(range(waves), range(passes)):
        place, line = (wave % block.grid, wave // block.grid) if block.grid else (wave, 0)
        found.append(block.base + block.wave * place + block.row * line + block.loop * loop)
    return found
