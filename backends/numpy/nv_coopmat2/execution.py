"""One execution of the reference device of GL_NV_cooperative_matrix2: memory, matrices, arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy import octets
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Affine, Buffer, Index, RunTime
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import ARRAY_BYTES, CoopMatProgram, Load, LoadTensor, Store, StoreTensor
from mmaspec.programs.windows import piece

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass
class Running:
    """One execution: memory, and the matrices of every wave, each ``(batch, waves, rows, cols)``."""

    program: CoopMatProgram
    given: Images
    memory: dict[str, NDArray[np.uint8]]
    matrices: dict[str, Bits] = field(default_factory=dict)
    evaluated: dict[tuple[str, int, int], Any] = field(default_factory=dict)
    """The declared layouts and views, each by name, as a wave has them in a pass."""

    @property
    def batch(self) -> int:
        """The number of batch items."""
        return next(iter(self.memory.values())).shape[0] if self.memory else 0

    def buffer(self, name: str) -> Buffer:
        """The declaration of a buffer."""
        return self._buffers[name]

    @cached_property
    def _buffers(self) -> dict[str, Buffer]:
        return {buffer.name: buffer for buffer in self.program.buffers}

    @cached_property
    def moving(self) -> bool:
        """Whether some layout or view is another one in other waves or passes."""
        setters = (call for layout in self.program.layouts for call in layout.calls)
        calls = chain(setters, (call for view in self.program.views for call in view.calls))
        return any(isinstance(argument, Affine) for call in calls for argument in arguments(call))

    def value(self, index: Index, wave: int, loop: int) -> int:
        """An argument for one wave and pass; what lies in a buffer is read there."""
        if isinstance(index, int):
            return index
        if isinstance(index, RunTime):
            where = piece(self.buffer(index.buffer), index.offset, 4)
            return int.from_bytes(self.given[index.buffer][0, where].tobytes(), "little")
        return index.base + index.wave * wave + index.loop * loop


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
        return octets.read_placed(running.memory[buffer], running.buffer(buffer), where, width)

    def put(self, running: Running, buffer: str, where: Ints, bits: Bits, width: int, keep: Mask | None = None) -> None:
        """Write elements in order, the batch before the shape of ``where``; what lies outside is lost."""
        if keep is not None:
            where, bits = where[keep], bits[:, keep]
        octets.write_placed(running.memory[buffer], running.buffer(buffer), where, width, bits)
