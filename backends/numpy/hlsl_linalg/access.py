"""Memory as the linear algebra device sees it: arguments, bounds, and where the elements of a matrix lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np

from mmaspec.backends.numpy import octets
from mmaspec.backends.numpy.hlsl_linalg.conversions import Style, convert
from mmaspec.backends.numpy.hlsl_linalg.optimal import TRANSPOSED, multiplying, optimal_bytes, spread, summing
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, element_bytes, format_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.base import Affine, FromBuffer, Index, Literal, RunTime, Scalar
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS, LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, ComponentType, Revision
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    ConvertLayout,
    Copy,
    InterlockedAccumulate,
    Layout,
    Load,
    Matrix,
    Scope,
    Stage,
    Store,
)

Access = Load | Store | InterlockedAccumulate

SOURCE: Revision = "2025-09-19"
"""The text of which arrays hold elements of their own type, and bounds are those of whole matrices."""

PADDING = 0xA5
"""What a layout conversion leaves in the bytes of an optimal layout that hold no element."""


Thread = TypeVar("Thread", int, Positions)


def affine(index: Affine, wave_size: int, thread: Thread, loop: int) -> Thread:
    """What an index that varies is for one thread, or each of several."""
    wave, lane = thread // wave_size, thread % wave_size
    found = index.base + loop * index.loop + lane * index.lane
    if not index.grid:
        return found + wave * index.wave
    return found + wave % index.grid * index.wave + wave // index.grid * index.row


@lru_cache(maxsize=1024)
def _lines(m: int, n: int, size: int, stride: int, layout: Layout) -> Positions:
    row, column = np.arange(m, dtype=np.int64)[:, np.newaxis], np.arange(n, dtype=np.int64)
    line, place = (row, column) if layout == "RowMajor" else (column, row)
    found = np.asarray(line * stride + place * size, np.int64)
    found.flags.writeable = False  # they are shared
    return found


class MemoryAccess:
    """What instructions that touch memory share."""

    deciding_lane: int = 0
    """The lane of a wave, or the thread of a group, whose arguments count."""
    style: Style = Style()
    """What becomes of floats that a narrower format does not have."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit
        self.caps: LinalgCaps = DEFAULT_CAPS

    @property
    def by_source(self) -> bool:
        """Whether programs are those of the text of 2025-09-19."""
        return self.caps.revision == SOURCE

    # Arguments

    def argument(self, running: Running, index: Index, thread: int, loop: int) -> int:
        """The number that an argument is for one thread in one pass."""
        if isinstance(index, int):
            return index
        if isinstance(index, RunTime):
            return running.word(index)
        return affine(index, running.program.wave_size, thread, loop)

    def arguments(self, running: Running, index: Index, threads: Sequence[int], loop: int) -> Positions:
        """The same for each of these threads."""
        if isinstance(index, Affine):
            return affine(index, running.program.wave_size, np.array(threads, np.int64), loop)
        return np.full(len(threads), self.argument(running, index, 0, loop), np.int64)

    def shared_argument(self, running: Running, scope: Scope, index: Index, instance: int, loop: int) -> int:
        """The number that an argument is for one instance of a matrix."""
        if isinstance(index, int):
            return index
        threads = running.threads(scope, instance)
        return self.argument(running, index, threads[min(self.deciding_lane, len(threads) - 1)], loop)

    def scalar(self, running: Running, value: Scalar, size: int) -> Bits:
        """The bits of a scalar operand, ``(batch,)``: as written, or little-endian from memory."""
        match value:
            case Literal():
                return np.full(running.batch, value.bits, np.uint64)
            case FromBuffer():
                return self.read(running, value.buffer, np.array([value.offset], np.int64), size)[:, 0]

    # Bytes

    def inside(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """Which elements lie wholly in the view of a buffer or in an array."""
        return np.asarray((positions >= 0) & (positions + size <= running.size(name)))

    def read(self, running: Running, name: str, positions: Positions, size: int, mask: Mask | None = None) -> Bits:
        """Elements ``(batch, *positions.shape)``; zero where the mask, or else the end of the memory, forbids it."""
        admitted = self.inside(running, name, positions, size)
        admitted = admitted if mask is None else admitted & mask
        every = admitted.all()
        safe = positions if every else np.where(admitted, positions, 0)
        if name in running.shared:
            if not admitted.any():
                return np.zeros((running.batch, *positions.shape), np.uint64)
            found = octets.read(running.shared[name], safe, size)
        else:
            found = octets.read_placed(running.memory[name], running.buffer(name), safe, size)
        return found if every else np.where(admitted, found, np.uint64(0))

    def write(
        self, running: Running, name: str, positions: Positions, size: int, bits: Bits, mask: Mask | None = None
    ) -> None:
        """The same way back; what is not admitted is lost."""
        admitted = self.inside(running, name, positions, size)
        admitted = admitted if mask is None else admitted & mask
        if not admitted.all():
            positions, bits = positions[admitted], bits[:, admitted]
        if name in running.shared:
            octets.write(running.shared[name], positions, size, bits)
        else:
            octets.write_placed(running.memory[name], running.buffer(name), positions, size, bits)

    # Bounds

    def admitted(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """The elements of one operation that bounds checks let through.

        This device checks each by itself; by the text of 2025-09-19 one outside a buffer keeps out all.
        """
        inside = self.inside(running, name, positions, size)
        whole = self.by_source and name not in running.shared
        return np.full(inside.shape, inside.all()) if whole else inside

    def loadable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """The elements of a matrix that a Load reads; the others are zero."""
        return self.admitted(running, name, positions, size)

    def storable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """The elements of a matrix that a Store writes."""
        return self.admitted(running, name, positions, size)

    # Addresses

    def unit_bytes(self, running: Running, access: Access, matrix: Matrix) -> int:
        """Bytes of one step of offset and stride: one in a buffer, a component of the matrix in an array.

        By the text of 2025-09-19, where a start is an index of an array, it is an element of that.
        """
        array = running.program.array(access.memory)
        if array is None:
            return 1
        return element_bytes(array) if self.by_source else format_of(matrix).nbytes

    def lying(self, running: Running, access: Access, matrix: Matrix) -> Format:
        """The format in which elements lie in memory: the matrix's.

        By the text of 2025-09-19 arrays have elements of their own type; uint is the one that packed components have.
        """
        array, component = running.program.array(access.memory), COMPONENTS[matrix.component]
        native = None if array is None or not self.by_source else NATIVE.get(array.element)
        if array is None or native is None or (not component.native and array.element == component.scalar):
            return format_of(matrix)
        return COMPONENTS[native].format

    def converted_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """A conversion by the rules of the text, and by the device's style where they leave a choice."""
        return convert(bits, source, target, self.style)

    def positions(
        self, running: Running, access: Access, matrix: Matrix, size: int, instance: int, loop: int
    ) -> Positions:
        """First byte of every element in the view or array, ``(m, n)``, for one instance of a matrix."""
        unit = self.unit_bytes(running, access, matrix)
        offset = unit * self.offset(running, access, matrix.scope, instance, loop)
        layout = self.layout(access, matrix)
        if layout not in LINEAR:
            return offset + self.optimal(matrix.component, matrix.m, matrix.n, layout)
        stride = unit * self.stride(running, access, matrix.scope, instance, loop)
        return offset + self.lines(matrix.m, matrix.n, size, stride, layout)

    def offset(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        """Where the first element lies, in the unit of the program."""
        return self.shared_argument(running, scope, access.offset, instance, loop)

    def stride(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        """From one row or column to the next, in the unit of the program."""
        return self.shared_argument(running, scope, access.stride, instance, loop)

    def layout(self, access: Access, matrix: Matrix) -> Layout:
        """The layout in memory; sums of Thread matrices name none, as they have but one."""
        if isinstance(access, InterlockedAccumulate) and matrix.scope == "Thread":
            return "OuterProductOptimal"
        return access.layout

    def lines(self, m: int, n: int, size: int, stride: int, layout: Layout) -> Positions:
        """Bytes from the first element to every other, where lines are rows or columns."""
        return _lines(m, n, size, stride, layout)

    def optimal(self, component: ComponentType, m: int, n: int, layout: Layout) -> Positions:
        """Bytes from the start of an optimal layout to every element of an m x n matrix that is made through it."""
        if layout in TRANSPOSED:
            return self.optimal(component, n, m, TRANSPOSED[layout]).T
        places = self.places(m, n, layout)
        size = COMPONENTS[component].format.nbytes
        return spread(places, size, optimal_bytes(self.caps, component, m, n, layout))

    def places(self, m: int, n: int, layout: Layout) -> Positions:
        """The order of the elements in an optimal layout."""
        return multiplying(m, n) if layout == "MulOptimal" else summing(m, n)

    # Instructions

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """Every instance's elements as they lie, in the format of the matrix if it is not theirs."""
        matrix = running.program.matrix(load.matrix)
        lying = self.lying(running, load, matrix)
        size = lying.nbytes
        acting = running.acting(matrix.scope)
        where, mask = self.touched(running, load, matrix, size, acting, loop, self.loadable)
        loaded = self.moved(self.read(running, load.memory, where, size, mask), lying, format_of(matrix))
        before = running.contents(matrix)
        if len(acting) == before.shape[1]:
            return loaded
        found = before.copy()
        found[:, acting] = loaded
        return found

    def touched(
        self,
        running: Running,
        access: Access,
        matrix: Matrix,
        size: int,
        acting: list[int],
        loop: int,
        admitted: Callable[[Running, str, Positions, int], Mask],
    ) -> tuple[Positions, Mask | None]:
        """Where these instances of a matrix have their elements, ``(instances, m, n)``, and which bounds let through.

        Every instance is an operation of its own, so its bounds are checked by themselves; where nothing lies outside
        there is nothing to check.
        """
        apart = [self.positions(running, access, matrix, size, instance, loop) for instance in acting]
        where = np.stack(apart) if apart else np.zeros((0, matrix.m, matrix.n), np.int64)
        if self.inside(running, access.memory, where, size).all():
            return where, None
        return where, np.stack([admitted(running, access.memory, each, size) for each in apart])

    def moved(self, bits: Bits, source: Format, target: Format) -> Bits:
        """Elements on their way between a matrix and an array of another type."""
        return self.converted_bits(bits, source, target)

    def store(self, running: Running, store: Store, loop: int) -> None:
        """Every instance's elements as they are, or in the format of an array, and nothing else."""
        matrix = running.program.matrix(store.matrix)
        lying = self.lying(running, store, matrix)
        size = lying.nbytes
        bits = self.moved(self.outgoing(running, matrix), format_of(matrix), lying)
        acting = running.acting(matrix.scope)
        where, mask = self.touched(running, store, matrix, size, acting, loop, self.storable)
        self.write(running, store.memory, where, size, bits[:, acting], mask)

    def outgoing(self, running: Running, matrix: Matrix) -> Bits:
        """The contents of a matrix as they leave it, in its own format."""
        return running.contents(matrix)

    def copy(self, running: Running, copy: Copy, loop: int) -> None:
        """Elements of an array, moved between it and a buffer by the whole group."""
        array = running.program.array(copy.array)
        assert array is not None
        size = element_bytes(array)
        places = size * np.arange(copy.count, dtype=np.int64)
        here = self.argument(running, copy.start, 0, loop) + places
        there = size * self.argument(running, copy.offset, 0, loop) + places
        if isinstance(copy, Stage):
            self.write(running, copy.array, there, size, self.read(running, copy.buffer, here, size))
        else:
            self.write(running, copy.buffer, here, size, self.read(running, copy.array, there, size))

    def convert_layout(self, running: Running, conversion: ConvertLayout) -> None:
        """A matrix in memory, copied into another layout by the command list."""
        c, size = conversion, COMPONENTS[conversion.component].format.nbytes
        source = c.source_offset + self.converted(c, c.source_layout, c.source_stride, size)
        target = c.target_offset + self.converted(c, c.target_layout, c.target_stride, size)
        bits = self.read(running, c.source, source, size)
        if c.target_layout not in LINEAR:
            self.clear(running, c)
        self.write(running, c.target, target, size, bits)

    def clear(self, running: Running, conversion: ConvertLayout) -> None:
        """Padding in all bytes that an optimal layout takes; what they hold is the device's business."""
        c = conversion
        nbytes = optimal_bytes(self.caps, c.component, c.m, c.n, c.target_layout)
        where = c.target_offset + np.arange(nbytes, dtype=np.int64)
        self.write(running, c.target, where, 1, np.full((running.batch, nbytes), PADDING, np.uint64))

    def converted(self, conversion: ConvertLayout, layout: Layout, stride: int, size: int) -> Positions:
        """Bytes from the start of a matrix in memory to its elements, in the source or target of a conversion."""
        if layout in LINEAR:
            return self.lines(conversion.m, conversion.n, size, stride, layout)
        return self.optimal(conversion.component, conversion.m, conversion.n, layout)
