"""Loads that see the bytes as something else than the store before them had."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.intel_subgroup_mma.program import Fragment
from mmaspec.strategies.axes.observation import Look
from mmaspec.strategies.register_kernels.observations.load import reinterpreted


def _kinds(stored: Fragment, loaded: Fragment) -> Iterator[str]:
    if stored.use != loaded.use:
        yield f"{stored.use}-as-{loaded.use}"
    if stored.holds != loaded.holds:
        yield "other-elements"
    if stored.component != loaded.component:
        yield "other-sign"
    if (stored.use, stored.holds, stored.component) == (loaded.use, loaded.holds, loaded.component):
        yield "no"


LOOKS: dict[str, Look] = {"reinterpreted": reinterpreted(_kinds)}
