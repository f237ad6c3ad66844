"""Legal variants: backends that differ from others only where the specifications allow it.

None of them may ever fail under the default profile, under the one that its unit declares instead, or on the authority
of documents alone where it says so: each one is a test of the suite's soundness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from mmaspec.backends.numpy.backend import Liberty, NumpyBackend, OwnVariant
from mmaspec.backends.numpy.devices import devices_at_hand
from mmaspec.backends.numpy.units.blas import BlasUnit
from mmaspec.backends.numpy.units.cdna3 import LateAddendUnit
from mmaspec.backends.numpy.units.chains import ChainUnit
from mmaspec.backends.numpy.units.fused import FusedBlockUnit, OnesComplementUnit, ShortAlignmentUnit, ShortFp8Unit
from mmaspec.backends.numpy.units.leniences import (
    NoNanUnit,
    SaturatingUnit,
    ShortOperandsUnit,
    SingleCutUnit,
    SingleRoundingUnit,
)
from mmaspec.backends.numpy.units.matrix_cores import ExactBlockUnit, FlushingUnit, PairwiseBlockUnit
from mmaspec.backends.numpy.units.orders import BlockedUnit, InterleavedUnit, NarrowSumUnit, PairwiseUnit, ReversedUnit
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.short_sums import ShortSumUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit


@dataclass(frozen=True, slots=True)
class LegalVariant:
    """A legal variant: how it differs, who allows it, and what a specification has to leave open for it.

    On nobody's word but its own where the unit declares a profile: it is held to that, as a device would be.
    """

    name: str
    unit: Callable[[], ArithmeticUnit]
    why: str
    source: str = ""
    """Where the arithmetic was published, for those that imitate a device."""
    liberties: frozenset[Liberty] = frozenset({"order"})
    rows: tuple[str, ...] = ("float",)
    """Tags of the caps rows where it differs from the others at all."""
    authority: Literal["profile", "document"] = "profile"
    """On whose authority it is legal: with "document" it breaks practice, and no document."""
    own_spec: str = ""
    """The only specification of which it is a variant; empty: every one that leaves open what it needs."""
    own: OwnVariant[Any] | None = None
    """What the device of that specification says of it."""

    @property
    def specs(self) -> tuple[str, ...]:
        """The specifications that leave open what it needs, sorted."""
        allowed = (spec for spec, device in devices_at_hand().items() if self.liberties <= device.liberties)
        return tuple(spec for spec in allowed if self.own_spec in (spec, ""))

    @property
    def caps(self) -> Mapping[str, Any]:
        """Specification -> what it reports, where that is what differs."""
        return {} if self.own is None or self.own.caps is None else {self.own_spec: self.own.caps}

    def make(self) -> NumpyBackend:
        """The variant as a backend, for its own specifications only."""
        devices = {spec: device.make for spec, device in devices_at_hand().items() if spec in self.specs}
        if self.own is not None and self.own.make is not None:
            devices[self.own_spec] = self.own.make
        backend = NumpyBackend(self.unit(), devices, name=f"legal:{self.name}")
        for spec, caps in self.caps.items():
            backend.report(spec, caps)
        return backend


_ORDER = "No document gives the order or the precision in which products are added."
_ANALYSED = "MMA-Sim (arXiv 2511.10909) and Khattak and Mikaitis (arXiv 2512.07004)"

_ORDERS = (
    LegalVariant("sequential", SequentialUnit, f"{_ORDER} The plain float32 loop, C first."),
    LegalVariant("reversed", ReversedUnit, f"{_ORDER} The loop backwards, C last."),
    LegalVariant("pairwise", PairwiseUnit, f"{_ORDER} A balanced tree, C last."),
    LegalVariant("blocked", BlockedUnit, f"{_ORDER} Four products at a time, their sums added to C in order."),
    LegalVariant("interleaved", InterleavedUnit, f"{_ORDER} Four running sums side by side, joined at the end."),
    LegalVariant("blas", BlasUnit, f"{_ORDER} The float32 matrix product of the library that numpy is built with."),
    LegalVariant("fma-chain", ChainUnit, f"{_ORDER} A chain of fused multiply-adds."),
    LegalVariant("fma-chain-cut", partial(ChainUnit, "zero"), f"{_ORDER} The chain with every step cut toward zero."),
    LegalVariant(
        "toward-zero", partial(ChainUnit, "zero", fused=False), f"{_ORDER} Every product and every sum cut toward zero."
    ),
    LegalVariant(
        "downward", partial(ChainUnit, "down", fused=False), f"{_ORDER} Every product and every sum rounded down."
    ),
    LegalVariant("single-rounding", SingleRoundingUnit, f"{_ORDER} The exact sum, rounded once to nearest."),
    LegalVariant("single-cut", SingleCutUnit, f"{_ORDER} The exact sum, cut once toward zero."),
    LegalVariant("narrow-sum", NarrowSumUnit, f"{_ORDER} An f16 accumulator that rounds at every step."),
)

_SHORT = (
    LegalVariant(
        "bf16-sums",
        partial(ShortSumUnit, 8),
        "A running sum of bfloat16: practice is broken, and no document.",
        authority="document",
    ),
    LegalVariant(
        "11-bit-sums",
        partial(ShortSumUnit, 11),
        "A running sum of f16's precision in the exponents of f32: practice is broken, and no document.",
        authority="document",
    ),
)

_FAMILIES = (
    LegalVariant(
        "nvidia-volta",
        partial(FusedBlockUnit, 4, 23, f16_floor=-19),
        f"{_ORDER} Blocks of 4 and the running sum aligned, cut at 23 fraction bits, as Volta's tensor cores add.",
        f"{_ANALYSED}; Fasi, Higham, Mikaitis and Pranesh 2021",
    ),
    LegalVariant(
        "nvidia-ampere",
        partial(FusedBlockUnit, 8, 24, floor=-132, f16_floor=-20),
        f"{_ORDER} Blocks of 8 cut at 24 fraction bits, as on Turing, Ampere and Ada.",
        _ANALYSED,
    ),
    LegalVariant(
        "nvidia-ada",
        partial(ShortFp8Unit, 8, 24, floor=-132, f16_floor=-20, fp8_block=16),
        f"{_ORDER} As nvidia-ampere; blocks of 16 of 8-bit floats and their sums cut at 13 fraction bits, as on Ada.",
        "arXiv 2512.07004; it gives an L40S's published outputs",
    ),
    LegalVariant(
        "nvidia-hopper",
        partial(FusedBlockUnit, 16, 25, floor=-133, f16_floor=-21),
        f"{_ORDER} Blocks of 16 cut at 25 fraction bits, as on Hopper; it gives an H100's recorded outputs.",
        f"{_ANALYSED}; measured on an H100",
    ),
    LegalVariant(
        "amd-cdna1-pairwise",
        PairwiseBlockUnit,
        f"{_ORDER} Trees of 4 (bf16: 2) in float32, as one analysis has CDNA1.",
        "MMA-Sim (arXiv 2511.10909)",
    ),
    LegalVariant(
        "amd-cdna1-exact",
        ExactBlockUnit,
        f"{_ORDER} Exact blocks of 4 (bf16: 2), rounded once each, as the other analysis has CDNA1.",
        "Khattak and Mikaitis (arXiv 2512.07004)",
    ),
    LegalVariant(
        "amd-cdna2",
        partial(PairwiseBlockUnit, flush=True),
        "Direct3D, Vulkan and RDNA's mode register allow subnormals to be flushed: CDNA2 does, before and after sums.",
        _ANALYSED,
        frozenset({"order", "subnormals"}),
    ),
    LegalVariant(
        "amd-cdna3",
        LateAddendUnit,
        f"{_ORDER} Blocks of 8 cut at 24 fraction bits; block sum and C rounded down, then to nearest: CDNA3.",
        _ANALYSED,
    ),
)

_DECLARED = (
    LegalVariant(
        "short-alignment",
        ShortAlignmentUnit,
        "Blocks of 4 cut at 9 fraction bits, as its own profile declares: legal under that, not under practice.",
    ),
    LegalVariant(
        "tf32-operands",
        ShortOperandsUnit,
        "f32 operands rounded to TF32, as its own profile declares: legal under that, not under practice.",
        rows=("f32",),
    ),
)

_LIBERTIES = (
    LegalVariant(
        "flushing",
        FlushingUnit,
        "Direct3D, Vulkan and RDNA's mode register allow subnormals to be flushed in and out of products.",
        liberties=frozenset({"subnormals"}),
    ),
    LegalVariant("no-nan", NoNanUnit, "In GLSL and Vulkan a NaN need not be produced.", liberties=frozenset({"nan"})),
    LegalVariant(
        "ones-complement",
        OnesComplementUnit,
        "Small-integer sums are only reported for RDNA3, since a device adds negated terms one unit off.",
        "ROCm/rocm-systems#12056",
        liberties=frozenset({"small-integers"}),
    ),
    LegalVariant(
        "saturating",
        SaturatingUnit,
        "The WaveMatrix document says nothing of int32 overflow; saturation is one of its readings.",
        liberties=frozenset({"int-overflow"}),
        rows=("int",),
    ),
)


def _own(spec: str, own: OwnVariant[Any]) -> LegalVariant:
    """The variant that the device of a specification brings along."""
    return LegalVariant(
        own.name, SequentialUnit, own.why, "", own.liberties, own.rows, own.authority, own_spec=spec, own=own
    )


_OWN = tuple(_own(spec, own) for spec, device in devices_at_hand().items() for own in device.variants)

LEGAL: Mapping[str, LegalVariant] = MappingProxyType(
    {variant.name: variant for variant in (*_OWN, *_ORDERS, *_SHORT, *_FAMILIES, *_DECLARED, *_LIBERTIES)}
)
"""Every legal variant by name."""
