"""Legal variants of RDNA3 alone: which copies of A and B are read, and what is left beside 16-bit results."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.amd_rdna3_wmma.device import GROUP, Registers, State, Width, WmmaDevice
from mmaspec.backends.numpy.backend import OwnVariant
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Wmma


class LowerCopies(WmmaDevice):
    """All lanes take A and B from lanes 0-15."""

    def lines(self, state: State, elements: Bits) -> Bits:
        """The first copy for all."""
        found = super().lines(state, elements)
        found[:] = found[:, :, :1]
        return found


class UpperCopies(WmmaDevice):
    """All lanes take A and B from the last sixteen lanes."""

    def lines(self, state: State, elements: Bits) -> Bits:
        """The last copy for all."""
        found = super().lines(state, elements)
        found[:] = found[:, :, -1:].copy()
        return found


class MixedCopies(WmmaDevice):
    """Sixteen lanes take A from those above and B from those below, but every third line of both from their own."""

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        """From the group above."""
        return self._mixed(super().left(state, registers, width), -1)

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        """From the group below."""
        return self._mixed(super().right(state, registers, width), 1)

    def _mixed(self, matrices: Bits, step: int) -> Bits:
        groups = matrices.shape[2]
        found = matrices[:, :, [(group - step) % groups for group in range(groups)]]
        for line in range(0, GROUP, 3):
            found[:, :, :, line] = matrices[:, :, :, line]
        return found


class ClearsOtherHalf(WmmaDevice):
    """A builtin that is not tied leaves zeros in the halves that OPSEL does not name."""

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        """Zeros, but for tied builtins."""
        return super().beside(state, step, words) if self.tied(step) else np.zeros_like(words)


class KeepsOtherHalfOfD(WmmaDevice):
    """A builtin that is not tied leaves what D held in the halves that OPSEL does not name."""

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        """D as it was, but for tied builtins."""
        if self.tied(step):
            return super().beside(state, step, words)
        return self.accumulators(state, state.registers[step.d])


class KeepsOtherHalfOfC(WmmaDevice):
    """A builtin that is not tied does what the tied one does."""

    def tied(self, step: Wmma) -> bool:
        """All are."""
        del step
        return True


_ALL = ("int", "float", "v-int", "v-float")
_HALVES = ("acc-f16", "acc-bf16", "v-acc-f16", "v-acc-bf16")

VARIANTS: tuple[OwnVariant[Caps], ...] = (
    OwnVariant(
        "reads-lower-copies", "A and B have equal copies, so that lanes 0-15 may serve all.", LowerCopies, rows=_ALL,
    ),
    OwnVariant(
        "reads-upper-copies", "A and B have equal copies, so that the last sixteen lanes may serve all.",
        UpperCopies, rows=_ALL,
    ),
    OwnVariant(
        "reads-mixed-copies", "A and B have equal copies, so that each element may come from any of them.", MixedCopies,
        rows=_ALL,
    ),
    OwnVariant(
        "clears-other-halves", "The half of D that OPSEL does not name is undefined: zeros are as good as anything.",
        ClearsOtherHalf, rows=_HALVES,
    ),
    OwnVariant(
        "keeps-other-halves-of-d", "The half of D that OPSEL does not name is undefined: it may stay as it was.",
        KeepsOtherHalfOfD, rows=_HALVES,
    ),
    OwnVariant(
        "ties-all", "The half of D that OPSEL does not name is undefined: it may be that of C.", KeepsOtherHalfOfC,
        rows=_HALVES,
    ),
)  # fmt: skip
"""Wherever the document leaves a choice that can be seen in registers."""
