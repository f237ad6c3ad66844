"""Counterfactuals of the sub-group matrix functions, one clause each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.defects import wrong_sums as values
from mmaspec.backends.faults.defects.defective_unit import Deviation
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.intel_subgroup_mma import devices, places
from mmaspec.backends.faults.intel_subgroup_mma.devices import (
    AChanged,
    AddendChanged,
    BChanged,
    Change,
    ComponentsOfBChanged,
    FormatsChanged,
    SumsChanged,
    WithRows,
)
from mmaspec.backends.faults.planting import Deviating
from mmaspec.backends.faults.register_kernels import OnlyWhere
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs.intel_subgroup_mma.program import Mad, MadProgram

SPEC = "intel-subgroup-mma"

Planted = tuple[str, str, str, Deviating, tuple[str, ...]]
"""Name, clause, as if, device, rows: tags of which any one is enough."""

LIMITED = {
    "ISGMMA-K32-PACK-A": "bits-8",
    "ISGMMA-K64-PACK-A": "bits-4",
    "ISGMMA-K16-PACK-A": "bits-16",
    "ISGMMA-BIT-TYPES": "float",
    "ISGMMA-FP-ORDER": "float",
    "ISGMMA-FP-NAN": "float",
    "ISGMMA-SIGN": "int",
    "ISGMMA-INT-ACC": "int",
    "ISGMMA-INT-EXACT": "int",
    "ISGMMA-INT-WRAP": "int",
}
"""Clauses that are of some rows only, by their tag: what breaks them leaves the others alone."""

ANY: tuple[str, ...] = ()
N16 = ("n16",)
WIDE, NARROW = ("acc-f32",), ("acc-bf16", "acc-f16")


def _a(change: Change) -> Deviating:
    return partial(AChanged, change=change)


def _b(change: Change) -> Deviating:
    return partial(BChanged, change=change)


def _acc(change: Change) -> Deviating:
    return partial(AddendChanged, change=change)


def _d(change: Change) -> Deviating:
    return partial(SumsChanged, change=change)


def _rows(device: Callable[[ArithmeticUnit], MadDevice], fewest: int) -> Deviating:
    return partial(WithRows, device=device, fewest=fewest)


def _float(deviation: Deviation) -> Deviating:
    return partial(devices.over, deviation=deviation, floats=True)


def _int(deviation: Deviation) -> Deviating:
    return partial(devices.over, deviation=deviation, floats=False)


def _both(deviation: Deviation) -> Deviating:
    return partial(devices.over, deviation=deviation, floats=None)


_LENIENT = (
    ("takes-any-function", "ISGMMA-FUNCS", "any name and any vectors were those of a function"),
    ("takes-any-k", "ISGMMA-K-BY-TYPE", "any K in a function's name were right"),
    ("takes-unlike-widths", "ISGMMA-INT-COMBOS", "integers of 8 bits could meet integers of 4"),
    ("takes-any-rows", "ISGMMA-M", "A, accumulator and result could have any numbers of rows"),
    ("takes-any-float-sums", "ISGMMA-FP-ACC", "sums of floats could be of any type"),
    ("takes-any-a-in-eight", "ISGMMA-ARG-A8", "A could be of any type in sub-groups of 8"),
    ("takes-any-a-in-sixteen", "ISGMMA-ARG-A16", "A could be of any type in sub-groups of 16"),
    ("takes-any-b", "ISGMMA-ARG-B", "B could be of any type"),
)
"""Name, clause, as if."""

_PAIRS, _REVERSED = places.in_pairs(1), places.reversed_order

_LAYOUTS: tuple[Planted, ...] = (
    ("columns-of-a-interleaved", "ISGMMA-A-COLS", "a work-item had every eighth column of A, or every sixteenth",
     _a(places.interleaved), ("n8", "int")),
    ("work-items-of-a-reversed", "ISGMMA-A-COLS", "the first work-item had the last columns of A",
     _a(places.of_turns(_REVERSED)), ANY),
    ("work-items-of-a-in-pairs", "ISGMMA-A-COLS", "neighbouring work-items had each other's columns of A",
     _a(places.of_turns(_PAIRS)), ("int", "n8")),
    ("one-work-item-broadcasts", "ISGMMA-A-COLS", "the first work-item broadcast all of A",
     _a(places.of_turns(places.first_only)), ANY),
    ("upper-work-items-have-high-halves", "ISGMMA-A-COLS", "work-items 8 to 15 had the high halves of words of A",
     _a(places.of_turns(places.gathered)), N16),
    ("first-sub-group-broadcasts", "ISGMMA-A-COLS", "the first sub-group broadcast A to all",
     devices.BroadcastsOfFirstSubGroup, ANY),
    ("rows-of-a-reversed", "ISGMMA-A-COLS", "the last component of A were its first row",
     _a(places.of_rows(_REVERSED)), ANY),
    ("bytes-of-a-big-endian", "ISGMMA-K32-PACK-A", "columns of A ascended from the high byte",
     _a(places.of_elements(_REVERSED)), ANY),
    ("bytes-of-a-first-again", "ISGMMA-K32-PACK-A", "the lowest byte of A were all bytes of its word",
     _a(places.of_elements(places.first_only)), ANY),
    ("bytes-of-a-in-eight-words", "ISGMMA-K32-PACK-A", "eight of sixteen work-items had four columns of A each",
     _a(places.words_of_eight), N16),
    ("nibbles-of-a-big-endian", "ISGMMA-K64-PACK-A", "columns of A ascended from the high nibble of a word",
     _a(places.of_elements(_REVERSED)), ANY),
    ("nibbles-of-a-exchanged", "ISGMMA-K64-PACK-A", "the first column of A in a byte were in its high nibble",
     _a(places.of_elements(_PAIRS)), ANY),
    ("bytes-of-nibbles-of-a-exchanged", "ISGMMA-K64-PACK-A", "nibbles of A were right and their bytes exchanged",
     _a(places.of_elements(places.in_pairs(2))), ANY),
    ("nibbles-of-a-dealt", "ISGMMA-K64-PACK-A", "the low nibbles of A in a word came first, then its high ones",
     _a(places.of_elements(places.dealt)), ANY),
    ("nibbles-of-a-in-eight-words", "ISGMMA-K64-PACK-A", "eight of sixteen work-items had eight columns of A each",
     _a(places.words_of_eight), N16),
    ("halves-of-a-exchanged", "ISGMMA-K16-PACK-A", "the first of two columns of A were in the high half of 32 bits",
     _a(places.of_k(_PAIRS)), ANY),
    ("halves-of-a-low-again", "ISGMMA-K16-PACK-A", "the low half of 32 bits of A were both columns",
     _a(places.of_k(lambda k: k & ~1)), ANY),
    ("halves-of-a-in-eight-words", "ISGMMA-K16-PACK-A", "eight of sixteen work-items had two columns of A each",
     _a(places.words_of_eight), N16),
    ("components-of-b-reversed", "ISGMMA-B-COL", "the last component of B had its first rows",
     partial(ComponentsOfBChanged, change=lambda words: words[..., ::-1]), ANY),
    ("components-of-b-first-half-again", "ISGMMA-B-COL", "B had four components, twice",
     partial(ComponentsOfBChanged, change=lambda words: words[..., [0, 1, 2, 3] * 2]), ANY),
    ("b-big-endian", "ISGMMA-B-COL", "rows of B ascended from the high bits of a component",
     devices.BReversedInComponents, ANY),
    ("rows-of-b", "ISGMMA-B-COL", "the work-items held B row after row", _b(places.by_rows), ANY),
    ("columns-of-b-in-pairs", "ISGMMA-B-COL", "neighbouring work-items had each other's columns of B",
     _b(places.of_rows(_PAIRS)), ANY),
    ("nibbles-of-b-exchanged", "ISGMMA-B-COL", "the first row of B in a byte were in its high nibble",
     _b(places.of_elements(_PAIRS)), ("bits-4",)),
    ("bytes-of-b-exchanged", "ISGMMA-B-COL", "the first of two rows of B were in the high byte of 16 bits",
     _b(places.of_elements(_PAIRS)), ("bits-8",)),
    ("half-words-of-b-exchanged", "ISGMMA-B-COL", "even work-items' A met the high halves of B's components",
     _b(places.of_turns(_PAIRS)), N16),
    ("high-halves-of-b-last", "ISGMMA-B-COL", "the low halves of all of B's components came first, as if A had 32 bits",
     _b(places.of_turns(places.dealt)), N16),
    ("upper-half-of-b-of-first-eight", "ISGMMA-B-COL", "work-items 8 to 15 had the columns of B of the first eight",
     _b(places.of_rows(places.first_half_again)), N16),
    ("rows-of-accumulator-reversed", "ISGMMA-ACC-COL", "the last component of the accumulator were its first row",
     _acc(places.of_rows(_REVERSED)), ANY),
    ("rows-of-results-reversed", "ISGMMA-ACC-COL", "the last component of the result were its first row",
     _d(places.of_rows(_REVERSED)), ANY),
    ("rows-of-accumulator-in-sequence", "ISGMMA-ACC-COL", "the work-items held the accumulator row after row",
     _acc(places.rows_in_sequence), ANY),
    ("columns-of-accumulator-in-pairs", "ISGMMA-ACC-COL", "neighbouring work-items had each other's accumulators",
     _acc(places.of_items(_PAIRS)), ANY),
    ("columns-of-results-reversed", "ISGMMA-ACC-COL", "the first work-item got the last column of the result",
     _d(places.of_items(_REVERSED)), ANY),
    ("upper-work-items-repeat-results", "ISGMMA-ACC-COL", "work-items 8 to 15 got the results of the first eight",
     _d(places.of_items(places.first_half_again)), N16),
)  # fmt: skip
"""Name, clause, as if, device, rows."""

_SIGNED_A, _UNSIGNED_A = {"u8": "s8", "u4": "s4"}, {"s8": "u8", "s4": "u4"}

_VALUES: tuple[Planted, ...] = (
    ("accumulator-dropped", "ISGMMA-OP", "the result were A*B", devices.CDropped, ANY),
    ("one-row-drops-accumulator", "ISGMMA-OP", "calls of one row left the accumulator out", devices.OneRowDropsC, ANY),
    ("accumulator-subtracted", "ISGMMA-OP", "the accumulator were subtracted", _both(values.subtracted), ANY),
    ("narrow-accumulator-dropped", "ISGMMA-OP", "accumulators of 16 bits were left out", devices.CDropped, NARROW),
    ("upper-work-items-missing", "ISGMMA-OP", "the second half of the work-items broadcast nothing",
     _a(places.second_half_missing), ANY),
    ("last-work-item-missing", "ISGMMA-OP", "the last work-item broadcast nothing",
     _a(places.without_turns(-1, 0)), ANY),
    ("in-place-reads-new-value", "ISGMMA-BY-VALUE", "the result were written before the accumulator is read",
     devices.InPlaceReadsNewValue, ANY),
    ("zeros-read-result", "ISGMMA-BY-VALUE", "zeros for the accumulator meant the variable that takes the result",
     devices.LiteralReadsDestination, ANY),
    ("passes-start-afresh", "ISGMMA-BY-VALUE", "every pass of a loop began with the first accumulator",
     devices.PassesStartAfresh, ANY),
    ("bf16-accumulator-read-as-f16", "ISGMMA-BIT-TYPES", "shorts of accumulators carried fp16",
     partial(FormatsChanged, acc={"bf16": "f16"}), ("acc-bf16",)),
    ("f16-accumulator-read-as-bf16", "ISGMMA-BIT-TYPES", "halves carried bfloat16",
     partial(FormatsChanged, acc={"f16": "bf16"}), ("acc-f16",)),
    ("bf16-read-as-f16", "ISGMMA-BIT-TYPES", "bfloat16 in A and B were fp16",
     partial(FormatsChanged, a={"bf16": "f16"}, b={"bf16": "f16"}), ("a-bf16",)),
    ("f16-read-as-bf16", "ISGMMA-BIT-TYPES", "fp16 in A and B were bfloat16",
     partial(FormatsChanged, a={"f16": "bf16"}, b={"f16": "bf16"}), ("a-f16",)),
    ("shorts-of-a-converted", "ISGMMA-BIT-TYPES", "the integers that carry A were its values",
     _float(values.integers_for_codes), ANY),
    ("a-always-signed", "ISGMMA-SIGN", "A were signed whatever the name", partial(FormatsChanged, a=_SIGNED_A),
     ("a-u8", "a-u4")),
    ("a-always-unsigned", "ISGMMA-SIGN", "A were unsigned whatever the name", partial(FormatsChanged, a=_UNSIGNED_A),
     ("a-i8", "a-i4")),
    ("b-always-signed", "ISGMMA-SIGN", "B were signed whatever the name", partial(FormatsChanged, b=_SIGNED_A),
     ("b-u8", "b-u4")),
    ("b-always-unsigned", "ISGMMA-SIGN", "B were unsigned whatever the name", partial(FormatsChanged, b=_UNSIGNED_A),
     ("b-i8", "b-i4")),
    ("eight-rows-read-a-unsigned", "ISGMMA-SIGN", "A were unsigned in calls of eight rows",
     _rows(partial(FormatsChanged, a=_UNSIGNED_A), 8), ("a-i8", "a-i4")),
    ("sums-of-16-bits", "ISGMMA-INT-ACC", "results had 16 bits", _int(values.sums_of(16)), ANY),
    ("sums-of-24-bits", "ISGMMA-INT-ACC", "results had 24 bits", _int(values.sums_of(24)), ANY),
    ("accumulators-of-24-bits", "ISGMMA-INT-ACC", "accumulators had 24 bits", _int(values.addends_of(24)), ANY),
    ("results-unsigned", "ISGMMA-INT-ACC", "results were unsigned, and negative ones zero",
     _int(values.negative_is_zero), ANY),
    ("products-of-bytes-clamped", "ISGMMA-INT-EXACT", "sums of products were clamped to 16 bits",
     _int(values.dots_of(16)), ("bits-8",)),
    ("products-of-nibbles-clamped", "ISGMMA-INT-EXACT", "sums of products of nibbles were clamped to 12 bits",
     _int(values.dots_of(12)), ("bits-4",)),
    ("pairs-of-bytes-saturate", "ISGMMA-INT-EXACT", "sums of two products were clamped to 16 bits",
     _int(values.pairs_saturate), ("a-u8",)),
    ("last-bit-of-products-lost", "ISGMMA-INT-EXACT", "sums of products were even", _int(values.last_bit_lost), ANY),
    ("saturates", "ISGMMA-INT-WRAP", "sums beyond the range stayed at its ends", _int(values.saturated), ANY),
    ("saturates-upper-end-only", "ISGMMA-INT-WRAP", "sums above the range stayed at its end",
     _int(values.upper_end_saturated), ANY),
    ("saturates-lower-end-only", "ISGMMA-INT-WRAP", "sums below the range stayed at its end",
     _int(values.lower_end_saturated), ("a-i8", "a-i4", "b-i8", "b-i4")),
    ("sums-in-f16", "ISGMMA-FP-ORDER", "sums were rounded to fp16", _float(values.sums_through("f16")), WIDE),
    ("accumulators-in-bf16", "ISGMMA-FP-ORDER", "accumulators were rounded to bfloat16",
     _float(values.addends_through("bf16")), WIDE),
    ("sums-of-four-bits", "ISGMMA-FP-ORDER", "results had four significant bits", _float(values.four_bits), ANY),
    ("nan-becomes-zero", "ISGMMA-FP-NAN", "NaN results became zero", _float(values.nan_is_zero), ANY),
    ("nan-becomes-infinite", "ISGMMA-FP-NAN", "NaN results became infinite", _float(values.nan_is_infinite), ANY),
    ("nan-in-b-is-zero", "ISGMMA-FP-NAN", "a NaN in B were zero", _float(values.nan_in_b_is_zero), ANY),
    ("rows-share-a", "ISGMMA-ROW-INDEP", "every row had the first row of A",
     _a(places.of_rows(places.first_only)), ANY),
    ("rows-share-accumulator", "ISGMMA-ROW-INDEP", "every row had the first row of the accumulator",
     _acc(places.of_rows(places.first_only)), ANY),
    ("rows-in-pairs", "ISGMMA-ROW-INDEP", "neighbouring rows had each other's accumulators",
     _acc(places.of_rows(_PAIRS)), ANY),
    ("upper-rows-repeat", "ISGMMA-ROW-INDEP", "rows 4 to 7 repeated the first four",
     _d(places.of_rows(places.from_fifth)), ANY),
)  # fmt: skip
"""Name, clause, as if, device, rows."""

_MEMORY: tuple[Planted, ...] = (
    ("block-base-ignored", "ISGMMA-MEM-FREE", "loads counted blocks from the start of the buffer",
     devices.BaseIgnored, ANY),
    ("sub-groups-share-block", "ISGMMA-MEM-FREE", "every sub-group loaded the first one's blocks",
     devices.WavesShareBlock, ANY),
    ("first-tile-every-pass", "ISGMMA-MEM-FREE", "every pass of a loop loaded the first tile",
     devices.FirstTileEveryPass, ANY),
    ("later-sub-groups-do-not-store", "ISGMMA-MEM-FREE", "the first sub-group alone stored",
     devices.LaterWavesDoNotStore, ANY),
    ("components-apart", "ISGMMA-MEM-FREE", "memory held the first components of all work-items, then the second ones",
     devices.ComponentsApart, ANY),
    ("constants-fill-lowest-element", "ISGMMA-MEM-FREE", "a constant filled the lowest bits of each component alone",
     devices.ConstantsFillLowestElement, ANY),
    ("store-spills", "ISGMMA-STORE-ONLY", "a store wrote four more bytes", devices.StoreSpills, ANY),
    ("store-writes-vector-before", "ISGMMA-STORE-ONLY", "a store wrote the vector before its first one",
     devices.StoresWriteVectorBefore, ANY),
    ("store-writes-sixteen-work-items", "ISGMMA-STORE-ONLY", "a store wrote the vectors of sixteen work-items",
     devices.StoresSixteenWorkItems, ("n8",)),
)  # fmt: skip
"""Name, clause, as if, device, rows."""


def _belongs(groups: tuple[frozenset[str], ...], program: MadProgram, call: Mad | None) -> bool:
    """Whether a call has a tag of each group."""
    found = devices.tags(program, call)
    return not any(group.isdisjoint(found) for group in groups)


_ALSO = {
    # A sum is the same whether the k of A or those of B are turned about: no result tells which of the two are.
    "work-items-of-a-reversed": frozenset({"ISGMMA-B-COL"}),
    "upper-work-items-have-high-halves": frozenset({"ISGMMA-B-COL"}),
    "components-of-b-reversed": frozenset({"ISGMMA-A-COLS"}),
    "high-halves-of-b-last": frozenset({"ISGMMA-A-COLS"}),
    "half-words-of-b-exchanged": frozenset({"ISGMMA-A-COLS", "ISGMMA-K32-PACK-A", "ISGMMA-K64-PACK-A"}),
    "nibbles-of-b-exchanged": frozenset({"ISGMMA-K64-PACK-A"}),
    "b-big-endian": frozenset({"ISGMMA-K16-PACK-A", "ISGMMA-K32-PACK-A", "ISGMMA-K64-PACK-A"}),
    # An error beyond any rounding is one of the product.
    "sums-of-four-bits": frozenset({"ISGMMA-OP"}),
}
"""Clauses that a counterfactual breaks as much as its own."""


def _fault(name: str, clause: str, behaves_as_if: str, device: Deviating, rows: tuple[str, ...]) -> Fault:
    """A device that deviates in the rows of its clause, and in those named, only."""
    limits = ((LIMITED[clause],) if clause in LIMITED else (), rows)
    groups = tuple(frozenset(limit) for limit in limits if limit)
    if groups:
        device = partial(OnlyWhere, device=device, plain=MadDevice, meant=partial(_belongs, groups))
    found = planting.fault(SPEC, f"isgmma-{name}", clause, behaves_as_if, device, rows)
    return replace(found, also=_ALSO.get(name, frozenset()))


FAULTS: tuple[Fault, ...] = (
    *(planting.lenient(SPEC, MadDevice, f"isgmma-{one}", clause, says) for one, clause, says in _LENIENT),
    *(_fault(*one) for one in (*_LAYOUTS, *_VALUES, *_MEMORY)),
)
"""At least one for each testable clause."""
