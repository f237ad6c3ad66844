"""Counterfactuals about 16-bit C and D: which half of a register, which slot, and what stands beside a result."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults.amd_rdna3_wmma import halves
from mmaspec.backends.faults.amd_rdna3_wmma.halves import OtherHalf, SlotsMoved
from mmaspec.backends.faults.amd_rdna3_wmma.planted import HALVES, Planted
from mmaspec.backends.faults.planting import Deviating


def _both(slots: halves.Slots) -> Deviating:
    return partial(SlotsMoved, reads=slots, writes=slots)


def _reads(slots: halves.Slots) -> Deviating:
    return partial(SlotsMoved, reads=slots)


def _writes(slots: halves.Slots) -> Deviating:
    return partial(SlotsMoved, writes=slots)


def _other(other: halves.Beside) -> Deviating:
    return partial(OtherHalf, other=other)


_TIED = ("tied",)
_KEPT = ("tied", "v-acc-f16", "v-acc-bf16")
"""Rows in which the other half of D stays as it was in C: of instructions, where D is C."""

SLOTS: tuple[Planted, ...] = (
    ("c-and-d-packed", "RDNA3-CD-UNPACKED", "C and D had two elements a VGPR", _both(halves.packed), HALVES),
    ("c-packed", "RDNA3-CD-UNPACKED", "C had two elements a VGPR, as A and B have", _reads(halves.packed), HALVES),
    ("d-packed", "RDNA3-CD-UNPACKED", "D had two elements a VGPR, as A and B have", _writes(halves.packed), HALVES),
    ("halves-alternate", "RDNA3-CD-UNPACKED", "odd VGPRs held elements of C and D in the other half",
     _both(halves.alternating), HALVES),
    ("false-means-high", "RDNA3-OPSEL-LOW", "C and D were in the high halves whatever OPSEL is",
     _both(halves.always_high), HALVES),
    ("false-reads-high", "RDNA3-OPSEL-LOW", "C were in the high halves whatever OPSEL is",
     _reads(halves.always_high), HALVES),
    ("false-writes-high", "RDNA3-OPSEL-LOW", "D went to the high halves whatever OPSEL is",
     _writes(halves.always_high), HALVES),
    ("opsel-inverted", "RDNA3-OPSEL-LOW", "OPSEL false meant the high halves, and true the low ones",
     _both(halves.otherwise), HALVES),
    ("opsel-ignored", "RDNA3-OPSEL-HIGH", "C and D were in the low halves whatever OPSEL is",
     _both(halves.always_low), HALVES),
    ("opsel-for-c-only", "RDNA3-OPSEL-HIGH", "OPSEL were about C, and D always in the low halves",
     _writes(halves.always_low), HALVES),
    ("opsel-for-d-only", "RDNA3-OPSEL-HIGH", "OPSEL were about D, and C always in the low halves",
     _reads(halves.always_low), HALVES),
    ("c-from-other-half", "RDNA3-OPSEL-HIGH", "OPSEL named the half of D, and C were in the other one",
     _reads(halves.otherwise), HALVES),
    ("d-to-other-half", "RDNA3-OPSEL-HIGH", "OPSEL named the half of C, and D went to the other one",
     _writes(halves.otherwise), HALVES),
    ("high-slots-after-low-ones", "RDNA3-OPSEL-SLOT",
     "slot v held the element of VGPR v with OPSEL false, and the second half of the vector those with true",
     _both(halves.one_half_after_the_other), HALVES),
    ("slots-of-d-after-each-other", "RDNA3-OPSEL-SLOT", "the results filled one half of D's vector",
     _writes(halves.one_half_after_the_other), HALVES),
    ("high-slots-from-next-register", "RDNA3-OPSEL-SLOT", "slot 2v + 3 held the element of VGPR v with OPSEL true",
     _both(halves.from_next), HALVES),
    ("high-slots-before-low-ones", "RDNA3-OPSEL-SLOT", "slot 2v - 1 held the element of VGPR v with OPSEL true",
     _both(halves.before), HALVES),
)  # fmt: skip
"""Elements in other halves and slots."""

BESIDE: tuple[Planted, ...] = (
    ("tied-clears-other-half", "RDNA3-OPSEL-OTHER", "tied builtins cleared the other half of D",
     _other(halves.zeros), _KEPT),
    ("tied-is-untied", "RDNA3-OPSEL-OTHER", "tied builtins left anything in the other half of D",
     _other(halves.stale), _KEPT),
    ("tied-keeps-old-d", "RDNA3-OPSEL-OTHER", "the other half of D stayed as it was in D, not in C",
     _other(halves.old_destination), _TIED),
    ("tied-repeats-named-half", "RDNA3-OPSEL-OTHER", "the half of C that is added went to the other half of D",
     _other(halves.named_half), _KEPT),
    ("tied-repeats-result", "RDNA3-OPSEL-OTHER", "tied builtins wrote the result to both halves",
     halves.ResultInBothHalves, _KEPT),
    ("tied-in-place-clears", "RDNA3-OPSEL-OTHER", "the other half were lost where D is C",
     _other(halves.zeros_if_in_place), _KEPT),
    ("tied-literal-keeps-old-d", "RDNA3-OPSEL-OTHER", "a literal of zeros left the other half of D as it was",
     _other(halves.destination_for_literal), _TIED),
    ("tied-clears-high-halves", "RDNA3-OPSEL-OTHER", "results in low halves were extended to 32 bits with zeros",
     _other(halves.cleared_above), _KEPT),
    ("tied-fills-high-halves", "RDNA3-OPSEL-OTHER", "high halves kept one bit of C only",
     _other(halves.sign_above), _KEPT),
    ("literal-clears-low-halves", "RDNA3-ZERO-C", "a literal of zeros cleared the low halves of C only",
     halves.LiteralClearsLowHalves, HALVES),
    ("fill-sets-low-halves", "RDNA3-ZERO-C", "setting 16-bit C to zero reached its low halves only",
     halves.FillsLowHalves, HALVES),
    ("constants-fill-low-halves-of-c", "RDNA3-MEM-FREE", "a constant for 16-bit C were extended to 32 bits",
     halves.DeclarationsFillLowHalves, HALVES),
)  # fmt: skip
"""What stands beside results, and constants in both halves."""
