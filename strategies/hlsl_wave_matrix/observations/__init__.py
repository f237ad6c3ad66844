"""Which classes of the axes of HLSL WaveMatrix a case has, seen in its program, its data and what the text demands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.axes.observation import Look, Observer
from mmaspec.strategies.hlsl_wave_matrix.observations import (
    access_pairs,
    alignments,
    arguments,
    contents,
    control,
    copies,
    device,
    lives,
    memories,
    neighbours,
    operands,
    scalars,
    strides,
    whole,
)
from mmaspec.strategies.hlsl_wave_matrix.observations.dependence import dependence, part
from mmaspec.strategies.hlsl_wave_matrix.observations.elements import elementwise
from mmaspec.strategies.hlsl_wave_matrix.observations.reasons import reasons
from mmaspec.strategies.hlsl_wave_matrix.observations.sums import float_sums, integer_sums, product_patterns, specials
from mmaspec.strategies.hlsl_wave_matrix.observations.things import things

_LOOKS: Mapping[str, Look] = {
    **strides.LOOKS,
    **alignments.LOOKS,
    **contents.LOOKS,
    **operands.LOOKS,
    **neighbours.LOOKS,
    **float_sums.LOOKS,
    **specials.LOOKS,
    **product_patterns.LOOKS,
    **integer_sums.LOOKS,
    **elementwise.LOOKS,
    **scalars.LOOKS,
    **device.LOOKS,
    **whole.LOOKS,
    **arguments.LOOKS,
    **access_pairs.LOOKS,
    **memories.LOOKS,
    **control.LOOKS,
    **lives.LOOKS,
    **copies.LOOKS,
}

OBSERVER = Observer(
    things=things, looks=MappingProxyType(dict(_LOOKS)), unseen=reasons(), dependence=dependence, part=part
)
"""How the classes of HLSL WaveMatrix are seen."""
