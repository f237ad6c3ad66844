"""WaveMatrix devices that deviate in one place each; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Arguments, Positions, Shader, WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import Lines
from mmaspec.backends.numpy.hlsl_wave_matrix.validity import CHECKS, Survey
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Store,
)
from mmaspec.programs.windows import image_places

TILE = 16


class TakesOddOffset(WaveMatrixDevice):
    """Checks the alignment of start addresses only where the offset is a multiple of 4."""

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """Accesses at odd offsets are left out of both checks."""
        shader = Shader(submitted.program, submitted.inputs, {}, 0)
        survey = Survey.of(
            shader.program, self.caps, lambda index, wave, loop: self.argument(shader, index, wave, loop)
        )
        even = replace(survey, touches=tuple(touch for touch in survey.touches if touch.offset % 4 == 0))
        aligned = ("WM-LOAD-OFFSET-DWORD", "WM-ALIGN-COMBINED")
        return tuple(clause for clause, check in CHECKS.items() if check(even if clause in aligned else survey))


class OneRowShort(WaveMatrixDevice):
    """Loads one memory-layout row too few, except of packed matrices."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """The last row (or column) stays zero."""
        bits = super().load(shader, load, matrix, waves)
        if FORMATS[matrix.element].nbytes > 1 and not waves[0].vector:
            for wave, arguments in enumerate(waves):
                bits[(slice(None), wave, slice(None), -1) if arguments.col_major else (slice(None), wave, -1)] = 0
        return bits


class DepthInDwords(WaveMatrixDevice):
    """Sums a quarter of K."""

    def product_of(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """K counts dwords of four elements."""
        depth = a.shape[-1] // 4 if elements[0] in ("u8", "s8") else a.shape[-1]
        return super().product_of(elements, a[..., :depth], b[..., :depth, :], c)


class FirstWaveLoads(WaveMatrixDevice):
    """All waves get what the first one loads."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """The first wave's arguments for all."""
        return super().load(shader, load, matrix, [waves[0]] * len(waves))


class WavesShareProduct(WaveMatrixDevice):
    """All waves see the last one's product."""

    def product(self, shader: Shader, product: Multiply | MultiplyAccumulate, matrix: Matrix, addend: Bits) -> Bits:
        """The last wave wins."""
        bits = super().product(shader, product, matrix, addend)
        return np.broadcast_to(bits[:, -1:], bits.shape).copy()


class FillsFirstRow(WaveMatrixDevice):
    """Fill writes the first row."""

    def fill(self, shader: Shader, fill: Fill, matrix: Matrix) -> Bits:
        """The other rows stay."""
        bits = shader.contents(matrix.name).copy()
        bits[:, :, 0] = super().fill(shader, fill, matrix)[:, :, 0]
        return bits


class ReadOnlyLoadLost(WaveMatrixDevice):
    """Loads from read-only buffers leave the matrix as it was."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Nothing is loaded."""
        return shader.contents(matrix.name) if waves[0].read_only else super().load(shader, load, matrix, waves)


