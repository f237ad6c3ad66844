"""Near misses: for each validity clause a change of a valid kernel that breaks it and no other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Buffer, FromBuffer, Load, Store, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder, with_calls
from mmaspec.strategies.amd_rdna3_wmma.templates import operands
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, NearMiss, drawing_nothing, forms_of, in_forms


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


def shape(context: DrawContext[Caps], draft: Draft, sizes: tuple[str, ...]) -> Draft:
    """A size that no builtin has."""
    choices = context.choices
    form: Form = context.row.entry
    results, operands, wave = form
    size = choices.one_of(sizes)
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


def flags(context: DrawContext[Caps], draft: Draft) -> Draft:
    """A flag where there are none, or one missing."""
    choices = context.choices
    given = {choices.one_of(("a_sign", "b_sign", "clamp")): None if "int" in context.row.tags else choices.chance(50)}
    return Draft(with_calls(draft.program, **given), draft.regime, draft.batch, draft.words)


def length(context: DrawContext[Caps], draft: Draft, name: str) -> Draft:
    """An argument of another length."""
    choices = context.choices
    program: WmmaProgram = draft.program
    count = choices.one_of([other for other in (4, 8, 16) if other != program.fragment(name).count])
    fragments = tuple(replace(f, count=count) if f.name == name else f for f in program.fragments)
    return Draft(fitted(replace(program, fragments=fragments)), draft.regime, draft.batch, draft.words)


def opsel(context: DrawContext[Caps], draft: Draft) -> Draft:
    """An OPSEL argument."""
    return Draft(with_calls(draft.program, opsel=context.choices.chance(50)), draft.regime, draft.batch, draft.words)


def immediate(context: DrawContext[Caps], draft: Draft, flag: str) -> Draft:
    """A flag that is loaded at run time."""
    changed = with_calls(draft.program, **{flag: FromBuffer("flags", 4 * context.choices.integer(0, 3))})
    grown = replace(changed, buffers=(*changed.buffers, Buffer("flags", 16)))
    return Draft(grown, draft.regime, draft.batch, draft.words)


SIZES = (("16x16x32", "16x16x8"), ("32x16x16", "8x16x16"), ("16x32x16",), ("16x16x16",))
"""Names that no builtin has: another K, another M, another N, or another wave size."""

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "RDNA3-SHAPE": in_forms(shape, SIZES),
        "RDNA3-OPS": formats,
        "RDNA3-WAVE-SIZE": drawing_nothing(wave_size),
        "RDNA3-SIG": Forms((*forms_of(flags), *in_forms(length, ("a", "b", "c", "d")).forms)),
        "RDNA3-OPSEL-ONLY16": opsel,
        "RDNA3-IU-IMMEDIATE": in_forms(immediate, ("a_sign", "b_sign", "clamp")),
    }
)
"""Validity clause -> how to break it."""
