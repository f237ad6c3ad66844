"""Tensor accesses written by hand, and the classes that they must show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmaspec.programs.base import Affine
from mmaspec.programs.base import Literal as Word
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    Echo,
    Layout,
    LoadTensor,
    Nibbles,
    Repeat,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
    View,
    ViewSetter,
)

from .shown import WORDS, shown, written

PLAIN = (SetDimension((16, 16)),)


def load(
    *calls: Setter, mode: int = CONSTANT, rank: int = 2, view: View | None = None, **fields: object
) -> dict[str, set[str]]:
    """What a load of 16 x 16 words through such a layout and view shows."""
    access = LoadTensor("W", "in", 0, "t", data="T", view=None if view is None else "v", **fields)  # type: ignore[arg-type]
    return shown(
        written(
            access,
            Store("W", "out", 0, 16),
            matrices=(WORDS,),
            layouts=(Layout("t", calls, rank, mode),),
            views=() if view is None else (view,),
        )
    )


def view(*calls: ViewSetter, rank: int = 2, own: bool = False, order: tuple[int, ...] = ()) -> View:
    """A view of these setters."""
    return View("v", calls, rank, own, order)


LAYOUTS: dict[str, tuple[Callable[[], dict[str, set[str]]], dict[str, set[str]]]] = {
    "whole": (
        lambda: load(*PLAIN),
        {
            "slice-place": {"no-slice"},
            "out-of-bounds-axes": {"none"},
            "setter-sequence": {"dimension"},
            "stride-kind": {"implicit"},
            "contiguous-run": {"whole-matrix"},
            "dimension-against-matrix": {"equal"},
            "dimension-size": {"to-8-bits"},
            "linear-index": {"below-2-8"},
            "span-against-matrix": {"exact", "default"},
            "view-presence": {"neither"},
        },
    ),
    "last row and column outside": (
        lambda: load(SetDimension((15, 15)), Slice((0, 0), (16, 16))),
        {
            "slice-place": {"one-over"},
            "out-of-bounds-axes": {"all"},
            "out-of-bounds-side": {"above"},
            "out-of-bounds-distance": {"one"},
            "dimension-against-matrix": {"smaller-by-one"},
            "clamp-value": {"default"},
            "span-against-matrix": {"exact", "beyond-dimension"},
        },
    ),
    "last column outside": (
        lambda: load(SetDimension((16, 15)), Slice((0, 0), (16, 16))),
        {
            "out-of-bounds-axes": {"innermost"},
            "out-of-bounds-share": {"last-column", "part-of-line"},
        },
    ),
    "around": (
        lambda: load(SetDimension((14, 14)), Slice((-1 & 0xFFFFFFFF, -1 & 0xFFFFFFFF), (16, 16)), SetClampValue(7)),
        {
            "slice-place": {"around", "one-over"},
            "slice-offset-sign": {"negative-one"},
            "out-of-bounds-side": {"below", "above", "both-in-one", "below-and-above", "far-as-unsigned"},
            "clamp-value": {"number", "low-byte-only"},
            "setter-sequence": {"dimension-slice", "clamp-last"},
        },
    ),
    "reflected": (
        lambda: load(SetDimension((16, 16)), Slice((0, -1 & 0xFFFFFFFF), (16, 16)), mode=MIRROR_REPEAT),
        {"mirror-arithmetic": {"second", "negative-remainder", "period-odd"}, "clamp-mode": {"mirror-repeat"}},
    ),
    "repeated": (
        lambda: load(SetDimension((16, 16)), Slice((0, 16), (16, 16)), mode=REPEAT),
        {
            "out-of-bounds-distance": {"exactly-period"},
            "out-of-bounds-share": {"all"},
            "slice-place": {"outside"},
        },
    ),
    "strides": (
        lambda: load(SetDimension((16, 16)), SetStride((34, 2))),
        {
            "stride-kind": {"inner-two"},
            "inner-stride": {"two"},
            "outer-stride": {"to-8-bits"},
            "contiguous-run": {"one"},
            "setter-sequence": {"dimension-stride"},
            "stride-zero": {"none"},
        },
    ),
    "padded": (
        lambda: load(SetDimension((16, 16)), SetStride((17, 1))),
        {"stride-kind": {"padded-one"}, "element-alignment": {"four", "changing"}, "contiguous-run": {"row"}},
    ),
    "broadcast": (
        lambda: load(SetDimension((16, 16)), SetStride((0, 0))),
        {"stride-zero": {"all"}, "outer-stride": {"zero"}},
    ),
    "slices add": (
        lambda: load(SetDimension((40, 40)), Slice((30, 2), (20, 20)), Slice((-20 & 0xFFFFFFFF, 0), (16, 16))),
        {
            "setter-repetition": {"slice-twice", "slice-back"},
            "slice-place": {"interior"},
            "slice-offset-size": {"to-8-bits"},
        },
    ),
    "one dimension": (
        lambda: load(SetDimension((256,)), rank=1),
        {
            "tensor-rank": {"one"},
            "dimension-against-matrix": {"much-larger", "whole-product"},
            "span-against-matrix": {"same-product", "inner-long"},
        },
    ),
    "transposing view": (
        lambda: load(*PLAIN, view=view(order=(1, 0))),
        {
            "view-permutation": {"swap-two"},
            "view-has-dimensions": {"without"},
            "contiguous-run": {"column"},
            "view-rank-against-layout": {"equal"},
            "view-symmetry": {"equal", "matrix-square"},
            "view-meets-out-of-bounds": {"in-bounds"},
            "clip-rows": {"default"},
        },
    ),
    "clipped": (
        lambda: load(*PLAIN, view=view(SetClip(1, 15, 0, 8))),
        {
            "clip-rows": {"last", "one-missing-first"},
            "clip-columns": {"first"},
            "clip-and-old-contents": {"never-set"},
            "clip-under-permutation": {"identity", "rows-and-columns"},
            "view-setter-sequence": {"clip"},
        },
    ),
    "own dimensions": (
        lambda: load(*PLAIN, view=view(SetViewDimensions((4, 4, 16)), rank=3, own=True, order=(1, 0, 2))),
        {
            "view-permutation": {"swap-outer"},
            "view-rank-against-layout": {"more-own"},
            "view-dimensions-against-span": {"split"},
            "view-stride-kind": {"implicit"},
            "view-rank": {"three"},
        },
    ),
    "view strides": (
        lambda: load(*PLAIN, view=view(SetViewDimensions((16, 16)), SetViewStride((1, 16)), own=True)),
        {"view-stride-kind": {"swapped", "inner-above-one"}},
    ),
    "three-cycle": (
        lambda: load(SetDimension((4, 4, 16)), rank=3, view=view(rank=3, order=(1, 2, 0))),
        {"view-permutation": {"cycle-left"}, "view-symmetry": {"inverse-differs", "matrix-square"}},
    ),
    "nibbles": (
        lambda: load(
            SetBlockSize((1, 16)), SetDimension((16, 64)), Slice((0, 8), (16, 16)), decode=Nibbles(8, (1, 16), 8)
        ),
        {
            "block-shape": {"inner"},
            "block-power": {"powers"},
            "block-size": {"at-2-4"},
            "block-against-slice": {"starts-inside", "ends-inside"},
            "decode-function": {"nibbles-minus"},
            "decode-struct-padding": {"exact", "unlike-component"},
            "decode-struct-bytes": {"eight"},
            "setter-sequence": {"block-dimension"},
            "partial-block": {"none"},
            "decode-and-clamp": {"in-bounds"},
            "decode-returns": {"s32"},
        },
    ),
    "echo": (
        lambda: load(*PLAIN, decode=Echo(4, (16, 1), (0, 0))),
        {"decode-function": {"echo-block"}, "decode-weights": {"powers"}, "view-presence": {"decode"}},
    ),
    "far strides": (
        lambda: load(SetDimension((16, 16)), SetStride((1 << 10, 1)), array="uint8_t"),
        {
            "array-element": {"uint8"},
            "array-against-component": {"quarter-or-less"},
            "stride-kind": {"padded-line"},
            "linear-index": {"to-15-bits"},
        },
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_tensor_loads_show_their_classes(name: str) -> None:
    made, expected = LAYOUTS[name]
    found = made()
    for axis, classes in expected.items():
        given = [
            found[key] for group in ("tensor-load", "layout", "view", "decode") if (key := f"{group}/{axis}") in found
        ]
        assert given, axis
        assert all(classes <= one for one in given), (axis, given)


def test_strides_of_zero_have_no_padding() -> None:
    found = load(SetDimension((300,)), SetStride((0,)), rank=1)
    assert found["tensor-load/stride-zero"] == {"all"}
    assert not found.get("tensor-load/stride-kind")


def test_a_store_that_clamping_drops_and_a_layout_shared() -> None:
    made = written(
        LoadTensor("W", "in", 0, "t", data="T"),
        StoreTensor("W", "out", 0, "t"),
        matrices=(WORDS,),
        layouts=(Layout("t", (SetDimension((15, 16)), Slice((0, 0), (16, 16))), clamp_mode=CONSTANT),),
    )
    found = shown(made)
    assert found["tensor-store/out-of-bounds-share"] == {"last-row"}
    assert found["layout/layout-shared-by-accesses"] == {"load-and-store", "two-buffers"}
    assert found["tensor-load/clamped-load-destination"] == {"stored-clamped"}
    assert found["program/live-layouts"] == {"one"}
    assert found["program/accesses-per-program"] == {"two"}


def test_a_slice_that_moves_with_wave_and_pass() -> None:
    slide = Slice((Affine(0, 16), Affine(0, 0, 16)), (16, 16))
    body = (LoadTensor("W", "in", 0, "t", data="T"), Store("W", "out", Affine(0, 4096, 1024), 16))
    made = written(
        Repeat(3, body),
        matrices=(WORDS,),
        layouts=(Layout("t", (SetDimension((32, 64)), slide)),),
        waves=2,
    )
    found = shown(made)
    assert found["layout/layout-evaluation"] == {"per-wave-and-pass"}
    assert found["loop/loop-body"] >= {"tensor-sliding"}
    assert found["loop/loop-count"] == {"few"}
    assert found["loop/loop-place"] == {"whole"}
    assert {"wave", "loop", "wave-and-loop", "literal"} == found["argument/argument-form"]
    assert found["program/scope-instances"] == {"two"}
    assert found["tensor-load/undefined-mode-in-bounds"] == {"well-inside"}


def test_what_clipped_elements_held() -> None:
    made = written(
        Splat("W", Word(5)),
        LoadTensor("W", "in", 0, "t", data="T", view="v"),
        Store("W", "out", 0, 16),
        matrices=(WORDS,),
        layouts=(Layout("t", PLAIN),),
        views=(View("v", (SetClip(0, 16, 4, 12),)),),
    )
    found = shown(made)
    assert found["tensor-load/clip-and-old-contents"] == {"splat"}
    assert found["tensor-load/clip-columns"] == {"last"}
    assert found["plain-store/matrix-origin"] == {"clipped-load"}
