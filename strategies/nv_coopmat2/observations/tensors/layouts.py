"""The axes of tensor layouts: their type, setters, dimensions, strides and slices."""

from __future__ import annotations

from math import prod

from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32, Words, blocks_of, lineage, set_tensor_layout_dimension
from mmaspec.oracle.nv_coopmat2.validity.tensors import strides_too_small
from mmaspec.programs.nv_coopmat2.program import (
    MIRROR_REPEAT,
    UNDEFINED,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    Slice,
)
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor, of_text
from mmaspec.strategies.nv_coopmat2.observations.facts import every

LETTERS = {SetDimension: "dimension", SetBlockSize: "block", SetStride: "stride", Slice: "slice"}
SEQUENCES = {
    "dimension", "dimension-slice", "dimension-stride", "dimension-stride-slice", "dimension-slice-stride",
    "stride-dimension", "slice-dimension", "block-dimension", "dimension-block", "dimension-block-stride",
    "dimension-block-dimension", "dimension-slice-dimension", "dimension-stride-dimension",
}  # fmt: skip
MODES = ("undefined", "constant", "clamp-to-edge", "repeat", "mirror-repeat")


def implied(one: TensorFacts) -> Words:
    """The strides that the dimensions and block sizes of a layout imply."""
    return set_tensor_layout_dimension(one.t, one.t.layout_dimension).stride


def mode(one: TensorFacts) -> Answer:
    """The clamp mode."""
    if not 0 <= one.mode < len(MODES):
        return "other"
    return every(("not-given", one.mode == UNDEFINED), (MODES[one.mode], True))


def sequence(one: TensorFacts) -> Answer:
    """The setters in order, without repetitions; one that dimensions overwrite shows as such."""
    kinds = [LETTERS[type(call)] for call in one.calls if not isinstance(call, SetClampValue)]
    short = [kind for i, kind in enumerate(kinds) if i == 0 or kinds[i - 1] != kind]
    whole = "-".join(short)
    at = [i for i, call in enumerate(one.calls) if isinstance(call, SetClampValue)]
    ends = len(one.calls) - 1
    before = kinds[: kinds.index("dimension")] if "dimension" in kinds else []
    return every(
        (whole, whole in SEQUENCES),
        ("stride-dimension", "stride" in before and whole != "stride-dimension"),
        ("slice-dimension", "slice" in before and whole != "slice-dimension"),
        ("block-dimension", "block" in before and whole != "block-dimension"),
        ("clamp-first", ends and 0 in at),
        ("clamp-last", ends and ends in at),
        ("clamp-between", any(0 < i < ends for i in at)),
        ("no-dimension", kinds and "dimension" not in kinds),
    )


def repetition(one: TensorFacts) -> Answer:
    """Which setters are called again, and what becomes of offsets that add."""
    kinds = [type(call) for call in one.calls]
    slices = kinds.count(Slice)
    after = one.calls[max((i for i, kind in enumerate(kinds) if kind is SetDimension), default=-1) + 1 :]
    acting = [call for call in after if isinstance(call, Slice)]
    undone = any(isinstance(call, Slice) for call in one.calls[: len(one.calls) - len(after)])
    again = _since_equal(one.calls)
    found = every(
        ("slice-twice", len(acting) == 2),
        ("slice-three", len(acting) == 3),
        ("slice-dimension-slice", undone and acting),
        ("dimension-twice", kinds.count(SetDimension) > 1 and again is None),
        *((f"equal-after-{LETTERS[kind]}", again and kind in again) for kind in (Slice, SetStride, SetBlockSize)),
        ("stride-twice", kinds.count(SetStride) > 1),
        ("block-twice", kinds.count(SetBlockSize) > 1),
        ("clamp-twice", kinds.count(SetClampValue) > 1),
    )
    if len(acting) > 1 and one.states:
        found += _two_slices(one, acting[0], acting[-1])
    return found or ("none" if slices < 2 else None)


def _since_equal(calls: tuple[Setter, ...]) -> set[type] | None:
    """The setters between the last dimensions and equal ones before these; None where there are no equal ones."""
    at = [turn for turn, call in enumerate(calls) if isinstance(call, SetDimension)][-2:]
    if len(at) < 2 or calls[at[0]] != calls[at[1]]:
        return None
    return {type(call) for call in calls[at[0] + 1 : at[1]]}


def _two_slices(one: TensorFacts, start: Slice, last: Slice) -> tuple[str, ...]:
    whole, dims = one.t.offset, one.t.layout_dimension
    before = [_signed(word) for word in start.offsets]
    again = [_signed(word) for word in last.offsets]

    def out(offset: int, dim: int) -> bool:
        return offset < 0 or offset >= dim

    left = any(map(out, before, dims))
    return every(
        ("slice-back", any(word < 0 < old for word, old in zip(again, before, strict=True))),
        ("slice-out-and-in", left and not any(map(out, whole, dims))),
        ("slice-in-then-out", not left and not any(map(out, again, dims)) and any(map(out, whole, dims))),
        ("slice-wider", any(_plain(a) > _plain(b) for a, b in zip(last.spans, start.spans, strict=True))),
    )


def _plain(argument: object) -> int:
    base = getattr(argument, "base", argument)
    return int(base) & UINT32 if isinstance(base, int) else 0


def _signed(argument: object) -> int:
    word = _plain(argument)
    return word - (1 << 32) if word >> 31 else word


