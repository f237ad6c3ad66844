"""Setters whose arguments differ from wave to wave, or from pass to pass: each setter, in one program in every rank."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.extents import RANKS
from mmaspec.strategies.nv_coopmat2.arrays.setters import layouts, views
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES

SEQUENCES = ("dimension-stride", "dimension-slice-stride", "stride-dimension", "slice-dimension", "dimension-block")
"""Classes of ``setter-sequence``: in each the arguments of another setter differ."""
STARTS = tuple(zip(RANKS, ("chain", "two-copies", "chain", "two-copies", "chain"), strict=True))
"""The ranks of one program, each with how its layout is made."""

VIEWS = ("identity", "swap-two", "cycle-left", "double-swap", "cycle-of-five")
"""Permutations of the views of one program: one of each rank."""
KINDS = {
    "strides-dimensions": "overwritten", "clip-between": "inner-above-one", "clip-twice": "implicit",
    "dimensions-twice": "inner-above-one", "strides-twice": "inner-above-one",
}  # fmt: skip
"""Class of ``view-setter-sequence`` -> class of ``view-stride-kind``."""

MOVED = ("per-wave", "per-pass")


def _laid_out(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    return layouts.loaded(context, [{**chosen, "tensor-rank": rank, "layout-start": start} for rank, start in STARTS])


def _viewed(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    kind = KINDS[chosen["view-setter-sequence"]]
    return views.loaded(
        context, [{**chosen, "view-permutation": one, "view-stride-kind": kind, "view-start": "chain"} for one in VIEWS]
    )


def _array(name: str, focus: tuple[str, ...], axes: dict[str, tuple[str, ...]], build: Any) -> Array:
    return Array(
        name=name, focus=focus, axes={**axes, "use": tuple(USES)}, build=build, rows=("shared",), fits=layouts.fits
    )


MOVING_SETTERS = _array(
    "moving-setters",
    ("NVCM2-SETDIM", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-BLOCK", "NVCM2-CLAMPVALUE"),
    {"setter-sequence": SEQUENCES, "layout-evaluation": MOVED},
    _laid_out,
)
"""Layouts of one to five dimensions, of which the arguments of one setter differ."""

MOVING_VIEW_SETTERS = _array(
    "moving-view-setters",
    ("NVCM2-SETVIEWDIM", "NVCM2-SETVIEWSTRIDE", "NVCM2-SETCLIP", "NVCM2-VIEW-UNRAVEL"),
    {"view-setter-sequence": tuple(views.SEQUENCES), "evaluation": MOVED},
    _viewed,
)
"""The same of views with dimensions of their own."""
