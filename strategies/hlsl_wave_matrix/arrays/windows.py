"""Windows around what a program touches in its largest views: whole they would cost more than they show."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from msgspec import structs

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix.touches import all_touches
from mmaspec.programs.windows import Places, around
from mmaspec.strategies.grammar import Draft

LARGE = 1 << 18
"""Bytes of a view from which on it has windows."""
WORD = 4


def windowed(draft: Draft) -> Draft:
    """The draft with windows in its large views: around every byte that is read or written, arguments included."""
    if all(buffer.size < LARGE for buffer in draft.program.buffers):
        return draft
    touched: defaultdict[str, list[Places]] = defaultdict(list)
    for name, places, _ in all_touches(resolve(draft.program, draft.words)):
        touched[name].append(places)
    for word in draft.words:
        touched[word.buffer].append(word.offset + np.arange(WORD))
    buffers = tuple(
        around(one, touched[one.name]) if one.size >= LARGE and not one.windows else one
        for one in draft.program.buffers
    )
    return replace(draft, program=structs.replace(draft.program, buffers=buffers))
