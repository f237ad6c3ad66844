"""The unit of CDNA3: blocks cut at fraction bits, whose sum is added to C late; both are rounded down."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, Integers
from mmaspec.backends.numpy.units.fused import FusedBlockUnit, largest
from mmaspec.backends.numpy.units.grid import exponent, on_grid, power_of_two, to_format
from mmaspec.programs.formats import Format

_NO_SUM = -400


class LateAddendUnit(FusedBlockUnit):
    """Blocks of products cut at ``kept`` fraction bits; block sum and running sum rounded down, then to nearest.

    The two are aligned on the larger exponent; ``sum_kept`` fraction bits of the block sum and
    ``addend_kept`` of the running sum survive, rounded toward minus infinity: not symmetric in sign.
    """

    name = "late-addend"

    def __init__(self, block: int = 8, kept: int = 24, sum_kept: int = 31, addend_kept: int = 24) -> None:
        super().__init__(block, kept)
        self.sum_kept = sum_kept
        self.addend_kept = addend_kept

    def one_block(
        self, a: Doubles, left: Integers, b: Doubles, right: Integers, part: range, total: Doubles, accumulator: Format
    ) -> Doubles:
        """The running sum after one more block."""
        none = np.full(total.shape, _NO_SUM, np.int64)
        grid = largest(left, right, part, none) - self.kept
        block = self.added(a, b, part, np.zeros_like(total), power_of_two(-grid)) * power_of_two(grid)
        # An infinite running sum has left the range for good: its exponent must only stay a grid.
        top = np.clip(np.maximum(exponent(block), exponent(total)), _NO_SUM, 1000)
        block = on_grid(block, top - self.sum_kept, "down")
        return to_format(block + on_grid(total, top - self.addend_kept, "down"), accumulator, "nearest")
