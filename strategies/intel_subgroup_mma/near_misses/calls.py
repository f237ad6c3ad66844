"""Changes of a valid kernel that break one clause: the names of functions, and the vectors of their arguments."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma.rule_context import converted, meant
from mmaspec.programs.intel_subgroup_mma.caps import Caps, Form
from mmaspec.programs.intel_subgroup_mma.program import (
    Component,
    ElementFormat,
    Fragment,
    Mad,
    MadProgram,
    Repeat,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.intel_subgroup_mma.builder import ProgramBuilder
from mmaspec.strategies.register_kernels.near_misses import Where, called, with_fragments, with_program
from mmaspec.strategies.register_kernels.near_misses import near_miss_base as of_builder

near_miss_base = partial(of_builder, ProgramBuilder)
"""A plain product of any number of rows."""

HELD: dict[Component, ElementFormat] = {
    "int": "s32", "uint": "s32", "float": "f32", "half": "f16", "short": "bf16", "ushort": "bf16",
}  # fmt: skip
"""What an accumulator of other components holds, so that it is one."""


class Vectors(NamedTuple):
    """Arguments, or result, whose vectors are others."""

    names: str
    """Letters out of ``abcd``."""
    component: Component | None = None
    """Their components; None: as the function takes them."""
    components: int = 0
    """How many there are; 0: as many as rows, or words of B."""
    times: int = 0
    """So many times as many; -1: half of them."""
    where: Where = ""
    """The call that is wrong; one elsewhere than the valid one has fragments of its own for what is wrong."""
    zeros: bool = False
    """Whether the call has zeros for an addend."""


def named(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, str, str, str]) -> Draft:
    """A function that does not exist: another element of A, of B, or another K; what is empty is the row's."""
    where, *parts = wrong
    form: Form = context.row.entry
    a, b, k = (part or usual for part, usual in zip(parts, (form.a, form.b, str(form.k)), strict=True))
    return spelled(context, draft, (where, f"{a}_{b}_matrix_mad_k{k}"))


def spelled(context: DrawContext[Caps], draft: Draft, wrong: tuple[Where, str]) -> Draft:
    """A function of a given name; ``{a}``, ``{b}`` and ``{k}`` in it are the row's."""
    where, name = wrong
    form: Form = context.row.entry
    return called(draft, Repeat, where, function=name.format(a=form.a, b=form.b, k=form.k))


def vectors(_: DrawContext[Caps], draft: Draft, wrong: Vectors) -> Draft | None:
    """Arguments or a result of other vectors; None where that is no change, or one that the language makes good."""
    own = {name: draft.program.fragment(name) for name in "abcd"}
    if wrong.components == 1 and own["a"].count == 2:
        return None  # half of the rows, which is another form
    changed = {name: _changed(own[name], wrong) for name in wrong.names}
    if not all(1 <= new.count <= 16 and new != own[name] for name, new in changed.items()):
        return None
    if not wrong.where:
        found = with_fragments(draft, lambda each: changed[each.name], changed)
        made = called(found, Repeat, "", c=None) if wrong.zeros else found
    else:
        more = tuple(replace(new, name=f"{name}_wrong", fill=0) for name, new in changed.items())
        grown = with_program(draft, replace(draft.program, fragments=(*draft.program.fragments, *more)))
        made = called(grown, Repeat, wrong.where, **{name: f"{name}_wrong" for name in changed})
    return None if _made_good(made.program) else made


def _made_good(program: MadProgram) -> bool:
    """Whether every call fits a function: as it is, or as the language converts scalars."""
    calls = [step for _, step, _ in walk(program) if isinstance(step, Mad)]
    return all(meant(program, call) or converted(program, call) for call in calls)


def _changed(fragment: Fragment, wrong: Vectors) -> Any:
    count = wrong.components or fragment.count
    if wrong.times:
        count = fragment.count // 2 if wrong.times < 0 else fragment.count * wrong.times
    component = wrong.component or fragment.component
    holds = fragment.holds
    if fragment.use == "cd" and component != fragment.component:
        holds = HELD[component]
    return replace(fragment, component=component, count=count, holds=holds)
