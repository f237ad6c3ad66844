"""Near misses: how to break one validity clause of a kernel, and nothing else."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Buffer, FromBuffer, Load, Store, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Breaker, Draft


def fitted(program: WmmaProgram) -> WmmaProgram:
    """The program with its buffers large enough for every access (which are literal or affine, outside loops)."""
    ends = {buffer.name: buffer.size for buffer in program.buffers}
    for step in program.body:
        if isinstance(step, (Load, Store)):
            fragment = program.fragment(step.into if isinstance(step, Load) else step.fragment)
            block = step.block if isinstance(step.block, Affine) else Affine(int(step.block))  # type: ignore[arg-type]
            last = block.base + block.wave * (program.waves - 1)
            ends[step.buffer] = max(ends[step.buffer], (last + 1) * program.wave_size * fragment.vector_bytes)
    return replace(program, buffers=tuple(replace(buffer, size=ends[buffer.name]) for buffer in program.buffers))


def _renamed(draft: Draft, builtin: str) -> Draft:
    return Draft(with_calls(draft.program, builtin=builtin), draft.regime, draft.batch, draft.words)


def shape(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """A size that no builtin has."""
    del caps
    results, _, operands, wave = row.name.split("_")
    size = draw.one_of(("16x16x32", "16x16x8", "32x16x16", "16x32x16", "8x16x16", "16x16x16"))
    if size == "16x16x16":
        wave = draw.one_of(("w16", "w128"))
    return _renamed(draft, f"{results}_{size}_{operands}_{wave}")


def formats(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """Formats that no builtin joins."""
    del caps
    results, size, _, wave = row.name.split("_")
    if results == "f32":
        pair = draw.one_of((("f32", "iu8"), ("i32", "f16"), ("bf16", "f16"), ("f64", "f16"), ("f32", "f32")))
    else:
        pair = draw.one_of((("i32", "f16"), ("f32", "iu8"), ("i16", "iu8"), ("i32", "iu16"), ("u32", "iu8")))
    return _renamed(draft, f"{pair[0]}_{size}_{pair[1]}_{wave}")


def wave_size(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """The builtin of the other wave size: the kernel is compiled for the mode that the name does not say."""
    del draw, row, caps
    program: WmmaProgram = draft.program
    other = fitted(replace(program, wave_size=32 if program.wave_size == 64 else 64))
    return Draft(other, draft.regime, draft.batch, draft.words)


def signature(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """One argument of another length, or flags where there are none, or one flag missing."""
    del caps
    program: WmmaProgram = draft.program
    if draw.chance(30):
        flags = {draw.one_of(("a_sign", "b_sign", "clamp")): None if "int" in row.tags else draw.chance(50)}
        return Draft(with_calls(program, **flags), draft.regime, draft.batch, draft.words)
    name = draw.one_of(("a", "b", "c", "d"))
    lengths = [length for length in (4, 8, 16) if length != program.fragment(name).count]
    length = draw.one_of(lengths)
    fragments = tuple(replace(f, count=length) if f.name == name else f for f in program.fragments)
    return Draft(fitted(replace(program, fragments=fragments)), draft.regime, draft.batch, draft.words)


def opsel(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """An OPSEL argument."""
    del row, caps
    return Draft(with_calls(draft.program, opsel=draw.chance(50)), draft.regime, draft.batch, draft.words)


def immediate(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """A flag that is loaded at run time."""
    del row, caps
    flag = draw.one_of(("a_sign", "b_sign", "clamp"))
    changed = with_calls(draft.program, **{flag: FromBuffer("flags", 4 * draw.integer(0, 3))})
    grown = replace(changed, buffers=(*changed.buffers, Buffer("flags", 16)))
    return Draft(grown, draft.regime, draft.batch, draft.words)


BREAKERS: dict[str, Breaker] = {
    "RDNA3-SHAPE": shape,
    "RDNA3-OPS": formats,
    "RDNA3-WAVE-SIZE": wave_size,
    "RDNA3-SIG": signature,
    "RDNA3-OPSEL-ONLY16": opsel,
    "RDNA3-IU-IMMEDIATE": immediate,
}
