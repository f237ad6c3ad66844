"""Where an access to a buffer may lie so that it has given classes: stride, offset and the base of the view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, memory_row_bytes
from mmaspec.programs.hlsl_wave_matrix.program import Matrix
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within

PAGE = 4096
ALLOCATION = 256
FARTHEST_BASE = 512
BASE_STEP = 16
"""What bases of cases are multiples of."""
ALIGNMENTS = {
    "unspecified": 0, "four": 4, "eight": 8, "sixteen": 16, "thirty-two": 32, "sixty-four": 64,
    "one-hundred-twenty-eight": 128, "two-hundred-fifty-six": 256,
}  # fmt: skip
"""The classes of the axis ``alignment`` that a buffer can promise."""
PADDINGS = ("none", "least", "part-of-row", "one-row", "several-rows", "pages")


def padded(row: int, padding: str, alignment: int) -> Sequence[int]:
    """Row strides with a class of ``row-padding``; none where no such stride honours the alignment."""
    step = alignment or 4
    options = {
        "none": range(row, row + 1),
        "least": range(row + 4, row + 5) if row > 4 else range(0),
        "part-of-row": range(row + 8, 2 * row, 4),
        "one-row": range(2 * row, 2 * row + 1),
        "several-rows": range(2 * row + 4, 2 * row + 1028, 4),
        "pages": range(row + PAGE, row + PAGE + 1028, 4),
    }[padding]
    return [stride for stride in options if stride % step == 0]


@lru_cache(maxsize=1 << 14)
def bases(offset: int, alignment: int, together: str | None) -> tuple[int, ...]:
    """Bases of the view with a class of ``base-and-offset``, or with any, that honour the alignment."""
    step = alignment or 4
    fitting = [base for base in range(0, FARTHEST_BASE + 1, BASE_STEP) if (base + offset) % step == 0]
    return tuple(base for base in fitting if together in (None, base_and_offset(base, offset, step)))


def base_and_offset(base: int, offset: int, alignment: int) -> str:
    """The class of ``base-and-offset``."""
    whole = base + offset
    if not base:
        return "base-zero" if offset else "both-zero"
    if not offset:
        return "offset-zero"
    if base % alignment and offset % alignment and whole % alignment == 0:
        return "compensate"
    if base % ALLOCATION and offset % ALLOCATION and whole % ALLOCATION == 0:
        return "together-256"
    return "off-16" if whole % 16 else "other"


def lines(matrix: Matrix, col_major: int) -> int:
    """Memory-layout rows; of a fragment, elements."""
    return matrix.rows * matrix.cols if matrix.is_fragment else matrix.cols if col_major else matrix.rows


def end(matrix: Matrix, offset: int, stride: int, col_major: int) -> int:
    """One beyond the last byte of the view that an access touches."""
    line = element_bytes(matrix) if matrix.is_fragment else memory_row_bytes(matrix, col_major)
    return offset + (lines(matrix, col_major) - 1) * stride + line


def offsets(name: str) -> Sequence[int]:
    """Offsets of a class of ``buffer-offset``."""
    return within("buffer-offset", name, 4)
