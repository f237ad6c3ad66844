"""Near misses: for each validity clause a change of a valid kernel that breaks it and no other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Buffer, FromBuffer, Load, Store, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder, with_calls
from mmaspec.strategies.amd_rdna3_wmma.templates import operands
from mmaspec.strategies.grammar import Draft, DrawContext, NearMiss, drawing_nothing


def near_miss_base(context: DrawContext[Caps]) -> Draft:
    """A plain product with nothing at run time, one item."""
    builder = ProgramBuilder(context, run_time=False)
    operands(builder)
    builder.fragment("c", "cd")
    builder.fragment("d", "cd")
    builder.add(builder.load("c", "C", "addend"), builder.wmma("d", "a", "b", "c"), builder.store("d"))
    return builder.draft("distinct", batch=1)


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


def shape(context: DrawContext[Caps], draft: Draft) -> Draft:
    """A size that no builtin has."""
    choices = context.choices
    form: Form = context.row.entry
    results, operands, wave = form
    size = choices.one_of(("16x16x32", "16x16x8", "32x16x16", "16x32x16", "8x16x16", "16x16x16"))
    if size == "16x16x16":
        wave = choices.one_of(("w16", "w128"))
    return _renamed(draft, f"{results}_{size}_{operands}_{wave}")


def formats(context: DrawContext[Caps], draft: Draft) -> Draft:
    """Formats that no builtin joins."""
    choices = context.choices
    form: Form = context.row.entry
    results, _, wave = form
    if results == "f32":
        pair = choices.one_of((("f32", "iu8"), ("i32", "f16"), ("bf16", "f16"), ("f64", "f16"), ("f32", "f32")))
    else:
        pair = choices.one_of((("i32", "f16"), ("f32", "iu8"), ("i16", "iu8"), ("i32", "iu16"), ("u32", "iu8")))
    return _renamed(draft, f"{pair[0]}_16x16x16_{pair[1]}_{wave}")


def wave_size(draft: Draft) -> Draft:
    """The builtin of the other wave size: the kernel is compiled for the mode that the name does not say."""
    program: WmmaProgram = draft.program
    other = fitted(replace(program, wave_size=32 if program.wave_size == 64 else 64))
    return Draft(other, draft.regime, draft.batch, draft.words)


def signature(context: DrawContext[Caps], draft: Draft) -> Draft:
    """One argument of another length, or flags where there are none, or one flag missing."""
    choices = context.choices
    program: WmmaProgram = draft.program
    if choices.chance(30):
        flags = {
            choices.one_of(("a_sign", "b_sign", "clamp")): None if "int" in context.row.tags else choices.chance(50)
        }
        return Draft(with_calls(program, **flags), draft.regime, draft.batch, draft.words)
    name = choices.one_of(("a", "b", "c", "d"))
    lengths = [length for length in (4, 8, 16) if length != program.fragment(name).count]
    length = choices.one_of(lengths)
    fragments = tuple(replace(f, count=length) if f.name == name else f for f in program.fragments)
    return Draft(fitted(replace(program, fragments=fragments)), draft.regime, draft.batch, draft.words)


def opsel(context: DrawContext[Caps], draft: Draft) -> Draft:
    """An OPSEL argument."""
    return Draft(with_calls(draft.program, opsel=context.choices.chance(50)), draft.regime, draft.batch, draft.words)


def immediate(context: DrawContext[Caps], draft: Draft) -> Draft:
    """A flag that is loaded at run time."""
    choices = context.choices
    flag = choices.one_of(("a_sign", "b_sign", "clamp"))
    changed = with_calls(draft.program, **{flag: FromBuffer("flags", 4 * choices.integer(0, 3))})
    grown = replace(changed, buffers=(*changed.buffers, Buffer("flags", 16)))
    return Draft(grown, draft.regime, draft.batch, draft.words)


NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "RDNA3-SHAPE": shape,
        "RDNA3-OPS": formats,
        "RDNA3-WAVE-SIZE": drawing_nothing(wave_size),
        "RDNA3-SIG": signature,
        "RDNA3-OPSEL-ONLY16": opsel,
        "RDNA3-IU-IMMEDIATE": immediate,
    }
)
"""Validity clause -> how to break it."""
