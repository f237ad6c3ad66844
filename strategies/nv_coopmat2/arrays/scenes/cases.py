"""Programs of one scene each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.scenes import contents, layouts, setters, waves
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import CONVERTING, TENSORS, has

Scene = Callable[[ProgramBuilder], None]

SCENES: dict[str, Scene] = {
    "product-then-clip": contents.product_then_clip,
    "into-product": contents.into_product,
    "converted-then-clip": contents.converted_then_clip,
    "previous-pass": contents.previous_pass,
    "next-pass": contents.next_pass,
    "stored-in-next-pass": contents.stored_in_next_pass,
    "complementary": contents.complementary,
    "stored-before": contents.stored_before,
    "stored-clamped": contents.stored_clamped,
    "transposed": contents.transposed,
    "beside-words": contents.beside_words,
    "over-input": contents.over_input,
    "twice": layouts.twice,
    "nowhere": layouts.nowhere,
    "early-strides": layouts.early_strides,
    "last-lines": layouts.last_lines,
    "far-away": layouts.far_away,
    "filled": layouts.filled,
    "view-strides": layouts.view_strides,
    "one-differs": waves.one_differs,
    "wave-and-pass": waves.wave_and_pass,
    "shared": waves.shared,
    "from-shared": waves.from_shared,
    "slices-around": setters.slices_around,
    "clamped-views": setters.clamped_views,
}
"""Name of a scene -> what adds it to a program."""

MOST_SHARED = 12 << 10
"""Bytes of all shared arrays: blame needs room besides."""
LEAST = 8
"""Rows and columns that scenes need."""
PRODUCTS = ("product-then-clip", "into-product")


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    name = chosen["scene"]
    alone = name in ("shared", "from-shared", "over-input", "beside-words", "transposed", "filled")
    builder = ProgramBuilder(context, most_waves=1 if alone else 2)
    SCENES[name](builder)
    if not builder.body or sum(builder.used[name] for name in builder.shared) > MOST_SHARED:
        return None
    regime = "whole" if name in PRODUCTS else "distinct"
    return builder.draft(regime, batch=2, exact=name == "filled" or builder.choices.chance(50))


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    if not has(caps, TENSORS) or min(row.entry.m, row.entry.n, row.entry.k) < LEAST:
        return False
    if name in ("shared", "from-shared"):
        return "shared" in row.tags
    if name == "transposed":
        return "transposes" in row.tags and has(caps, CONVERTING) and row.entry.m == row.entry.n
    if name == "converted-then-clip":
        return "f16" in row.tags and "acc-f16" in row.tags
    return "shared" in row.tags


SCENE_CASES = Array(
    name="tensor-scenes",
    focus=("NVCM2-CLIP-SKIP", "NVCM2-LOAD-INOUT", "NVCM2-FUNCTIONAL", "NVCM2-STORE-ONLY-ELEMS", "NVCM2-SETDIM-ORDER"),
    axes={"scene": tuple(SCENES)},
    build=_built,
    rows=("shared", "transposes"),
    fits=_fits,
)
"""One scene a case."""
