"""Near misses break their clause, what it entails, and nothing else; the device refuses them for the same reasons."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.variants import WITHOUT_FP8
from mmaspec.oracle.hlsl_linalg.scopes import METHODS, SCOPES
from mmaspec.oracle.hlsl_linalg.validity import rejected
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.program_facts import resolve
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import DEFAULT_CAPS, SOURCE_CAPS, TIER_1, LinalgCaps
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    Barrier,
    ConvertLayout,
    InterlockedAccumulate,
    Load,
    MultiplyVector,
    Simple,
    Stage,
    Store,
    Unstage,
    VectorLoad,
    VectorStore,
    simple_instructions,
)
from mmaspec.programs.hlsl_linalg.removed import Operator, UnaryOperation
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import closure
from mmaspec.strategies.grammar import Draft, forms_of
from mmaspec.strategies.hlsl_linalg import GRAMMAR
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.drawing import breaches, context, device, rows

DEVICES = {"default": DEFAULT_CAPS, "tier-1": TIER_1, "without-fp8": WITHOUT_FP8, "source": SOURCE_CAPS}
RANDOM = 3


def refused(draft: Draft, caps: LinalgCaps) -> frozenset[str]:
    """The clauses that the device names."""
    memory = Memory(draft.program.buffers, 1)
    for word in draft.words:
        bits = np.full((1, 1), word.value, np.uint64)
        memory.place(word.buffer, np.array([word.offset]), bits, FORMATS["u32"])
    return frozenset(device(caps).broken(Submitted(draft.program, memory.initial())))


def test_there_is_a_near_miss_for_every_validity_clause() -> None:
    wanted = {name for name, clause in catalogue().clause.items() if clause.kind == "V" and clause.testable}
    assert set(GRAMMAR.near_misses) == wanted


@pytest.mark.parametrize("name", DEVICES)
def test_what_near_misses_start_from_is_sound(name: str, times: int) -> None:
    for row in rows(DEVICES[name]):
        for n in range(3 * times):
            draft = GRAMMAR.near_miss_base(context(DEVICES[name], row, "base", n))
            assert not breaches(draft, DEVICES[name]), (row.name, n)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("clause", GRAMMAR.near_misses)
def test_a_near_miss_breaks_its_closure(clause: str, times: int) -> None:
    wanted, made = closure(catalogue(), clause), set()
    forms = forms_of(GRAMMAR.near_misses[clause])
    for caps in DEVICES.values():
        applying = [row for row in rows(caps) if catalogue().applies(clause, row.tags)]
        for number, form in enumerate(forms):
            having = [row for row in applying if form.fits(row, caps)]
            for n in range(min(times + 1, len(having))):
                row = having[(number + n) % len(having)]
                key = (row.name, form.name, n)
                own = context(caps, row, clause, *key)
                draft = form.change(own, GRAMMAR.near_miss_base(own))
                if draft is None:
                    continue
                made.add(form.name)
                assert rejected(resolve(draft.program, draft.words), caps) == wanted, key
                assert refused(draft, caps) == wanted, key
    # A K below 4 is a multiple of what these devices can construct in no type.
    assert {form.name for form in forms} - made <= {"K 3 of A"}


def kind_of(instruction: Simple) -> str:
    """An instruction, with what the texts tell apart in it."""
    told = getattr(instruction, "op", "") or getattr(instruction, "transpose", "") or getattr(instruction, "target", "")
    if isinstance(instruction, MultiplyVector):
        told = type(instruction.bias).__name__
    return f"{type(instruction).__name__} {told or ''}".strip()


ONE_TEXT = {
    "default": {
        *(f"Operate {op}" for op in get_args(Operator)),
        *(f"Unary {op}" for op in get_args(UnaryOperation)),
        *("SumAccumulate", "FromThreadVectors", "GetThreadVector"),
    },
    "source": {
        *("Accumulate", "CountElements", "ReadElements", "WriteElements", "Beyond", "Convert", "VectorAccumulate"),
        *("Cast True", "MultiplyVector MemoryBias"),
    },
}
"""Caps of one text -> what the other one alone has."""


def test_what_one_text_alone_has_are_the_lines_of_its_table() -> None:
    """Nothing is forgotten above: what no line of a table has, and what the older text lacks without a line."""
    every = set(get_args(Simple))
    commands = {Stage, Unstage, ConvertLayout, Barrier, AccumulatorLayout, VectorLoad, VectorStore}
    for name, caps in (("default", DEFAULT_CAPS), ("source", SOURCE_CAPS)):
        table = set(SCOPES[caps.revision])
        lacking = {one for one, lines in METHODS.items() if not table & set(lines)}
        tabled = {*METHODS, Load, Store, InterlockedAccumulate, MultiplyVector}
        untabled = every - tabled - commands if name == "source" else set()
        assert {one.__name__ for one in lacking | untabled} == {
            one.split()[0] for one in ONE_TEXT[name] if one.split()[0] not in ("Cast", "MultiplyVector")
        }


@pytest.mark.parametrize("name", ONE_TEXT)
def test_what_one_text_alone_has_is_refused_by_devices_of_the_other(name: str) -> None:
    caps = DEVICES[name]
    broken = set()
    for form in forms_of(GRAMMAR.near_misses["LINALG-SCOPE-TABLE"]):
        for row in rows(caps):
            if form.fits(row, caps):
                own = context(caps, row, "LINALG-SCOPE-TABLE", form.name)
                base = GRAMMAR.near_miss_base(own)
                draft = form.change(own, base)
                assert draft is not None
                assert rejected(resolve(draft.program, draft.words), caps) == {"LINALG-SCOPE-TABLE"}
                before = {id(one) for one, _ in simple_instructions(base.program)}
                broken |= {kind_of(one) for one, _ in simple_instructions(draft.program) if id(one) not in before}
                break
    assert ONE_TEXT[name] <= broken


@pytest.mark.parametrize("seed", range(RANDOM))
def test_near_misses_for_devices_of_every_kind(seed: int, times: int) -> None:
    for n in range(times):
        assert GRAMMAR.random_caps is not None
        caps = GRAMMAR.random_caps(Counted(f"caps {seed} {n}"))
        for clause, near_miss in GRAMMAR.near_misses.items():
            applying = [row for row in rows(caps) if catalogue().applies(clause, row.tags)]
            for number, form in enumerate(forms_of(near_miss)):
                having = [row for row in applying if form.fits(row, caps)]
                if not having:
                    continue
                row = having[number % len(having)]
                own = context(caps, row, clause, form.name)
                draft = form.change(own, GRAMMAR.near_miss_base(own))
                if draft is not None:
                    found = rejected(resolve(draft.program, draft.words), caps)
                    assert found == closure(catalogue(), clause), (row.name, form.name)
