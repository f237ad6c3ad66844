"""Changes of a valid kernel that break one clause: names of builtins, arguments, flags."""

from __future__ import annotations

from typing import Any, Literal

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.program import (
    Affine,
    Buffer,
    FromBuffer,
    Instruction,
    Load,
    Repeat,
    Store,
    Wmma,
    WmmaProgram,
)
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.amd_rdna3_wmma.templates import operands
from mmaspec.strategies.grammar import Draft, DrawContext

Where = Literal["", "in a loop", "second call"]
"""The call that is wrong: the only one, that one in a loop, or a second one alone."""


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


def _with(draft: Draft, program: WmmaProgram) -> Draft:
    return Draft(fitted(program), draft.regime, draft.batch, draft.words)


def _called(draft: Draft, where: Where, **changes: Any) -> Draft:
    """The call changed where it stands, alone in a loop, or in a second one that follows it."""
    program: WmmaProgram = draft.program
    number = next(n for n, step in enumerate(program.body) if isinstance(step, Wmma))
    call = program.body[number]
    assert isinstance(call, Wmma)
    new = replace(call, **changes)
    steps: dict[Where, tuple[Instruction, ...]] = {
        "": (new,),
        "in a loop": (Repeat(2, (new,)),),
        "second call": (call, new),
    }
    body = (*program.body[:number], *steps[where], *program.body[number + 1 :])
    return _with(draft, replace(program, body=body))


def named(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, str, str, str]) -> Draft:
    """A builtin that does not exist: another format of C and D, size, format of A and B, or wave size."""
    where, *parts = wrong
    form: Form = context.row.entry
    results, operands, wave = form
    own = (results, "16x16x16", operands)
    name = [part or usual for part, usual in zip(parts, own, strict=True)]
    return _called(draft, where, builtin="_".join((*name, wave)))


def of_waves(context: DrawContext[Caps], draft: Draft, wave: str) -> Draft:
    """A builtin for waves of a size that there is not."""
    form: Form = context.row.entry
    return _called(draft, "", builtin=f"{form[0]}_16x16x16_{form[1]}_{wave}")


def wave_size(_: DrawContext[Caps], draft: Draft, __: str) -> Draft:
    """The kernel compiled for the mode that its builtin does not say."""
    program: WmmaProgram = draft.program
    return _with(draft, replace(program, wave_size=32 if program.wave_size == 64 else 64))


def has_both(row: Row[Any], caps: Any) -> bool:
    """Whether the device has the row's builtin for the other wave size too."""
    form: Form = row.entry
    names = (f"{form[0]}_16x16x16_{form[1]}_{wave}" for wave in ("w32", "w64"))
    return all(name in caps.in_reach for name in names)


def other_call(context: DrawContext[Caps], draft: Draft, where: Where) -> Draft:
    """A second call, of the builtin for the other wave size, with fragments as it takes them."""
    form: Form = context.row.entry
    results, operands, wave = form
    program: WmmaProgram = draft.program
    count = 4 if wave == "w32" else 8
    fragments = tuple(replace(program.fragment("c"), name=name, count=count, fill=0) for name in ("c2", "d2"))
    grown = _with(draft, replace(program, fragments=(*program.fragments, *fragments)))
    builtin = f"{results}_16x16x16_{operands}_{'w64' if wave == 'w32' else 'w32'}"
    second = _called(grown, "second call", builtin=builtin, c="c2", d="d2")
    if where == "second call":
        return second
    body = tuple(
        Repeat(2, (step,)) if isinstance(step, Wmma) and step.d == "d2" else step for step in second.program.body
    )
    return _with(second, replace(second.program, body=body))


def flag(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, tuple[str, ...]]) -> Draft:
    """Flags where there are none, or some missing."""
    where, names = wrong
    value = None if "int" in context.row.tags else context.choices.chance(50)
    return _called(draft, where, **dict.fromkeys(names, value))


def vector(_: DrawContext[Caps], draft: Draft, wrong: tuple[str, str]) -> Draft:
    """An argument of another length, or of another element type."""
    name, how = wrong
    program: WmmaProgram = draft.program
    own = program.fragment(name)
    ways: dict[str, dict[str, Any]] = {
        "shorter": {"count": own.count // 2},
        "longer": {"count": own.count * 2},
        "of another kind": {"element": {"half": "short", "int": "float", "float": "int"}[own.element]},
        "of another width": {"element": {"half": "float", "int": "short", "float": "half"}[own.element]},
    }
    fragments = tuple(replace(f, **ways[how]) if f.name == name else f for f in program.fragments)
    return _with(draft, replace(program, fragments=fragments))


def opsel(_: DrawContext[Caps], draft: Draft, wrong: tuple[Where, bool]) -> Draft:
    """An OPSEL argument."""
    where, value = wrong
    return _called(draft, where, opsel=value)


def immediate(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, tuple[str, ...]]) -> Draft:
    """Flags that are loaded at run time."""
    where, names = wrong
    loaded = {name: FromBuffer("flags", 4 * context.choices.integer(0, 3)) for name in names}
    changed = _called(draft, where, **loaded)
    return _with(draft, replace(changed.program, buffers=(*changed.program.buffers, Buffer("flags", 16))))
