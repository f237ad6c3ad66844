"""The numbers of a layout whose setters stand in any order, in every rank."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.programs.nv_coopmat2.program import UNDEFINED, Matrix
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.nv_coopmat2.arrays.extents import Extents

BLOCKS: tuple[Extents, ...] = ((1, 2), (2, 1), (3, 2))
"""Blocks of rows and columns."""
LINE_BLOCKS: tuple[Extents, ...] = ((2,), (3,))
"""Blocks of a tensor of one dimension."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What each setter is given, outermost dimension first.

    A slice leaves the tensor by a row below and a column at the right, unless it may not, in the mode Undefined. With
    one dimension there is a line of all elements instead of rows. What ranks above two have outside of rows and columns
    is in bounds: of two planes, the second.
    """

    offsets: Extents
    spans: Extents
    before: Extents
    """Dimensions that others replace."""
    sizes: Extents
    """Dimensions that are set last: those of the tensor where a slice follows, else spans as well."""
    sizes_steps: Extents
    """By how much more they are in each further wave or pass, and so on."""
    strides: Extents
    spans_steps: Extents
    blocks: Extents

    @property
    def rank(self) -> int:
        """Dimensions."""
        return len(self.spans)


def numbers(
    choices: Choices, matrix: Matrix, rank: int, names: list[str], *, mode: int, moving: str, again: bool, stored: bool
) -> Numbers:
    """The numbers for setters of these names in this order; ``moving``: whose arguments differ between waves or passes.

    ``again``: dimensions before the last ones are the same.
    """
    outside = max(rank - 2, 0)
    rows, cols = (matrix.rows, matrix.cols) if rank > 1 else (1, matrix.rows * matrix.cols)
    last = len(names) - 1 - names[::-1].index("dimension")
    sliced = "slice" in names[last:]
    over, below = choices.integer(2, 4), choices.integer(0, 2)
    tensor = (rows + below, cols + over - 1)
    place = (-1, over)
    # In a span that is too small elements come again: two of them may not be stored in one place.
    lines = max(3, -(-rows >> outside)) if outside else rows
    final = tensor if sliced else (lines if stored else lines - 1, cols + 1)
    if rank == 1 and not (sliced or stored):
        final = (1, cols - 3)
    if mode == UNDEFINED:  # where nothing may be out of bounds, NVCM2-CLAMP-UNDEF
        place = (1, over)
        tensor = final = (2 * rows + 4, cols + over + 2)
    before = final if again else (rows + 3, cols + 5)
    width = max(tensor[1], before[1]) if "stride" in names[1:last] else tensor[1]
    outer = width + choices.integer(1, 5)
    planes = [outer * (max(tensor[0], final[0], before[0]) + 1) << plane for plane in range(outside)][::-1]
    shrinks = max(0, min(rows // 2, final[0] - 2))  # two rows are left: there is no mirror of one
    # Of a tensor that shrinks, or with a block that grows, in each wave or pass there is still a whole block.
    least = min(final[0], before[0]) - {"dimension": shrinks, "block": 1}.get(moving, 0)
    # Blocks of one column would leave the strides as they are where dimensions are set again.
    shapes = [shape for shape in BLOCKS if shape[0] <= least and (shape[1] > 1 or "block" not in names[:last])]
    step = 1 if stored else -1

    def ranked(plane: int, pair: Extents) -> Extents:
        return pair[1:] if rank == 1 else (plane,) * outside + pair

    return Numbers(
        offsets=ranked(1, place),
        spans=ranked(1, (rows, cols)),
        before=ranked(2 if again else 1, before),
        sizes=ranked(2, final),
        sizes_steps=ranked(0, (1 if stored else -shrinks, 1)),
        strides=(choices.integer(2, 3),) if rank == 1 else (*planes, outer, 1),
        spans_steps=ranked(0, (step, step)),
        blocks=choices.one_of(LINE_BLOCKS) if rank == 1 else (1,) * outside + choices.one_of(tuple(shapes)),
    )
