"""Near misses of the thread group: a part of a wave left over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import lanes, wave_sizes
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, NearMiss, form_of
from mmaspec.strategies.hlsl_wave_matrix.builder.waves import sized
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import with_program

LEFT_OVER: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "one thread": (0, 0, 1),
        "half a wave": (0, 1, 0),
        "a wave less a thread": (1, 0, -1),
        "a wave and a thread": (1, 0, 1),
        "a wave and a half": (1, 1, 0),
        "three waves and a thread": (3, 0, 1),
        "five waves less a thread": (5, 0, -1),
    }
)
"""Threads: so many waves, so many halves of one and so many threads, of the smallest waves that there are."""


def left_over(context: DrawContext[WaveMmaCaps], draft: Draft, parts: tuple[int, int, int]) -> Draft | None:
    """A thread group that waves of no size fill."""
    size = min(wave_sizes(draft.program, context.caps))
    if size == 1:
        return None
    waves, halves, more = parts
    threads = waves * size + halves * size // 2 + more
    return sized(context, with_program(draft, replace(draft.program, threads=threads)))


def of_smaller_waves(context: DrawContext[WaveMmaCaps], draft: Draft, waves: int) -> Draft | None:
    """A thread group that smaller waves of the device would fill, those of the size that was chosen do not."""
    sizes = sorted(wave_sizes(draft.program, context.caps))
    small, large = sizes[0], sizes[-1]
    threads = waves * small
    if threads % large == 0:
        return None
    return with_program(draft, replace(draft.program, threads=threads, wave_size=large))


def _several(row: Row[Any], caps: Any) -> bool:
    return len(lanes(row.entry.answer, caps)) > 1


def _more_than_one(row: Row[Any], caps: Any) -> bool:
    return min(lanes(row.entry.answer, caps)) > 1


GROUP_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-TG-DIVIS": Forms(
            (
                *(form_of(left_over, parts, name, possible=_more_than_one) for name, parts in LEFT_OVER.items()),
                form_of(of_smaller_waves, 1, "one wave of a smaller size", possible=_several),
                form_of(of_smaller_waves, 3, "three waves of a smaller size", possible=_several),
            )
        )
    }
)
"""Validity clause -> how to break it."""
