"""Linear algebra devices that deviate where matrices meet memory; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.access import Access
from mmaspec.backends.numpy.hlsl_linalg.conversions import convert
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, element_bytes, format_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    ConvertLayout,
    InterlockedAccumulate,
    Layout,
    Load,
    Matrix,
    Scope,
    Store,
)


def _in_array(running: Running, access: Access) -> bool:
    return running.program.array(access.memory) is not None


class StrideIgnored(LinalgDevice):
    """Rows and columns follow each other, in buffers or in arrays."""

    def __init__(self, arrays: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.arrays = arrays

    def stride(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        """The elements of a line."""
        if _in_array(running, access) != self.arrays:
            return super().stride(running, access, scope, instance, loop)
        matrix = running.program.matrix(access.matrix)
        count = matrix.m if access.layout == "ColMajor" else matrix.n
        return count if self.arrays else count * format_of(matrix).nbytes


class OffsetIgnored(LinalgDevice):
    """Loads begin at the start of a buffer, or of an array."""

    def __init__(self, arrays: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.arrays = arrays

    def offset(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        """None."""
        mine = isinstance(access, Load) and access.layout in LINEAR and _in_array(running, access) == self.arrays
        return 0 if mine else super().offset(running, access, scope, instance, loop)


class LoopFrozen(LinalgDevice):
    """Loads from buffers keep the offset of the first pass."""

    def offset(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        """That of pass 0."""
        mine = isinstance(access, Load) and not _in_array(running, access)
        return super().offset(running, access, scope, instance, 0 if mine else loop)


class ColumnsAsRows(LinalgDevice):
    """Loads take column-major matrices for row-major ones, in buffers or in arrays."""

    def __init__(self, arrays: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.arrays = arrays
        self.mine = False

    def positions(
        self, running: Running, access: Access, matrix: Matrix, size: int, instance: int, loop: int
    ) -> Positions:
        """As if the layout were not there."""
        self.mine = isinstance(access, Load) and _in_array(running, access) == self.arrays
        return super().positions(running, access, matrix, size, instance, loop)

    def lines(self, m: int, n: int, size: int, stride: int, layout: Layout) -> Positions:
        """Element (r, c) from line r, place c, both wrapped into the matrix's lines."""
        found = super().lines(m, n, size, stride, layout)
        if layout != "ColMajor" or not self.mine:
            return found
        row, column = np.indices((m, n))
        return np.asarray(found[column % m, row % n])


class ArrayUnits(LinalgDevice):
    """Offsets and strides in arrays count bytes."""

    def unit_bytes(self, running: Running, access: Access, matrix: Matrix) -> int:
        """One."""
        del running, access, matrix
        return 1


class ArrayElements(LinalgDevice):
    """Offsets and strides in arrays count the array's own elements."""

    def unit_bytes(self, running: Running, access: Access, matrix: Matrix) -> int:
        """An element of the array."""
        array = running.program.array(access.memory)
        return super().unit_bytes(running, access, matrix) if array is None else element_bytes(array)


