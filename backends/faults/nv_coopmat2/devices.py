"""Devices that deviate from the reference in one rule."""

# ruff: noqa: D102 - each class says what its one method does

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.nv_coopmat2.access import Places
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask, Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Along, Region
from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.base import GUARD
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    ROW_MAJOR,
    SATURATING,
    Component,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Splat,
    Store,
    StoreTensor,
)


class RowAsColumn(CoopMat2Device):
    """Loads are column-major."""

    def by_columns(self, access: Load | Store) -> bool:
        return isinstance(access, Load) or super().by_columns(access)


class ColumnAsRow(CoopMat2Device):
    """Loads are row-major."""

    def by_columns(self, access: Load | Store) -> bool:
        return isinstance(access, Store) and super().by_columns(access)


class SharedByRows(CoopMat2Device):
    """Loads from shared arrays are row-major."""

    def lines(self, running: Running, access: Load | Store, loop: int) -> Ints:
        if isinstance(access, Load) and access.buffer in running.program.shared:
            return super().lines(running, replace(access, layout=ROW_MAJOR), loop)
        return super().lines(running, access, loop)


class OffsetInComponents(CoopMat2Device):
    """Plain accesses take every array for one of components."""

    def unit_bytes(self, running: Running, access: Load | Store | LoadTensor | StoreTensor) -> int:
        if isinstance(access, Load | Store):
            return self.width(running, access)
        return super().unit_bytes(running, access)


class CDropped(CoopMat2Device):
    """The product alone."""

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        return super().product(a_type, a, b_type, b, c_type, np.zeros_like(c), overflow)


class SumsInF16(CoopMat2Device):
    """C and every partial sum lose all but 8 bits of their significands (f64: all but 24)."""

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        fmt = format_named(c_type.component)
        if not fmt.is_float:
            return super().product(a_type, a, b_type, b, c_type, c, overflow)
        kept = {"f16": 8, "f64": 24}.get(fmt.name, 11)
        with np.errstate(all="ignore"):
            left, right = doubles_of(format_named(a_type.component), a), doubles_of(format_named(b_type.component), b)
            total = _short(doubles_of(fmt, c), kept)
            for k in range(a.shape[-1]):
                total = _short(total + left[..., :, k, None] * right[..., None, k, :], kept)
            return bits_of_doubles(fmt, total)


def _short(values: Doubles, kept: int) -> Doubles:
    """The values with so many significand bits."""
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.round(fraction * 2.0**kept) / 2.0**kept, exponent)


class Saturates(CoopMat2Device):
    """The final sum is clamped."""

    def mul_add(self, running: Running, instruction: MulAdd) -> Bits:
        return super().mul_add(running, replace(instruction, operands=SATURATING))


class NeverSaturates(CoopMat2Device):
    """The final sum wraps."""

    def mul_add(self, running: Running, instruction: MulAdd) -> Bits:
        return super().mul_add(running, replace(instruction, operands=0))


class SaturatesSigned(CoopMat2Device):
    """The final sum is clamped to the range of signed numbers."""

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        if overflow == "saturate" and c_type.component == "u32":
            c_type = replace(c_type, component="s32")
        return super().product(a_type, a, b_type, b, c_type, c, overflow)


def _other_sign(matrix: Matrix) -> Matrix:
    """The type with the other signedness."""
    others: dict[Component, Component] = {"s8": "u8", "u8": "s8", "s16": "u16", "u16": "s16"}
    return replace(matrix, component=others.get(matrix.component, matrix.component))


class AOtherSign(CoopMat2Device):
    """A read with the other signedness."""

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        return super().product(_other_sign(a_type), a, b_type, b, c_type, c, overflow)


class BOtherSign(CoopMat2Device):
    """B read with the other signedness."""

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        return super().product(a_type, a, _other_sign(b_type), b, c_type, c, overflow)


class SplatFirstRow(CoopMat2Device):
    """Zeros below the first row."""

    def splat(self, running: Running, instruction: Splat) -> Bits:
        bits = super().splat(running, instruction)
        bits[..., 1:, :] = 0
        return bits


