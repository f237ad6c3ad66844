"""Legal variants: backends that differ from others only where the specifications allow it.

None of them may ever fail under the default profile: each one is a test of the suite's soundness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.fused import FusedBlockUnit, OnesComplementUnit
from mmaspec.backends.numpy.orders import (
    FlushingUnit,
    NarrowSumUnit,
    NoNanUnit,
    PairwiseUnit,
    ReversedUnit,
    SaturatingUnit,
)
from mmaspec.backends.numpy.sequential import SequentialUnit
from mmaspec.backends.numpy.unit import ArithmeticUnit
from mmaspec.backends.protocol import Backend

EVERY_SPEC = ("amd-rdna3-wmma", "hlsl-wave-matrix", "nv-coopmat2")


@dataclass(frozen=True, slots=True)
class LegalVariant:
    """A way to differ, and on whose word it is allowed in the specifications ``specs``."""

    name: str
    unit: Callable[[], ArithmeticUnit]
    why: str
    specs: tuple[str, ...] = EVERY_SPEC

    def make(self) -> Backend:
        """The variant as a backend, for its own specifications only."""
        from mmaspec.backends.numpy.machines import MACHINES

        machines = {spec: MACHINES[spec] for spec in self.specs}
        return NumpyBackend(self.unit(), machines, name=f"legal:{self.name}")


_ORDER = "No document gives the order or the precision in which products are added."

LEGAL: Mapping[str, LegalVariant] = MappingProxyType(
    {
        variant.name: variant
        for variant in (
            LegalVariant("sequential", SequentialUnit, f"{_ORDER} The plain float32 loop, C first."),
            LegalVariant("reversed", ReversedUnit, f"{_ORDER} The loop backwards, C last."),
            LegalVariant("pairwise", PairwiseUnit, f"{_ORDER} A balanced tree, as older matrix cores add, C last."),
            LegalVariant("narrow-sum", NarrowSumUnit, f"{_ORDER} An f16 accumulator that rounds at every step."),
            LegalVariant("fused-block", FusedBlockUnit, f"{_ORDER} Aligned and cut blocks of 16, as tensor cores add."),
            LegalVariant(
                "flushing",
                FlushingUnit,
                "Direct3D, Vulkan and RDNA's mode register allow subnormals to be flushed in and out of products.",
            ),
            LegalVariant("no-nan", NoNanUnit, "In GLSL and Vulkan a NaN need not be produced.", specs=("nv-coopmat2",)),
            LegalVariant(
                "ones-complement",
                OnesComplementUnit,
                "Small-integer sums are only reported for RDNA3, since a device adds negated terms one unit off.",
                specs=("amd-rdna3-wmma",),
            ),
            LegalVariant(
                "saturating",
                SaturatingUnit,
                "The WaveMatrix document says nothing of int32 overflow; saturation is one of its readings.",
                specs=("hlsl-wave-matrix",),
            ),
        )
    }
)
"""Every legal variant by name."""