class IgnoresStride(WaveMatrixDevice):
    """Takes lines as packed, in one orientation."""

    def __init__(self, col_major: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.col_major = col_major

    def stride(self, lines: Lines) -> int:
        """The bytes of a line."""
        mine = lines.arguments.col_major == self.col_major and not lines.arguments.shared
        return lines.line_bytes if mine else super().stride(lines)


class IgnoresOffset(WaveMatrixDevice):
    """Takes matrices to begin at byte 0 of the view, in loads of one orientation."""

    def __init__(self, col_major: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.col_major = col_major

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """From byte 0."""
        mine = arguments.col_major == self.col_major and not (arguments.shared or arguments.vector)
        start = 0 if mine else arguments.start
        return super().load_positions(rows, cols, size, replace(arguments, start=start))


class LoopOffsetFrozen(WaveMatrixDevice):
    """Row-major loads keep the offset of the first pass."""

    def arguments(self, shader: Shader, access: Load | Store, loop: int) -> list[Arguments]:
        """The start of pass 0."""
        now, then = super().arguments(shader, access, loop), super().arguments(shader, access, 0)
        if isinstance(access, Store):
            return now
        return [
            one if one.col_major or one.shared or one.vector else replace(one, start=first.start)
            for one, first in zip(now, then, strict=True)
        ]


class ColReadAsRow(WaveMatrixDevice):
    """Loads ignore bColMajor: the lines of memory become rows, as far as they fit."""

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """Element (r, c) from line r, place c, both wrapped into the matrix's lines."""
        positions = super().load_positions(rows, cols, size, arguments)
        if not arguments.col_major or arguments.shared:
            return positions
        r, c = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
        return np.asarray(positions[c % rows, r % cols])


class PacksAcrossRows(WaveMatrixDevice):
    """In loads of packed matrices, the four bytes of a dword go to four neighbouring lines."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Every block of 4 x 4 elements is transposed."""
        bits = super().load(shader, load, matrix, waves)
        if FORMATS[matrix.element].nbytes > 1:
            return bits
        batch, count, rows, cols = bits.shape
        blocks = bits.reshape(batch, count, rows // 4, 4, cols // 4, 4)
        return blocks.swapaxes(3, 5).reshape(bits.shape).copy()


class SecondStoreLost(WaveMatrixDevice):
    """A Store empties the matrix: until it is written again, further stores write zeros."""

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Zeros the second time."""
        bits = super().outgoing(shader, matrix, waves)
        return np.zeros_like(bits) if matrix.name in shader.stored else bits


class WritesPadding(WaveMatrixDevice):
    """Stores clear the four bytes after each line before they write the elements."""

    def store(self, shader: Shader, store: Store, matrix: Matrix, loop: int) -> None:
        """Padding first, then the elements; arrays are left alone."""
        if shader.array(store.buffer) is not None:
            super().store(shader, store, matrix, loop)
            return
        _, _, rows, cols = shader.shape(matrix)
        size = FORMATS[matrix.element].nbytes
        buffer = shader.buffer(store.buffer)
        image = shader.memory[store.buffer]
        for arguments in self.arguments(shader, store, loop):
            positions = self.positions(rows, cols, size, arguments)
            last = positions[-1] if arguments.col_major else positions[:, -1]
            ends = size + image_places(buffer, last)
            image[:, (ends[:, np.newaxis] + np.arange(4)).ravel()] = 0
        super().store(shader, store, matrix, loop)


class WritesArrayPadding(WaveMatrixDevice):
    """Stores to groupshared arrays clear the element after each line before they write the elements."""

    def store(self, shader: Shader, store: Store, matrix: Matrix, loop: int) -> None:
        """Up to the end of the array; buffers are left alone."""
        if shader.array(store.buffer) is not None:
            _, _, rows, cols = shader.shape(matrix)
            image, size = shader.view(store.buffer), FORMATS[matrix.element].nbytes
            for arguments in self.arguments(shader, store, loop):
                positions = self.positions(rows, cols, size, arguments)
                ends = (positions[-1] if arguments.col_major else positions[:, -1])[:, np.newaxis]
                after = (ends + size + np.arange(size)).ravel()
                image[:, after[after < image.shape[1]]] = 0
        super().store(shader, store, matrix, loop)


class StoresInLoadOrientation(WaveMatrixDevice):
    """Stores keep the order in which the elements were loaded, whatever their own orientation."""

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Elements in the order of the Load's lines, poured into the Store's."""
        bits = super().outgoing(shader, matrix, waves).copy()
        before = shader.loaded.get(matrix.name) or waves
        for wave, (then, now) in enumerate(zip(before, waves, strict=True)):
            if then.col_major != now.col_major and not (then.shared or now.shared):
                one = bits[:, wave]
                shape = one.shape
                lines = np.swapaxes(one, 1, 2) if then.col_major else one
                poured = lines.reshape(shape[0], -1)
                if now.col_major:
                    bits[:, wave] = np.swapaxes(poured.reshape(shape[0], shape[2], shape[1]), 1, 2)
                else:
                    bits[:, wave] = poured.reshape(shape)
        return bits


class CopyDropsLowestBit(WaveMatrixDevice):
    """A Store in the layout of the Load takes a short way that loses the lowest bit."""

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """One bit less where stride and orientation are those of the Load."""
        bits = super().outgoing(shader, matrix, waves)
        before = shader.loaded.get(matrix.name) or []
        same = [(one.stride, one.col_major) for one in before] == [(one.stride, one.col_major) for one in waves]
        plain = not any(one.shared or one.vector for one in (*before, *waves))
        return bits & ~np.uint64(1) if same and plain else bits


class AddsOnMultiply(WaveMatrixDevice):
    """Multiply adds."""

    def multiply(self, shader: Shader, product: Multiply, matrix: Matrix) -> Bits:
        """To the old contents."""
        return self.product(shader, product, matrix, shader.contents(matrix.name))


class DropsAddend(WaveMatrixDevice):
    """MultiplyAccumulate multiplies."""

    def multiply_accumulate(self, shader: Shader, product: MultiplyAccumulate, matrix: Matrix) -> Bits:
        """Without the old contents."""
        return self.product(shader, product, matrix, np.zeros(shader.shape(matrix), np.uint64))


class RightTakesSignOfLeft(WaveMatrixDevice):
    """Bytes of B are read with the sign of A."""

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """One format for both."""
        left, right, accumulator = elements
        same = left if {left, right} == {"u8", "s8"} else right
        return super().sum_of_products((left, same, accumulator), a, b, c)


class SumsIn16Bits(WaveMatrixDevice):
    """The sum of products is kept in 16 bits before the accumulator is added."""

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Wrapped at 16 bits, sign-extended, then added."""
        if elements[2] != "s32":
            return super().sum_of_products(elements, a, b, c)
        total = super().sum_of_products(elements, a, b, np.zeros_like(c)).astype(np.int64)
        low = ((total & 0xFFFF) ^ 0x8000) - 0x8000
        return (low + c.astype(np.int64)).astype(np.uint64) & np.uint64(0xFFFFFFFF)


class HalfPrecise(WaveMatrixDevice):
    """Float sums keep half of the bits of an f32 accumulator, and nine of those of f16: fewer than eight break more."""

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Truncated."""
        if not FORMATS[elements[2]].is_float:
            return super().sum_of_products(elements, a, b, c)
        precision = FORMATS[elements[2]].precision
        lost = np.uint64((1 << min((precision + 1) // 2, precision - 9)) - 1)
        return super().sum_of_products(elements, a, b, c) & ~lost


class FirstTileEverywhere(WaveMatrixDevice):
    """Every 16 x 16 tile of a product is made from the first tiles of A and B."""

    def product_of(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Rows of A and columns of B taken modulo 16."""
        rows, cols = np.arange(a.shape[-2]) % TILE, np.arange(b.shape[-1]) % TILE
        return super().product_of(elements, a[..., rows, :], b[..., cols], c)