def start(one: TensorFacts) -> Answer:
    """What the layout starts from, and who else uses that."""
    layout, program = one.declared, one.program
    if layout.start is None:
        return "created"
    before = program.layout(layout.start)
    used = {access.tensor for access in one.known.tensors}
    twins = [other for other in program.layouts if other.start == layout.start and other.calls and other.name in used]
    return every(
        ("copy", not layout.calls),
        ("changed-copy", layout.calls and layout.start in used),
        ("two-copies", layout.calls and layout in twins and len(twins) > 1),
        ("chain", before.start is not None),
        ("sliced-start", any(isinstance(call, Slice) for call in lineage(program, layout.start)[1])),
        ("other-type", (before.rank, before.clamp_mode) != (layout.rank, layout.clamp_mode)),
    )


def dimension_kind(one: TensorFacts) -> Answer:
    """Special sizes of the dimensions."""
    dims = one.t.layout_dimension
    if not one.dimensioned or not dims:
        return None
    mirrored = one.mode == MIRROR_REPEAT and 1 in dims and one.load
    return every(
        ("powers", all(dim & (dim - 1) == 0 for dim in dims) and all(dims)),
        ("odd", all(dim % 2 for dim in dims)),
        ("primes-differ", len(set(dims)) == len(dims) and all(map(_prime, dims))),
        ("one-inner", dims[-1] == 1),
        ("one-outer", dims[0] == 1),
        ("one-middle", 1 in dims[1:-1]),
        ("all-one", set(dims) == {1}),
        ("two", 2 in dims),
        ("one-mirrored", mirrored and _out_in_one(one)),
        ("zero", 0 in dims),
        ("equal", len(dims) > 1 and len(set(dims)) == 1),
        ("product-32-bits", prod(dims) > UINT32),
    )


def _prime(number: int) -> bool:
    return number > 1 and number < 1 << 20 and all(number % d for d in range(2, int(number**0.5) + 1))


def _out_in_one(one: TensorFacts) -> bool:
    for state in one.states:
        below, above = one.outside(state)
        if any(state.t.layout_dimension[d] == 1 and bool((below | above)[:, d].any()) for d in one.ranks):
            return True
    return False


def stride_kind(one: TensorFacts) -> Answer:
    """How the strides come about."""
    given, rank, access = one.t.stride, one.rank, one.nbytes
    if strides_too_small(one.program, one.declared):
        lowest = short(one)
        return every(("below-minimum", True), ("minimum-outer-only", rank > 1 and lowest == [0]))
    if not one.strided:
        early = any(isinstance(call, SetStride) for call in one.calls)
        return every(("implicit", one.dimensioned), ("minimum-before-dimension", early))
    if not one.dimensioned:
        return "minimum-before-dimension"
    packed, counts = implied(one), blocks_of(one.t, one.t.layout_dimension)
    gaps = [given[d] - given[d + 1] * counts[d + 1] for d in range(rank - 1)]
    row = gaps[-1] if gaps else 0
    return every(
        ("explicit-same", given == packed),
        ("padded-one", row and row == given[-1]),
        ("padded-line", row * one.step >= 16),
        ("padded-middle", gaps[1:-1] and any(gaps[1:-1]) and not gaps[0] and not gaps[-1]),
        ("padded-outer", len(gaps) > 1 and gaps[0] and not any(gaps[1:])),
        ("inner-two", given[-1] == 2),
        ("inner-odd", given[-1] % 2 and given[-1] > 1),
        ("inner-large", given[-1] * access >= 16 and given[-1] > 1),
        ("minimum", rank > 1 and given[-1] > 1 and not any(gaps)),
    )


def short(one: TensorFacts) -> list[int]:
    """The dimensions whose stride is below its minimum."""
    given, counts = one.t.stride, blocks_of(one.t, one.t.layout_dimension)
    return [d for d in range(one.rank - 1) if given[d] < given[d + 1] * counts[d + 1]]


def stride_zero(one: TensorFacts) -> Answer:
    """Strides of 0."""
    given = one.t.stride
    if not given:
        return None
    zero = [stride == 0 for stride in given]
    made = one.dimensioned or any(isinstance(call, SetStride) for call in one.calls)
    alone = any(zero[d] and not zero[d + 1] and one.t.layout_dimension[d + 1] for d in range(one.rank - 1))
    return every(
        ("none", not any(zero)),
        ("inner", zero[-1] and not all(zero)),
        ("all", all(zero) and made),
        ("outer-alone", alone),
        ("created", not made),
        ("store", any(zero) and not one.load),
    )


def offset_sign(one: TensorFacts) -> Answer:
    """Signs of the offsets of the slice."""
    found: tuple[str, ...] = ()
    for state in one.states:
        offset, dims = state.t.offset, state.t.layout_dimension
        pairs = list(zip(offset, dims, strict=True))
        found += every(
            ("zero", not any(offset)),
            ("positive", any(offset) and min(offset) >= 0),
            ("negative-one", -1 in offset),
            ("negative", any(-dim < word < -1 for word, dim in pairs)),
            ("negative-far", any(word <= -dim and word < -1 for word, dim in pairs)),
            ("least", -(1 << 31) in offset),
            ("largest", (1 << 31) - 1 in offset),
            ("mixed", min(offset, default=0) < 0 and any(word >= dim > 0 for word, dim in pairs)),
        )
    return found


LOOKS: dict[str, Look] = {
    "clamp-mode": of_text(mode),
    "setter-sequence": of_text(sequence),
    "setter-repetition": of_text(repetition),
    "layout-start": of_text(start),
    "dimension-kind": of_tensor(dimension_kind),
    "stride-kind": of_tensor(stride_kind),
    "stride-zero": of_tensor(stride_zero),
    "slice-offset-sign": of_tensor(offset_sign),
}
"""Axis -> how its class is seen."""
