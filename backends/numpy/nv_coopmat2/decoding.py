"""Decode functions for the reference device: whole arrays of structs, block coordinates and coordinates in blocks."""

from __future__ import annotations

from typing import assert_never

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Memory, Running
from mmaspec.backends.numpy.units.encoding import (
    Doubles,
    Integers,
    bits_of_doubles,
    bits_of_integers,
    doubles_of,
    integers_of,
)
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, format_named
from mmaspec.programs.nv_coopmat2.program import Decode, Echo, LoadTensor, Nibbles, ScaleAndBytes

SCALE_BYTES = 2
"""Bytes of the scale before the values of a block."""


class Decoding(Memory):
    """The arguments of decode functions, and their results."""

    def given(self, block: Ints, within: Ints) -> tuple[Ints, Ints]:
        """The second and the third argument, ``(axes, waves, rows, cols)`` each."""
        return block, within

    def decoded(
        self, running: Running, access: LoadTensor, function: Decode, pointer: Ints, block: Ints, within: Ints
    ) -> Bits:
        """The returned components; ``pointer`` is the byte of every element's struct, in the view."""
        component = format_named(function.component or running.program.matrix(access.matrix).component)
        block, within = self.given(block, within)

        def byte(at: Ints | int) -> Bits:
            return self.fetch(running, access.buffer, pointer + at, 1)

        if isinstance(function, Echo):
            total = weighted(function.block, block) + weighted(function.within, within)
            if function.byte:
                total = total + integers_of(FORMATS["u8"], byte(0)) * function.byte
            values = np.broadcast_to(total % (1 << 32), (running.batch, *pointer.shape))
            return _of_integers(component.name, np.ascontiguousarray(values))
        place = place_in_block(function.block, within)
        if isinstance(function, ScaleAndBytes):
            scale = doubles_of(FORMATS["f16"], self.fetch(running, access.buffer, pointer, SCALE_BYTES))
            value = integers_of(FORMATS["s8"], byte(SCALE_BYTES + place))
            with np.errstate(invalid="ignore"):
                return _of_doubles(component.name, scale * value)  # 19 bits at most: exact in f32 as well
        if isinstance(function, Nibbles):
            pair = integers_of(FORMATS["u8"], byte(place // 2))
            return _of_integers(component.name, np.where(place % 2, pair >> 4, pair & 15) - function.minus)
        assert_never(function)


def weighted(weights: tuple[int, ...], coordinates: Ints) -> Ints:
    """Coordinates times weights, summed over the axes in 32 bits."""
    total = np.zeros(coordinates.shape[1:], np.int64)
    for weight, coordinate in zip(weights, coordinates, strict=True):
        total += coordinate * (weight % (1 << 32)) % (1 << 32)
    return total


def place_in_block(extents: tuple[int, ...], within: Ints) -> Ints:
    """The number of a value in its block, the last axis innermost."""
    total = np.zeros(within.shape[1:], np.int64)
    for extent, coordinate in zip(extents, within, strict=True):
        total = total * extent + coordinate
    return total


def _of_integers(component: str, values: Integers) -> Bits:
    """Integers in the component type: floats to nearest, integers by their low bits."""
    fmt = FORMATS[component]
    return bits_of_doubles(fmt, values.astype(np.float64)) if fmt.is_float else bits_of_integers(fmt, values)


def _of_doubles(component: str, values: Doubles) -> Bits:
    """Numbers in the component type: floats to nearest, integers toward zero."""
    fmt = FORMATS[component]
    if fmt.is_float:
        return bits_of_doubles(fmt, values)
    whole = np.trunc(np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0))
    return bits_of_integers(fmt, whole.astype(np.int64))
