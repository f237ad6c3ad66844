"""Devices that deviate in one rule of tensor layouts, of blocks or of decode functions."""

# ruff: noqa: D102 - each class says what its one method does

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.access import Places
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask, Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Along, Region
from mmaspec.backends.numpy.units.encoding import bits_of_doubles
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import Decode, LoadTensor, StoreTensor


class BlockSizesInnermostFirst(CoopMat2Device):
    """Block sizes are given for the last dimension first."""

    def set_block(self, region: Region, blocks: list[int]) -> None:
        super().set_block(region, blocks[::-1])


class BlockSizeRecomputesStrides(CoopMat2Device):
    """Strides are computed anew when block sizes are set."""

    def set_block(self, region: Region, blocks: list[int]) -> None:
        super().set_block(region, blocks)
        if "SetDimension" in region.history:
            counts = [self.blocks_along(*pair) for pair in zip(region.sizes, blocks, strict=True)]
            region.steps = self.packed(counts)


class StridesInElements(CoopMat2Device):
    """Implicit strides count elements."""

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        super().set_dimension(region, sizes)
        region.steps = self.packed(list(sizes))


class SetDimensionForgetsBlocks(CoopMat2Device):
    """Setting dimensions sets block sizes back to one, once the strides are there."""

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        super().set_dimension(region, sizes)
        region.blocks = [1] * len(sizes)


class BlockBeforeClamping(CoopMat2Device):
    """Block and place in it come from the coordinate before it is clamped."""

    def split(self, along: Along, clamped: Ints) -> tuple[Ints, Ints]:
        blocked = along.region.blocks[along.axis] > 1
        return super().split(along, along.coordinate) if blocked else (clamped, 0 * along.coordinate)


class BlockElementsApart(CoopMat2Device):
    """Without a decode function elements of a block lie side by side."""

    def locate(self, region: Region, number: Ints, *, store: bool) -> tuple[Ints, Mask, Ints, Ints]:
        index, none, block, within = super().locate(region, number, store=store)
        return index + within[-1], none, block, within


class BlocksFromSlice(CoopMat2Device):
    """Places in a block are counted from the start of the slice."""

    def split(self, along: Along, clamped: Ints) -> tuple[Ints, Ints]:
        block, _ = super().split(along, clamped)
        return block, np.mod(clamped - along.region.starts[along.axis], max(along.region.blocks[along.axis], 1))


class DecodeStepsComponents(CoopMat2Device):
    """The index counts components, not structs."""

    def index_bytes(self, running: Running, access: LoadTensor | StoreTensor) -> int:
        return self.width(running, access)


class DecodePointerFromBuffer(CoopMat2Device):
    """A decode function's pointer counts from the start of the buffer."""

    def decoded(
        self, running: Running, access: LoadTensor, function: Decode, pointer: Ints, block: Ints, within: Ints
    ) -> Bits:
        waves = range(running.program.waves)
        unit = self.unit_bytes(running, access)
        start = np.array([running.value(access.offset, wave, 0) * unit for wave in waves], np.int64)
        return super().decoded(running, access, function, pointer - start[:, None, None], block, within)


class DecodeArgumentsSwapped(CoopMat2Device):
    """A decode function gets the place in the block first."""

    def given(self, block: Ints, within: Ints) -> tuple[Ints, Ints]:
        return within, block


class DecodeWholeCoordinate(CoopMat2Device):
    """A decode function gets coordinates of the tensor instead of places in the block."""

    def decoded(
        self, running: Running, access: LoadTensor, function: Decode, pointer: Ints, block: Ints, within: Ints
    ) -> Bits:
        sizes = self.regions(running, 0, 0)[access.tensor].blocks
        whole = within + block * np.array(sizes).reshape(-1, 1, 1, 1)
        return super().decoded(running, access, function, pointer, block, whole)


class ClampValueConverted(CoopMat2Device):
    """The clamp value is converted to a float component type."""

    def clamp_bits(self, running: Running, access: LoadTensor, places: Places) -> Bits:
        fmt = format_named(running.program.matrix(access.matrix).component)
        if not fmt.is_float:
            return super().clamp_bits(running, access, places)
        return bits_of_doubles(fmt, places.fill.astype(np.float64))


class SliceKeepsSpan(CoopMat2Device):
    """A slice of a slice has the spans of the first."""

    def cut(self, region: Region, starts: list[int], spans: list[int]) -> None:
        since = region.history[len(region.history) - region.history[::-1].index("SetDimension") :]
        super().cut(region, starts, region.spans if "Slice" in since else spans)


class SpansOutermostFirst(CoopMat2Device):
    """Elements are unravelled with the first axis innermost."""

    def unravel(self, region: Region, number: Ints) -> list[Ints]:
        turned = region.copy()
        turned.spans = region.spans[::-1]
        return super().unravel(turned, number)[::-1]


class EdgeBySpan(CoopMat2Device):
    """The last coordinate inside is that of the span."""

    def bring_in(self, along: Along) -> tuple[Ints, Mask]:
        found, none = super().bring_in(along)
        if along.region.mode != 2 or along.store:
            return found, none
        last = along.region.spans[along.axis] - 1
        return np.where(along.out, np.clip(along.coordinate, 0, last), found), none


class RepeatBySpan(CoopMat2Device):
    """A period is as long as the span."""

    def bring_in(self, along: Along) -> tuple[Ints, Mask]:
        found, none = super().bring_in(along)
        if along.region.mode != 3 or along.store:
            return found, none
        return np.where(along.out, np.mod(along.coordinate, along.region.spans[along.axis]), found), none


class RepeatOnce(CoopMat2Device):
    """There is one copy of the tensor on either side, and beyond it the edge."""

    def repeat(self, coordinate: Ints, size: int) -> Ints:
        return self.edge(np.where(coordinate < 0, coordinate + size, coordinate - size), size)


class MirrorOnce(CoopMat2Device):
    """There is one mirror at either end, and beyond its image the edge."""

    def mirror(self, coordinate: Ints, size: int) -> Ints:
        return self.edge(np.where(coordinate < 0, -coordinate, 2 * size - 2 - coordinate), size)


class MirrorOneEdge(CoopMat2Device):
    """Only the first element is no seam."""

    def mirror(self, coordinate: Ints, size: int) -> Ints:
        around = np.mod(coordinate, 2 * size - 1)
        return np.where(around < size, around, 2 * size - 1 - around)
