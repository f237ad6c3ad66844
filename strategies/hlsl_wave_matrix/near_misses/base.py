"""The valid draft that near misses start from."""

from __future__ import annotations

from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Style


def near_miss_base(context: DrawContext[WaveMmaCaps]) -> Draft:
    """One product, every access with an alignment of its own and a buffer of its own, nothing read at run time."""
    builder = ProgramBuilder(context)
    matrices = (builder.matrix("left", "A"), builder.matrix("right", "B"), builder.matrix("accumulator", "C"))
    style = Style(padded=True, aligned=True, run_time=0)
    body: list[Instruction] = [builder.load(m, builder.room(f"in-{m.name}"), style) for m in matrices]
    body += [builder.product("C", "A", "B"), builder.store(matrices[2], builder.room("out"), style)]
    return builder.draft(body, "small" if "int" in context.row.tags else "window", batch=2)
