"""The wave size that a drawn program says: one of those that the caps allow it."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import lanes, wave_sizes
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram
from mmaspec.strategies.grammar import Draft, DrawContext


def sized(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """The draft with a wave size that its matrices agree on; where they do not, one that the row's own have."""
    program: WaveMatrixProgram = draft.program
    entry: Entry = context.row.entry
    sizes = sorted(wave_sizes(program, context.caps) or lanes(entry.answer, context.caps))
    size = context.choices.one_of(sizes) if len(sizes) > 1 else sizes[0]
    return Draft(replace(program, wave_size=size), draft.regime, draft.batch, draft.words)
