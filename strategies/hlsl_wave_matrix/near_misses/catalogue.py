"""Every validity clause and the forms in which it is broken."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Load,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
    SumAccumulate,
)
from mmaspec.strategies.circumstances import looping
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, NearMiss, each_form, forms_of
from mmaspec.strategies.hlsl_wave_matrix.builder.waves import sized
from mmaspec.strategies.hlsl_wave_matrix.near_misses.access_tables import ACCESS_NEAR_MISSES
from mmaspec.strategies.hlsl_wave_matrix.near_misses.groups import GROUP_NEAR_MISSES
from mmaspec.strategies.hlsl_wave_matrix.near_misses.methods import METHOD_NEAR_MISSES
from mmaspec.strategies.hlsl_wave_matrix.near_misses.product import PRODUCT_NEAR_MISSES
from mmaspec.strategies.hlsl_wave_matrix.near_misses.types import TYPE_NEAR_MISSES


def _in_waves(change: NearMiss) -> NearMiss:
    """The near miss with a wave size that suits the matrices that it has then."""

    def near_miss(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
        changed = change(context, draft)
        return None if changed is None else sized(context, changed)

    return near_miss


def _loop(step: Simple) -> Repeat:
    return Repeat(2, (step,))


LOOPS: tuple[tuple[str, str, type], ...] = (
    ("WM-GS-TYPE-MATCH", "load of left, of another width", Load),
    ("WM-METHODS", "Multiply of left", Multiply),
    ("WM-METHODS", "Add of accumulator with left", Add),
    ("WM-SUMACC-SIDE", "left-col-acc of right", SumAccumulate),
    ("WM-SHAPE-AGREE", "Add, accumulator of another M", Add),
    ("WM-MUL-USE", "Multiply, operands exchanged", Multiply),
    ("WM-MUL-TYPE-MATCH", "MultiplyAccumulate, A of f32", MultiplyAccumulate),
    ("WM-MUL-CAPS", "Multiply, accumulator of f32", Multiply),
)
"""Clause, a form of it, and the instruction that stands in a loop there."""


def _with_loops(near_misses: dict[str, NearMiss]) -> dict[str, NearMiss]:
    for clause, name, kind in LOOPS:
        near_misses[clause] = looping(Forms(forms_of(near_misses[clause])), name, kind, _loop)
    return near_misses


_OF_MATRICES = _with_loops({**TYPE_NEAR_MISSES, **ACCESS_NEAR_MISSES, **METHOD_NEAR_MISSES, **PRODUCT_NEAR_MISSES})

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {**{clause: each_form(_in_waves, change) for clause, change in _OF_MATRICES.items()}, **GROUP_NEAR_MISSES}
)
"""Validity clause -> how to break it."""
