"""Small programs written literally, and the classes that are seen in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.programs.base import Buffer, Word
from mmaspec.programs.hlsl_wave_matrix import DEFAULT_CAPS, Instruction, Load, Matrix, Store, WaveMatrixProgram
from mmaspec.strategies.axes.observation import Seen, seen
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.hlsl_wave_matrix.observations import OBSERVER

SPACE = space_of("hlsl-wave-matrix")
Values = Mapping[str, Any]
"""Source -> bits, of a shape that broadcasts to ``(waves, passes, rows, cols)``; 1 where none are given."""

LEFT = Matrix("A", "left", "f16", 16, 16, 16)
RIGHT = Matrix("B", "right", "f16", 16, 16, 16)
SUM = Matrix("C", "accumulator", "f32", 16, 16)
HALF_SUM = Matrix("H", "accumulator", "f16", 16, 16)
BYTES_LEFT = Matrix("A", "left", "s8", 16, 16, 32)
BYTES_RIGHT = Matrix("B", "right", "u8", 16, 16, 32)
WHOLE = Matrix("C", "accumulator", "s32", 16, 16)
COLUMN = Matrix("L", "left-col-acc", "f32", 16, 16)
ROW = Matrix("R", "right-row-acc", "f32", 16, 16)
IN, OUT = Buffer("in", 65536), Buffer("out", 131072)


def program(matrices: tuple[Matrix, ...], *body: Instruction, **fields: Any) -> WaveMatrixProgram:
    """A program over ``in``, which is read only, and ``out``."""
    return WaveMatrixProgram(
        **{"buffers": (IN, OUT), "matrices": matrices, "body": body, "read_only": ("in",), **fields}
    )


def case_of(made: WaveMatrixProgram, values: Values, words: tuple[Word, ...] = ()) -> Case:
    """One item of data for a program."""
    bits: dict[str, NDArray[np.uint64]] = {}
    for source in SPEC.sources(resolve(made, words)):
        given = np.asarray(values.get(source.name, 1), np.uint64)
        bits[source.name] = np.broadcast_to(given, (1, *source.shape)).copy()
    return Case(SPEC.name, "by hand", "by hand", made, DEFAULT_CAPS, 1, bits, words)


def observed(made: WaveMatrixProgram, values: Values, words: tuple[Word, ...] = ()) -> list[Seen]:
    """Everything that is seen in a program that is valid and defined."""
    found = list(seen(case_of(made, values, words), OBSERVER, SPACE))
    assert found, "the program is rejected or undefined"
    return found


def classes(found: list[Seen], group: str, axis: str) -> set[str]:
    """The classes of an axis in all things of a group."""
    return {one for each in found if each.thing.group == group for one in each.classes.get(axis, ())}


def load(matrix: Matrix, offset: int = 0, **fields: Any) -> Load:
    """A tight, row-major Load of data named as its matrix."""
    stride = {"f16": 2, "f32": 4, "s32": 4, "s8": 1, "u8": 1}[matrix.element] * (
        1 if matrix.is_fragment else matrix.cols
    )
    given = {"buffer": "in", "offset": offset, "stride": stride, "data": matrix.name, **fields}
    return Load(matrix.name, **given)


def store(matrix: Matrix, offset: int = 0, **fields: Any) -> Store:
    """A tight, row-major Store."""
    stride = {"f16": 2, "f32": 4, "s32": 4, "s8": 1, "u8": 1}[matrix.element] * (
        1 if matrix.is_fragment else matrix.cols
    )
    return Store(matrix.name, **{"buffer": "out", "offset": offset, "stride": stride, **fields})