class StoreFillsRow(CoopMat2Device):
    """A plain store writes zeros from the end of each line to the start of the next, as far as a window reaches."""

    def store(self, running: Running, access: Store, loop: int) -> None:
        lines = self.lines(running, access, loop)
        width = self.width(running, access)
        ends = lines.max(axis=2 if access.layout == 0 else 1) + width
        starts = lines.min(axis=2 if access.layout == 0 else 1)
        for wave in range(lines.shape[0]):
            for end, following in zip(ends[wave][:-1], starts[wave][1:], strict=True):
                last = min(following, end + GUARD // 2) if running.buffer(access.buffer).windows else following
                gap = np.arange(end, last)
                zeros = np.zeros((running.batch, gap.size), np.uint64)
                self.put(running, access.buffer, gap, zeros, 1)
        super().store(running, access, loop)


class TensorStoreWritesBeyond(CoopMat2Device):
    """A tensor store first writes zero to the element after each one that it stores."""

    def store_tensor(self, running: Running, access: StoreTensor, loop: int) -> None:
        places = self.places(running, access, loop)
        width = self.width(running, access)
        keep = ~(places.none | places.skipped)
        after = np.where(keep, places.start + places.index * width + width, -1)
        self.put(running, access.buffer, after, np.zeros((running.batch, *after.shape), np.uint64), width, keep)
        super().store_tensor(running, access, loop)


class ClampValueStartsSet(CoopMat2Device):
    """A new layout has some other clamp value."""

    def create(self, rank: int, mode: int) -> Region:
        region = super().create(rank, mode)
        region.fill = 0x3C013C01
        return region


class SetterChangesArgument(CoopMat2Device):
    """Names share one record."""

    def start_from(self, region: Region) -> Region:
        return region


class StridesOutermostFirst(CoopMat2Device):
    """The first dimension is next to itself."""

    def packed(self, counts: list[int]) -> list[int]:
        return list(reversed(super().packed(list(reversed(counts)))))


class SetDimensionKeepsEarlier(CoopMat2Device):
    """Dimensions set again leave offsets and strides alone."""

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        starts, steps = region.starts, region.steps
        super().set_dimension(region, sizes)
        if "Slice" in region.history:
            region.starts = starts
        if "SetStride" in region.history:
            region.steps = steps


class SetStrideIgnored(CoopMat2Device):
    """Strides stay implicit."""

    def set_stride(self, region: Region, steps: list[int]) -> None:
        """Nothing happens."""


class SliceReplacesOffsets(CoopMat2Device):
    """The last slice alone counts."""

    def cut(self, region: Region, starts: list[int], spans: list[int]) -> None:
        region.starts, region.spans = list(starts), list(spans)


class ClampValueIgnored(CoopMat2Device):
    """The clamp value stays zero."""

    def set_fill(self, region: Region, value: int) -> None:
        """Nothing happens."""


class NumberedByColumns(CoopMat2Device):
    """Elements are numbered down the columns."""

    def number(self, rows: int, cols: int) -> Ints:
        return np.arange(rows * cols, dtype=np.int64).reshape(cols, rows).T.copy()


class OutermostNotWrapped(CoopMat2Device):
    """The outermost coordinate runs on."""

    def wrapped(self, region: Region, axis: int, coordinate: Ints) -> Ints:
        return coordinate if axis == 0 else super().wrapped(region, axis, coordinate)


class BoundsBySpan(CoopMat2Device):
    """A coordinate is out also where it leaves the span."""

    def outside(self, region: Region, axis: int, coordinate: Ints) -> Mask:
        return super().outside(region, axis, coordinate) | (coordinate >= region.spans[axis])


class ConstantAsEdge(CoopMat2Device):
    """Loads in mode Constant find the edge."""

    def constant(self, along: Along) -> tuple[Ints, Mask]:
        inside = self.edge(along.coordinate, along.region.sizes[along.axis])
        return np.where(along.out, inside, along.coordinate), np.zeros_like(along.out)


class EdgeOneBeyond(CoopMat2Device):
    """The last coordinate inside is taken to be the size."""

    def edge(self, coordinate: Ints, size: int) -> Ints:
        return np.clip(coordinate, 0, size)


class RepeatTruncated(CoopMat2Device):
    """Remainders as in C."""

    def repeat(self, coordinate: Ints, size: int) -> Ints:
        return np.fmod(coordinate, size)


class MirrorEdgeRepeated(CoopMat2Device):
    """Both edges are shown twice."""

    def mirror(self, coordinate: Ints, size: int) -> Ints:
        around = np.mod(coordinate, 2 * size)
        return np.where(around < size, around, 2 * size - 1 - around)


class ClampsOuterDimensionOnly(CoopMat2Device):
    """Where an outer coordinate was out, inner ones are taken as they are."""

    def bring_in(self, along: Along) -> tuple[Ints, Mask]:
        found, ended = super().bring_in(along)
        return np.where(along.left & along.out & ~ended, along.coordinate, found), ended


class StoreClamped(CoopMat2Device):
    """Stores find clamped coordinates as loads do (mode Constant: the edge)."""

    def stored_outside(self, along: Along) -> tuple[Ints, Mask]:
        mode = CLAMP_TO_EDGE if along.region.mode == CONSTANT else along.region.mode
        inside = self.folded(mode, along.coordinate, along.region.sizes[along.axis])
        return np.where(along.out, inside, along.coordinate), np.zeros_like(along.out)


class StoreUnclamped(CoopMat2Device):
    """Stores take coordinates as they are."""

    def stored_outside(self, along: Along) -> tuple[Ints, Mask]:
        return along.coordinate, np.zeros_like(along.out)


class InnerStrideOne(CoopMat2Device):
    """Neighbours along the last dimension are next to each other."""

    def pace(self, region: Region, axis: int) -> int:
        return 1 if axis == len(region.steps) - 1 else super().pace(region, axis)


class IndexInArrayElements(CoopMat2Device):
    """The index steps over array elements."""

    def index_bytes(self, running: Running, access: LoadTensor | StoreTensor) -> int:
        if isinstance(access, LoadTensor) and access.decode is not None:
            return super().index_bytes(running, access)
        return self.unit_bytes(running, access)


class ConstantKeepsOld(CoopMat2Device):
    """A load in mode Constant skips what is out of bounds."""

    def filled(self, running: Running, access: LoadTensor, loaded: Bits, places: Places) -> Bits:
        old = running.matrices.get(access.matrix)
        return super().filled(running, access, loaded, places) if old is None else np.where(places.none, old, loaded)
