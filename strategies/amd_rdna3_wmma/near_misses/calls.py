"""Changes of a valid kernel that break one clause: names of builtins, arguments, flags."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, FromBuffer, Repeat, Wmma, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.near_misses import Where, called, with_fragments, with_program
from mmaspec.strategies.register_kernels.near_misses import near_miss_base as of_builder


def near_miss_base(context: DrawContext[Caps]) -> Draft:
    """A plain product of RDNA3 with nothing at run time, one item."""
    return of_builder(ProgramBuilder, context)


def _called(draft: Draft, where: Where, **changes: Any) -> Draft:
    return called(draft, Repeat, where, **changes)


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
    return with_program(draft, replace(program, wave_size=32 if program.wave_size == 64 else 64))


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
    grown = with_program(draft, replace(program, fragments=(*program.fragments, *fragments)))
    builtin = f"{results}_16x16x16_{operands}_{'w64' if wave == 'w32' else 'w32'}"
    second = _called(grown, "second call", builtin=builtin, c="c2", d="d2")
    if where == "second call":
        return second
    body = tuple(
        Repeat(2, (step,)) if isinstance(step, Wmma) and step.d == "d2" else step for step in second.program.body
    )
    return with_program(second, replace(second.program, body=body))


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
    return with_fragments(draft, lambda each: replace(each, **ways[how]), (name,))


def opsel(_: DrawContext[Caps], draft: Draft, wrong: tuple[Where, bool]) -> Draft:
    """An OPSEL argument."""
    where, value = wrong
    return _called(draft, where, opsel=value)


def immediate(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, tuple[str, ...]]) -> Draft:
    """Flags that are loaded at run time."""
    where, names = wrong
    loaded = {name: FromBuffer("flags", 4 * context.choices.integer(0, 3)) for name in names}
    changed = _called(draft, where, **loaded)
    return with_program(draft, replace(changed.program, buffers=(*changed.program.buffers, Buffer("flags", 16))))
