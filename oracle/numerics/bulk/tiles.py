"""Batches of matrices along one axis, in chunks whose temporaries stay in cache."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import AnyBits


def along_one_axis(lead: tuple[int, ...], *matrices: AnyBits) -> list[AnyBits]:
    """Matrices (..., rows, columns) broadcast to the leading dimensions, as (tiles, rows, columns)."""
    tiles = math.prod(lead)
    return [
        (matrix if matrix.shape[:-2] == lead else np.broadcast_to(matrix, (*lead, *matrix.shape[-2:]))).reshape(
            tiles, *matrix.shape[-2:]
        )
        for matrix in matrices
    ]


def chunks(elements: int, *matrices: NDArray[Any]) -> Iterator[slice]:
    """Slices of the first axis so that the largest of the matrices has at most so many elements, or one tile."""
    largest = max(matrix.shape[-2] * matrix.shape[-1] for matrix in matrices)
    step = max(1, elements // max(largest, 1))
    for start in range(0, len(matrices[0]), step):
        yield slice(start, start + step)
