"""Changes of a valid kernel that break one clause: names of builtins, arguments, flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, FromBuffer, Load, Repeat, Wmma, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import SLOTS
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder, vector_of
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.near_misses import Where, called, with_fragments, with_program
from mmaspec.strategies.register_kernels.near_misses import near_miss_base as of_builder

Possible = Callable[[Row[Any], Any], bool]
"""Whether a row, of caps, leaves something to break."""

OTHER_WIDTH = {"half": "float", "short": "int", "int": "short", "float": "half"}
"""Element of a vector -> one of another width. A vector as large as the right one some compilers convert."""


def near_miss_base(context: DrawContext[Caps]) -> Draft:
    """A plain product of RDNA3 with nothing at run time, one item."""
    return of_builder(ProgramBuilder, context)


def _called(draft: Draft, where: Where, **changes: Any) -> Draft:
    return called(draft, Repeat, where, **changes)


def named(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, str, str, str]) -> Draft:
    """A builtin that does not exist: another format of C and D, size, format of A and B, or wave size."""
    where, *parts = wrong
    form: Form = context.row.entry
    own = (form.result, "16x16x16", form.operands)
    name = [part or usual for part, usual in zip(parts, own, strict=True)]
    return _called(draft, where, builtin="_".join((*name, *_ending(form, form.wave))))


def tied(context: DrawContext[Caps], draft: Draft, where: Where) -> Draft:
    """The tied form of a builtin that has none."""
    form: Form = context.row.entry
    return _called(draft, where, builtin=form._replace(tied=True).name)


def of_waves(context: DrawContext[Caps], draft: Draft, wave: str) -> Draft:
    """A builtin for waves of a size that there is not."""
    form: Form = context.row.entry
    return _called(draft, "", builtin=_for_waves(form, wave))


def _ending(form: Form, wave: str) -> tuple[str, ...]:
    """The last words of a builtin's name."""
    return ("tied", wave) if form.tied else (wave,)


def _for_waves(form: Form, wave: str) -> str:
    """The form's builtin for waves of another size."""
    return "_".join((form.result, "16x16x16", form.operands, *_ending(form, wave)))


def wave_size(_: DrawContext[Caps], draft: Draft, __: str) -> Draft:
    """The kernel compiled for the mode that its builtin does not say."""
    program: WmmaProgram = draft.program
    return with_program(draft, replace(program, wave_size=32 if program.wave_size == 64 else 64))


def has_both(row: Row[Any], caps: Any) -> bool:
    """Whether the device has the row's builtin for the other wave size too."""
    form: Form = row.entry
    return all(_for_waves(form, wave) in caps.in_reach for wave in ("w32", "w64"))


def other_call(context: DrawContext[Caps], draft: Draft, where: Where) -> Draft:
    """A second call, of the builtin for the other wave size, with fragments as it takes them."""
    form: Form = context.row.entry
    program: WmmaProgram = draft.program
    other = "w64" if form.wave == "w32" else "w32"
    _, count = vector_of(form._replace(wave=other), "cd")
    fragments = tuple(replace(program.fragment("c"), name=name, count=count, fill=0) for name in ("c2", "d2"))
    grown = with_program(draft, replace(program, fragments=(*program.fragments, *fragments)))
    second = _called(grown, "second call", builtin=_for_waves(form, other), c="c2", d="d2")
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
        "of another width": {"element": OTHER_WIDTH[own.element]},
    }
    changed = with_fragments(draft, lambda each: replace(each, **ways[how]), (name,))
    return _without_second_matrix(changed, name)


def _without_second_matrix(draft: Draft, name: str) -> Draft:
    """The draft in which loads of a fragment that does not hold two matrices name no second one."""
    program: WmmaProgram = draft.program
    if program.fragment(name).halves:
        return draft
    body = tuple(
        replace(step, high=None) if isinstance(step, Load) and step.into == name else step for step in program.body
    )
    return with_program(draft, replace(program, body=body))


def slots_left(name: str, how: str) -> Possible:
    """Whether there is a vector type so much shorter or longer than that of the row's builtin."""

    def possible(row: Row[Any], _: object) -> bool:
        _element, count = vector_of(row.entry, "cd" if name in "cd" else "a")
        return {"shorter": count // 2, "longer": count * 2}.get(how, count) in SLOTS

    return possible


def opsel(_: DrawContext[Caps], draft: Draft, wrong: tuple[Where, bool | None]) -> Draft:
    """An OPSEL argument, or none."""
    where, value = wrong
    return _called(draft, where, opsel=value)


def modifier(_: DrawContext[Caps], draft: Draft, wrong: tuple[Where, dict[str, Any]]) -> Draft:
    """Modifiers of an instruction."""
    where, changes = wrong
    return _called(draft, where, **changes)


def immediate(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, tuple[str, ...]]) -> Draft:
    """Flags that are loaded at run time."""
    where, names = wrong
    loaded = {name: FromBuffer("flags", 4 * context.choices.integer(0, 3)) for name in names}
    changed = _called(draft, where, **loaded)
    return with_program(draft, replace(changed.program, buffers=(*changed.program.buffers, Buffer("flags", 16))))
