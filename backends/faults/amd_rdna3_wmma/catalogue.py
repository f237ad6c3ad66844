"""Counterfactuals of the RDNA3 matrix builtins and instructions, one clause each."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.amd_rdna3_wmma.devices import (
    AlwaysSigned,
    BaseIgnored,
    BytesOfBBigEndian,
    CDropped,
    ClampsUnsigned,
    ClampsUpperEndOnly,
    ColumnsOfA,
    ConstantsFillLowHalves,
    DotOfSixteenBits,
    FillSkipsOddRegisters,
    FirstTileEveryPass,
    FurtherElements,
    HalvesOfASwapped,
    InPlaceReadsNewValue,
    LiteralReadsDestination,
    OperandsExchanged,
    PassesStartAfresh,
    ResultsReplicated,
    RowsInSequence,
    SaturatesUnasked,
    SignFlagsExchanged,
    SixteenBitSums,
    StoreSpills,
    SumsInHalf,
    WavesShareBlock,
)
from mmaspec.backends.faults.amd_rdna3_wmma.half_faults import BESIDE, SLOTS
from mmaspec.backends.faults.amd_rdna3_wmma.modifier_faults import MODIFIERS
from mmaspec.backends.faults.amd_rdna3_wmma.operand_faults import COPIES, NUMBERS, PACKING
from mmaspec.backends.faults.amd_rdna3_wmma.planted import SPEC, planted
from mmaspec.backends.faults.amd_rdna3_wmma.value_faults import VALUES
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.planting import Deviating
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice

_lenient = partial(planting.lenient, SPEC, WmmaDevice)


def _fault(name: str, clause: str, behaves_as_if: str, device: Deviating, rows: tuple[str, ...] = ()) -> Fault:
    """A row of the oldest table; its names have the prefix already."""
    return planted(name.removeprefix("rdna3-"), clause, behaves_as_if, device, rows)


FAULTS: tuple[Fault, ...] = (
    _lenient("rdna3-takes-k-32", "RDNA3-SHAPE", "any size in a builtin's name were right"),
    _lenient("rdna3-takes-any-formats", "RDNA3-OPS", "any formats in a builtin's name were right"),
    _lenient(
        "rdna3-takes-other-wave-size", "RDNA3-WAVE-SIZE", "a kernel could call the builtins of the other wave size"
    ),
    _lenient("rdna3-takes-other-vectors", "RDNA3-SIG", "the vectors passed to a builtin could have any length"),
    _lenient("rdna3-takes-opsel", "RDNA3-OPSEL-ONLY16", "every builtin had an OPSEL argument", ("acc-f32", "acc-s32")),
    _lenient(
        "rdna3-takes-variable-opsel",
        "RDNA3-OPSEL-IMMEDIATE",
        "OPSEL could be loaded at run time",
        ("acc-f16", "acc-bf16"),
    ),
    _lenient("rdna3-takes-variable-flags", "RDNA3-IU-IMMEDIATE", "sign flags and clamp could be loaded at run time"),
    _lenient(
        "rdna3-takes-any-bits-of-opsel",
        "RDNA3-OPSEL-BITS",
        "every instruction had all bits of OPSEL",
        ("v-acc-f32", "v-acc-s32"),
    ),
    _lenient("rdna3-takes-clamp-of-floats", "RDNA3-FP-CLAMP", "float instructions had a clamp", ("v-float",)),
    _fault("rdna3-operands-exchanged", "RDNA3-AB-ROWCOL", "A's registers held B, and B's held A", OperandsExchanged),
    _fault("rdna3-c-dropped", "RDNA3-MMA", "D were A*B", CDropped),
    _fault("rdna3-columns-of-a", "RDNA3-AB-ROWCOL", "a lane held a column of A and a row of B", ColumnsOfA),
    _fault(
        "rdna3-halves-of-a-swapped",
        "RDNA3-AB-PACK16",
        "the odd k of A were in the low halves",
        HalvesOfASwapped,
        ("f16", "bf16"),
    ),
    _fault(
        "rdna3-bytes-of-b-big-endian",
        "RDNA3-AB-PACK8",
        "k of B ascended from the high byte",
        BytesOfBBigEndian,
        ("iu8",),
    ),
    _fault(
        "rdna3-upper-lanes-hold-upper-k",
        "RDNA3-W32-REPLICATE",
        "lanes 16-31 held k = 8 to 15 of A and B",
        FurtherElements,
        ("w32",),
    ),
    _fault(
        "rdna3-quarter-lanes-hold-quarter-k",
        "RDNA3-W64-REPLICATE",
        "every sixteen lanes held four further k of A and B",
        FurtherElements,
        ("w64",),
    ),
    _fault(
        "rdna3-half-wave-holds-eight-rows",
        "RDNA3-CD-W32",
        "lanes 0-15 held rows 0 to 7 of C and D",
        RowsInSequence,
        ("w32",),
    ),
    _fault(
        "rdna3-quarter-wave-holds-four-rows",
        "RDNA3-CD-W64",
        "lanes 0-15 held rows 0 to 3 of C and D",
        RowsInSequence,
        ("w64",),
    ),
    _fault(
        "rdna3-results-replicated", "RDNA3-CD-NOREP", "lanes above 15 held copies of the results", ResultsReplicated
    ),
    _fault("rdna3-sign-flags-exchanged", "RDNA3-IU-SIGN", "A's sign flag were B's", SignFlagsExchanged, ("int",)),
    _fault(
        "rdna3-bytes-always-signed",
        "RDNA3-IU-SIGN",
        "both operands were signed whatever the flags",
        AlwaysSigned,
        ("int",),
    ),
    _fault("rdna3-sums-of-16-bits", "RDNA3-IU-ACC", "C and D had 16 bits", SixteenBitSums, ("int",)),
    _fault("rdna3-dot-of-16-bits", "RDNA3-IU-DOT-RANGE", "the sum of products had 16 bits", DotOfSixteenBits, ("iu8",)),
    _fault("rdna3-saturates-unasked", "RDNA3-IU-NOCLAMP", "clamp were always set", SaturatesUnasked, ("int",)),
    _fault(
        "rdna3-clamps-upper-end-only",
        "RDNA3-IU-CLAMP",
        "clamp worked at the upper end only",
        ClampsUpperEndOnly,
        ("int",),
    ),
    _fault(
        "rdna3-clamps-unsigned", "RDNA3-IU-CLAMP", "clamp kept the range of unsigned integers", ClampsUnsigned, ("int",)
    ),
    _fault("rdna3-sums-in-f16", "RDNA3-FP-ACC", "sums were rounded to f16", SumsInHalf, ("acc-f32",)),
    _fault(
        "rdna3-in-place-reads-new-value", "RDNA3-INPLACE", "D = C were written before C is read", InPlaceReadsNewValue
    ),
    _fault(
        "rdna3-literal-zero-reads-destination",
        "RDNA3-ZERO-C",
        "a literal zero meant the destination",
        LiteralReadsDestination,
    ),
    _fault("rdna3-fill-skips-odd-registers", "RDNA3-ZERO-C", "zeroing reached every other VGPR", FillSkipsOddRegisters),
    _fault("rdna3-passes-start-afresh", "RDNA3-TILE", "every pass of a loop began with the first C", PassesStartAfresh),
    _fault(
        "rdna3-first-tile-every-pass", "RDNA3-TILE", "every pass of a loop loaded the first tile", FirstTileEveryPass
    ),
    _fault(
        "rdna3-constants-fill-low-halves",
        "RDNA3-AB-PACK16",
        "a constant half filled low halves only",
        ConstantsFillLowHalves,
        ("f16", "bf16"),
    ),
    _fault(
        "rdna3-block-base-ignored", "RDNA3-MEM-FREE", "loads counted blocks from the start of the buffer", BaseIgnored
    ),
    _fault("rdna3-waves-share-block", "RDNA3-MEM-FREE", "every wave loaded the first wave's blocks", WavesShareBlock),
    _fault("rdna3-store-spills", "RDNA3-STORE-ONLY", "a store wrote one more VGPR", StoreSpills),
    *(planted(*one) for one in (*PACKING, *COPIES, *NUMBERS, *SLOTS, *BESIDE, *VALUES, *MODIFIERS)),
)
"""At least one for each testable clause."""
