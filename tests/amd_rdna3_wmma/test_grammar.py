"""Templates, frames and free programs are valid and defined in every row; near misses break one clause."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma import FORMS, INSTRUCTIONS, VWmma, Wmma
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.tree import walk
from mmaspec.strategies.amd_rdna3_wmma import GRAMMAR
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import closure, templates_of
from mmaspec.strategies.grammar import Draft, DrawContext

CAPS = {row.name: caps for caps in SPEC.devices for row in SPEC.rows(caps)}
"""Row -> the caps of the device that has it."""
ROWS = [row for caps in SPEC.devices for row in SPEC.rows(caps)]
DRAWS = 12


def fine(draft: Draft, caps: Caps) -> None:
    program = resolve(draft.program, draft.words)
    assert not SPEC.rejected(program, caps)
    assert not SPEC.undefined(program, caps)
    SPEC.sources(program)
    assert SPEC.text(draft.program, caps)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_everything_drawn_is_valid_and_defined(row: Row, one_in: Callable[[int], int]) -> None:
    caps = CAPS[row.name]
    draws = DRAWS // one_in(4)
    for template in templates_of(GRAMMAR, row):
        for n in range(draws):
            draw = Counted(f"{row.name}/{template.name}/{n}")
            draft = template.build(DrawContext(draw, row, caps))
            assert draft is not None
            fine(draft, caps)
            fine(GRAMMAR.frame(DrawContext(draw, row, caps), draft), caps)
    for n in range(4 * draws):
        fine(GRAMMAR.free(DrawContext(Counted(f"{row.name}/free/{n}"), row, caps)), caps)


BROKEN = [(row, clause) for clause in GRAMMAR.near_misses for row in ROWS if SPEC.catalogue.applies(clause, row.tags)]


def test_every_near_miss_has_a_row() -> None:
    assert {clause for _, clause in BROKEN} == set(GRAMMAR.near_misses)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize(("row", "clause"), BROKEN, ids=[f"{row.name}-{clause}" for row, clause in BROKEN])
def test_a_near_miss_breaks_its_clause_alone(row: Row, clause: str) -> None:
    caps = CAPS[row.name]
    for n in range(DRAWS):
        context = DrawContext(Counted(f"{row.name}/{clause}/{n}"), row, caps)
        draft = GRAMMAR.near_misses[clause](context, GRAMMAR.near_miss_base(context))
        assert draft is not None
        assert SPEC.rejected(draft.program, caps) == closure(SPEC.catalogue, clause)


def test_templates_name_clauses_that_exist() -> None:
    focused = {clause for template in GRAMMAR.templates for clause in template.focus}
    testable = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    assert focused <= testable
    assert focused | set(GRAMMAR.near_misses) == testable


def test_the_smoke_list_is_within_its_budget_and_asymmetric(smoke) -> None:  # type: ignore[no-untyped-def]
    builtins = sum(not case.row.startswith("v_") for case, _ in smoke)
    assert builtins <= 610
    assert len(smoke) - builtins <= 450
    for case, expected in smoke:
        assert isinstance(expected.first, Rejected if case.target else Defined)
    offset = [case for case, _ in smoke if '"block"' in encode_case(case).decode()]
    assert len(offset) > 0.9 * sum(not case.target for case, _ in smoke)


def test_every_builtin_and_every_instruction_is_in_the_lists(smoke) -> None:  # type: ignore[no-untyped-def]
    """Those of a compiler's device, and those of one below."""
    called = set()
    for case, _ in smoke:
        steps = [] if case.target else [step for _, step, _ in walk(case.program)]
        called |= {step.builtin for step in steps if isinstance(step, Wmma)}
        called |= {f"{step.opcode}_w{case.program.wave_size}" for step in steps if isinstance(step, VWmma)}
    assert called == {*FORMS, *INSTRUCTIONS}


def test_cases_survive_their_files(smoke) -> None:  # type: ignore[no-untyped-def]
    for case, _ in smoke[::9]:
        again = decode_case(encode_case(case), "case")
        assert again.program == case.program
        assert encode_case(again) == encode_case(case)