class Misread(LinalgDevice):
    """What is moved between matrices and memory is converted: from or to integers, or those of the other sign."""

    def __init__(self, verb: str, arrays: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.verb = verb
        self.arrays = arrays

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """What was loaded, converted."""
        bits, fmt = super().load(running, load, loop), format_of(running.program.matrix(load.matrix))
        mine = self.verb == "load" and _in_array(running, load) == self.arrays and load.layout in LINEAR
        return convert(bits, _other(fmt), fmt) if mine else bits

    def store(self, running: Running, store: Store, loop: int) -> None:
        """What is stored, converted."""
        if self.verb != "store" or _in_array(running, store) != self.arrays:
            super().store(running, store, loop)
            return
        matrix = running.program.matrix(store.matrix)
        kept, fmt = running.contents(matrix), format_of(matrix)
        running.matrices[matrix.name] = convert(kept, fmt, _other(fmt))
        super().store(running, store, loop)
        running.matrices[matrix.name] = kept


def _other(fmt: Format) -> Format:
    """Integers as wide as a format: of a float signed, of an integer those of the other sign."""
    return FORMATS[f"{'u' if fmt.signed and not fmt.is_float else 's'}{fmt.bits}"]


class OneMoreOut(LinalgDevice):
    """Where an element is out of bounds, so is the first one."""

    def __init__(self, verb: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.verb = verb

    def _less(self, mask: Mask, verb: str) -> Mask:
        if verb == self.verb and not mask.all():
            mask = mask.copy()
            mask.flat[0] = False
        return mask

    def loadable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """One less."""
        return self._less(super().loadable(running, name, positions, size), "load")

    def storable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """One less."""
        return self._less(super().storable(running, name, positions, size), "store")

    def summable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """One less."""
        return self._less(super().summable(running, name, positions, size), "sum")


class OnesBeyond(LinalgDevice):
    """What is loaded from out of bounds has its lowest bit set."""

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """Not zero."""
        bits = super().load(running, load, loop)
        matrix = running.program.matrix(load.matrix)
        size = format_of(matrix).nbytes
        for instance in running.acting(matrix.scope):
            where = self.positions(running, load, matrix, size, instance, loop)
            beyond = ~self.inside(running, load.memory, where, size)
            bits[:, instance, beyond] = 1
        return bits


class WritesPadding(LinalgDevice):
    """Stores clear the four bytes after each row or column before they write the elements, in buffers or in arrays."""

    def __init__(self, arrays: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.arrays = arrays

    def store(self, running: Running, store: Store, loop: int) -> None:
        """Padding first; what lies in no window is left alone."""
        if _in_array(running, store) == self.arrays:
            matrix = running.program.matrix(store.matrix)
            size = self.lying(running, store, matrix).nbytes
            for instance in running.acting(matrix.scope):
                where = self.positions(running, store, matrix, size, instance, loop)
                ends = (where[-1] if store.layout == "ColMajor" else where[:, -1]) + size
                places = (ends[:, np.newaxis] + np.arange(4)).ravel()
                nothing = np.zeros((running.batch, places.size), np.uint64)
                self.write(running, store.memory, places, 1, nothing, self.known(running, store.memory, places))
        super().store(running, store, loop)

    def known(self, running: Running, name: str, places: Positions) -> Mask:
        """The bytes that the memory has, in windows if there are any."""
        windows = () if name in running.shared else running.buffer(name).windows
        found = np.full(places.shape, not windows)
        for start, length in windows:
            found |= (places >= start) & (places < start + length)
        return found


class CopyDropsLowestBit(LinalgDevice):
    """A Store in the layout of the Load takes a short way that loses the lowest bit."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.loaded: dict[str, tuple[int, str]] = {}

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """Remembers how a matrix was loaded."""
        scope = running.program.matrix(load.matrix).scope
        if not _in_array(running, load):
            self.loaded[load.matrix] = (self.stride(running, load, scope, 0, loop), load.layout)
        return super().load(running, load, loop)

    def store(self, running: Running, store: Store, loop: int) -> None:
        """One bit less where stride and layout are those of the Load."""
        matrix = running.program.matrix(store.matrix)
        way = (self.stride(running, store, matrix.scope, 0, loop), store.layout)
        kept = running.contents(matrix)
        if not _in_array(running, store) and self.loaded.get(matrix.name) == way:
            running.matrices[matrix.name] = kept & ~np.uint64(1)
        super().store(running, store, loop)
        running.matrices[matrix.name] = kept


class FirstInstanceLoads(LinalgDevice):
    """All matrices of a scope hold what the first one loads."""

    def __init__(self, scope: Scope, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.scope = scope

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """One for all."""
        bits = super().load(running, load, loop)
        mine = running.program.matrix(load.matrix).scope == self.scope
        return np.broadcast_to(bits[:, :1], bits.shape).copy() if mine else bits


# Optimal layouts


class OptimalAs(LinalgDevice):
    """One kind of access takes an optimal layout for rows without gaps."""

    def __init__(self, kind: type[Load] | type[InterlockedAccumulate], unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.kind = kind

    def positions(
        self, running: Running, access: Access, matrix: Matrix, size: int, instance: int, loop: int
    ) -> Positions:
        """Tight rows."""
        found = super().positions(running, access, matrix, size, instance, loop)
        if not isinstance(access, self.kind) or access.layout in (*LINEAR, "MulOptimalTranspose"):
            return found
        row, column = np.indices((matrix.m, matrix.n), dtype=np.int64)
        return np.asarray(found.min() + (row * matrix.n + column) * size)


class NeverTransposes(LinalgDevice):
    """Loads through transposed layouts take the elements in the order of the matrix in memory."""

    def positions(
        self, running: Running, access: Access, matrix: Matrix, size: int, instance: int, loop: int
    ) -> Positions:
        """Row after row of the one fills row after row of the other."""
        found = super().positions(running, access, matrix, size, instance, loop)
        return found.T.reshape(found.shape) if access.layout.endswith("Transpose") else found


class ConversionRowsAsColumns(LinalgDevice):
    """Conversions of layouts take row-major sources for column-major ones."""

    def convert_layout(self, running: Running, conversion: ConvertLayout) -> None:
        """Element (r, c) from line c, place r, both wrapped into the matrix's lines."""
        c = conversion
        super().convert_layout(running, c)
        if c.source_layout in LINEAR and c.source != c.target:
            size = COMPONENTS[c.component].format.nbytes
            row, column = np.indices((c.m, c.n))
            source = c.source_offset + self.converted(c, c.source_layout, c.source_stride, size)
            target = c.target_offset + self.converted(c, c.target_layout, c.target_stride, size)
            bits = self.read(running, c.source, source[column % c.m, row % c.n], size)
            self.write(running, c.target, target, size, bits)


class ConversionLosesLastRow(LinalgDevice):
    """Conversions of layouts leave out the last row."""

    def convert_layout(self, running: Running, conversion: ConvertLayout) -> None:
        """It is cleared instead."""
        c = conversion
        super().convert_layout(running, c)
        size = COMPONENTS[c.component].format.nbytes
        target = c.target_offset + self.converted(c, c.target_layout, c.target_stride, size)[-1]
        self.write(running, c.target, target, size, np.zeros((running.batch, c.n), np.uint64))
