"""Every validity clause and the forms in which it is broken."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.strategies.grammar import Draft, DrawContext, NearMiss, each_form
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


_OF_MATRICES = {**TYPE_NEAR_MISSES, **ACCESS_NEAR_MISSES, **METHOD_NEAR_MISSES, **PRODUCT_NEAR_MISSES}

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {**{clause: each_form(_in_waves, change) for clause, change in _OF_MATRICES.items()}, **GROUP_NEAR_MISSES}
)
"""Validity clause -> how to break it."""
