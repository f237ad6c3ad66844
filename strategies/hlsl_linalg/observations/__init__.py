"""Which classes of the axes of HLSL linear algebra a case has: seen in its program, data, and what the text demands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.axes.observation import Look, Observer
from mmaspec.strategies.axes.unseen import unseen_of
from mmaspec.strategies.hlsl_linalg.observations import (
    accesses,
    arguments,
    control,
    data,
    declared,
    earlier,
    memories,
    operations,
    optimal,
    products,
    sums,
    whole,
)
from mmaspec.strategies.hlsl_linalg.observations.dependence import dependence
from mmaspec.strategies.hlsl_linalg.observations.things import things

_PARTS = (whole, declared, memories, arguments, accesses, sums, data, operations, products, optimal, control, earlier)
_LOOKS: Mapping[str, Look] = {name: look for part in _PARTS for name, look in part.LOOKS.items()}

OBSERVER = Observer(
    things=things,
    looks=MappingProxyType(dict(_LOOKS)),
    unseen=unseen_of(__name__),
    dependence=dependence,
)
"""How the classes of HLSL linear algebra are seen."""
