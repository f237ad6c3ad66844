"""Near misses of products and accesses: for each clause a change of a valid program that breaks it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, access_addresses, element_bytes, memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.rule_context import Context
from mmaspec.oracle.hlsl_wave_matrix.validity import mul_caps, type_supported
from mmaspec.programs.base import Buffer, RunTime, Word
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, DIMENSIONS, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    ElementType,
    Instruction,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Store,
    WaveMatrixProgram,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext, NearMiss, drawing_nothing, each_form
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ARGUMENTS, ProgramBuilder, Style
from mmaspec.strategies.hlsl_wave_matrix.builder.waves import sized
from mmaspec.strategies.hlsl_wave_matrix.near_misses.methods import ARRAY_NEAR_MISSES, METHOD_NEAR_MISSES


@dataclass(frozen=True, slots=True)
class Chosen:
    """One access of a draft, and the facts that a change of it depends on."""

    choices: Choices
    access: Access
    matrix: Matrix
    base: int
    """Address at which the view begins."""


AccessEdit = Callable[[Chosen], Access]
"""The access with one argument changed."""


def near_miss_base(context: DrawContext[WaveMmaCaps]) -> Draft:
    """One product, every access with an alignment of its own and a buffer of its own, nothing read at run time."""
    builder = ProgramBuilder(context)
    matrices = (builder.matrix("left", "A"), builder.matrix("right", "B"), builder.matrix("accumulator", "C"))
    style = Style(padded=True, aligned=True, run_time=0)
    body: list[Instruction] = [builder.load(m, builder.room(f"in-{m.name}"), style) for m in matrices]
    body += [builder.product("C", "A", "B"), builder.store(matrices[2], builder.room("out"), style)]
    return builder.draft(body, "small" if "int" in context.row.tags else "window", batch=2)


def _fitted(draft: Draft, program: WaveMatrixProgram) -> Draft:
    """Strides grown where elements did, and buffers with room for every access: nothing else may break."""
    return _roomy(draft, replace(program, body=tuple(_restrided(program, i) for i in program.body)))


def _roomy(draft: Draft, program: WaveMatrixProgram, words: tuple[Word, ...] = ()) -> Draft:
    """Buffers with room for every access, strides as they are."""
    resolved = resolve(program, words)
    ends: dict[str, int] = {}
    for instruction in resolved.body:
        if isinstance(instruction, Load | Store) and program.array(instruction.buffer) is None:
            matrix = program.matrix(instruction.matrix)
            last = int(access_addresses(instruction, matrix, 0, 0).max()) + element_bytes(matrix)
            ends[instruction.buffer] = max(last, ends.get(instruction.buffer, 0))
    buffers = tuple(replace(buffer, size=max(buffer.size, ends.get(buffer.name, 0))) for buffer in program.buffers)
    return replace_draft(draft, replace(program, buffers=buffers), words)


def replace_draft(draft: Draft, program: WaveMatrixProgram, words: tuple[Word, ...] = ()) -> Draft:
    """A draft with another program."""
    return Draft(program, draft.regime, draft.batch, (*draft.words, *words))


def _restrided(program: WaveMatrixProgram, instruction: Instruction) -> Instruction:
    if not isinstance(instruction, Access) or not isinstance(instruction.stride, int):
        return instruction
    matrix = program.matrix(instruction.matrix)
    assert isinstance(instruction.col_major, int)
    unit = max(instruction.alignment, 4)
    least = -(-memory_row_bytes(matrix, instruction.col_major) // unit) * unit
    return instruction if instruction.stride >= least else replace(instruction, stride=least)


def _retyped(program: WaveMatrixProgram, **changes: Matrix) -> WaveMatrixProgram:
    """The program with some matrices declared otherwise."""
    return replace(program, matrices=tuple(changes.get(matrix.name, matrix) for matrix in program.matrices))


def type_in(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """Both operands, so that they still match."""
    elements: tuple[ElementType, ...] = ("s32", "u32", "f64", "s16", "u16")
    element = context.choices.one_of(elements)
    a, b = draft.program.matrix("A"), draft.program.matrix("B")
    return _fitted(draft, _retyped(draft.program, A=replace(a, element=element), B=replace(b, element=element)))


def type_acc(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """An accumulator of elements that none may have."""
    elements: tuple[ElementType, ...] = ("u32", "f64", "s16", "u16", "s8", "u8")
    c = replace(draft.program.matrix("C"), element=context.choices.one_of(elements))
    return _fitted(draft, _retyped(draft.program, C=c))


def dim_enum(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """M or N of all three, so that they still agree."""
    choices = context.choices
    size = choices.one_of((8, 17, 24, 32, 48, 63, 65, 80))
    change = {"m": size} if choices.chance(50) else {"n": size}
    program = draft.program
    return _fitted(draft, _retyped(program, **{m.name: replace(m, **change) for m in program.matrices}))


def mul_use(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
    """Operands swapped, one used twice, or one of another size."""
    program = draft.program
    how = context.choices.one_of(("swapped", "left-twice", "right-twice", "other-size"))
    names = {"swapped": ("B", "A"), "left-twice": ("A", "A"), "right-twice": ("B", "B"), "other-size": ("A", "B")}[how]
    body = tuple(
        replace(i, left=names[0], right=names[1]) if isinstance(i, Multiply | MultiplyAccumulate) else i
        for i in program.body
    )
    if how == "other-size":
        b = program.matrix("B")
        other = next(size for size in DIMENSIONS if size != b.n)
        answer = context.caps.answer(DATATYPES[b.element], b.m, other)
        if answer is None:
            return None
        program = _retyped(program, B=replace(b, n=other, k=answer.k))
    return _fitted(draft, replace(program, body=body))


def mul_type_match(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
    """One operand of another datatype that the device supports in this size."""
    choices = context.choices
    program = draft.program
    which = choices.one_of(("A", "B"))
    old = program.matrix(which)
    datatypes: dict[str, tuple[ElementType, ...]] = {"byte": ("s8", "u8"), "float16": ("f16",), "float": ("f32",)}
    found = [
        replace(old, element=choices.one_of(datatypes[answer.datatype]), k=answer.k)
        for answer in context.caps.support
        if answer.supported and (answer.m, answer.n) == (old.m, old.n) and old.element not in datatypes[answer.datatype]
    ]
    if not found:
        return None
    return _fitted(draft, _retyped(program, **{which: choices.one_of(found)}))


def mul_caps_together(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
    """An accumulator or operands of types that the device has, but not together."""
    program = draft.program
    a, b, c = (program.matrix(name) for name in "ABC")
    elements: tuple[ElementType, ...] = ("f16", "f32", "s32")
    options = [_retyped(program, C=replace(c, element=element)) for element in elements if element != c.element]
    inputs: tuple[ElementType, ...] = ("s8", "u8", "f16", "f32")
    for element in inputs:
        if answer := context.caps.answer(DATATYPES[element], a.m, a.n):
            new = {"element": element, "k": answer.k}
            options.append(_retyped(program, A=replace(a, **new), B=replace(b, **new)))
    tried = [Context(option, context.caps) for option in options]
    broken = [option.program for option in tried if mul_caps(option) and not type_supported(option)]
    return _fitted(draft, context.choices.one_of(broken)) if broken else None


def store_target(draft: Draft) -> Draft:
    """The output bound as a read-only view."""
    return replace_draft(draft, replace(draft.program, read_only=(*draft.program.read_only, "out")))


def _odd_offset(chosen: Chosen) -> Access:
    access = chosen.access
    assert isinstance(access.offset, int)
    return replace(access, offset=access.offset + chosen.choices.integer(1, 3))


def _unaligned_offset(chosen: Chosen) -> Access:
    access = chosen.access
    assert isinstance(access.offset, int)
    return replace(access, offset=access.offset + 4 * chosen.choices.integer(1, access.alignment // 4 - 1))


def _short_stride(chosen: Chosen) -> Access:
    access = chosen.access
    assert isinstance(access.col_major, int)
    unit = max(access.alignment, 4)
    most = (memory_row_bytes(chosen.matrix, access.col_major) - 1) // unit
    return replace(access, stride=unit * chosen.choices.integer(0, most))


def _unaligned_stride(chosen: Chosen) -> Access:
    access = chosen.access
    assert isinstance(access.stride, int)
    return replace(access, stride=access.stride + chosen.choices.one_of((1, 2, 4, access.alignment - 1)))


def _odd_alignment(chosen: Chosen) -> Access:
    """The access with a wrong alignment; offset and stride are multiples of it, so that no other rule is broken."""
    access = chosen.access
    alignment = chosen.choices.one_of((1, 2, 3, 6, 12, 20, 24, 48))
    if alignment <= 2:
        return replace(access, alignment=alignment)
    assert isinstance(access.offset, int)
    assert isinstance(access.stride, int)
    unit = alignment * 4 // _common(alignment, 4)
    offset = -(-(access.offset + chosen.base) // unit) * unit - chosen.base
    return replace(access, alignment=alignment, offset=offset, stride=-(-access.stride // unit) * unit)


def _common(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def _in_access(change: AccessEdit, argument: str = "") -> NearMiss:
    """A near miss of one access; the broken argument is sometimes read at run time."""

    def near_miss(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
        choices = context.choices
        program = draft.program
        accesses = [n for n, instruction in enumerate(program.body) if isinstance(instruction, Access)]
        chosen = choices.one_of(accesses)
        access = program.body[chosen]
        base = next(buffer.base for buffer in program.buffers if buffer.name == access.buffer)
        new = change(Chosen(choices, access, program.matrix(access.matrix), base))
        words: tuple[Word, ...] = ()
        if argument and choices.chance(40):
            words = (Word(ARGUMENTS, 8, getattr(new, argument)),)
            new = replace(new, **{argument: RunTime(ARGUMENTS, 8)})
            program = replace(program, buffers=(*program.buffers, Buffer(ARGUMENTS, 16)))
        body = tuple(new if n == chosen else instruction for n, instruction in enumerate(program.body))
        return _roomy(draft, replace(program, body=body), words)

    return near_miss


def _in_waves(change: NearMiss) -> NearMiss:
    """The near miss with a wave size that suits the matrices that it has then."""

    def near_miss(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
        changed = change(context, draft)
        return None if changed is None else sized(context, changed)

    return near_miss


_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-TYPE-IN": type_in,
        "WM-TYPE-ACC": type_acc,
        "WM-DIM-ENUM": dim_enum,
        "WM-LOAD-OFFSET-DWORD": _in_access(_odd_offset, "offset"),
        "WM-LOAD-STRIDE-MIN": _in_access(_short_stride, "stride"),
        "WM-ALIGN-POW2": _in_access(_odd_alignment),
        "WM-ALIGN-COMBINED": _in_access(_unaligned_offset, "offset"),
        "WM-ALIGN-STRIDE": _in_access(_unaligned_stride, "stride"),
        "WM-STORE-TARGET": drawing_nothing(store_target),
        **ARRAY_NEAR_MISSES,
        **METHOD_NEAR_MISSES,
        "WM-MUL-USE": mul_use,
        "WM-MUL-TYPE-MATCH": mul_type_match,
        "WM-MUL-CAPS": mul_caps_together,
    }
)
NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {clause: each_form(_in_waves, change) for clause, change in _NEAR_MISSES.items()}
)
"""Validity clause -> how to break it."""
