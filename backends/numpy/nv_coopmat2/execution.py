"""One execution of the reference device of GL_NV_cooperative_matrix2: memory, matrices, arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy import octets
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import ARRAY_BYTES, CoopMatProgram, Load, LoadTensor, Store, StoreTensor

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass
class Running:
    """One execution: memory, and the matrices of every wave, each ``(batch, waves, rows, cols)``."""

    program: CoopMatProgram
    given: Images
    memory: dict[str, NDArray[np.uint8]]
    matrices: dict[str, Bits] = field(default_factory=dict)

    @property
    def batch(self) -> int:
        """The number of batch items."""
        return next(iter(self.memory.values())).shape[0] if self.memory else 0

    def base(self, name: str) -> int:
        """The start of the view of a buffer in its allocation."""
        return next(buffer.base for buffer in self.program.buffers if buffer.name == name)

    def value(self, index: Index, wave: int, loop: int) -> int:
        """An argument for one wave and pass; what lies in a buffer is read there."""
        if isinstance(index, RunTime):
            start = self.base(index.buffer) + index.offset
            return int.from_bytes(self.given[index.buffer][0, start : start + 4].tobytes(), "little")
        if isinstance(index, Affine):
            return index.base + index.wave * wave + index.loop * loop
        return index


class Memory:
    """What loads and stores of every form share: widths, fetching, putting."""

    def width(self, running: Running, access: Load | Store | LoadTensor | StoreTensor) -> int:
        """Bytes of a component."""
        return format_named(running.program.matrix(access.matrix).component).nbytes

    def unit_bytes(self, running: Running, access: Load | Store | LoadTensor | StoreTensor) -> int:
        """Bytes of an element of the array."""
        return ARRAY_BYTES[access.array] if access.array else self.width(running, access)

    def fetch(self, running: Running, buffer: str, where: Ints, width: int) -> Bits:
        """Little-endian elements ``(batch, *where.shape)``; what lies outside the allocation reads as zero."""
        image = running.memory[buffer]
        position = where + running.base(buffer)
        inside = (position >= 0) & (position + width <= image.shape[1])
        position = np.where(inside, position, 0)
        bits = octets.read(image, position, width)
        return np.asarray(np.where(inside, bits, np.uint64(0)), np.uint64)

    def put(self, running: Running, buffer: str, where: Ints, bits: Bits, width: int, keep: Mask | None = None) -> None:
        """Write elements in order, the batch before the shape of ``where``; what lies outside is lost."""
        image = running.memory[buffer]
        position = where + running.base(buffer)
        inside = (position >= 0) & (position + width <= image.shape[1])
        if keep is not None:
            inside &= keep
        octets.write(image, position[inside], width, bits[:, inside])
