"""The grammar: valid and defined programs in every row, and near misses that break one clause."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import closure, templates_of
from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.nv_coopmat2 import GRAMMAR
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.catalogue import PARTS
from mmaspec.strategies.nv_coopmat2.templates.moving import Part
from tests.case_lists import case_list

from .doubles import WITH_DOUBLES

ROWS = SPEC.rows(WITH_DOUBLES)
DRAWS = 2


def named(part: Row | Template | str) -> str:
    return part if isinstance(part, str) else part.name


def assert_defined(draft: Draft | None, caps: CoopMatCaps = WITH_DOUBLES) -> None:
    assert draft is not None
    program = resolve(draft.program, draft.words)
    assert not SPEC.rejected(program, caps)
    assert not SPEC.undefined(program, caps)
    assert SPEC.sources(program) or not draft.words
    assert draft.batch >= 1


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize(
    ("row", "template"), [(row, template) for row in ROWS for template in templates_of(GRAMMAR, row)], ids=named
)
def test_templates_build_defined_programs(row: Row, template: Template) -> None:
    for draw in range(DRAWS):
        choices = Counted(f"test/{row.name}/{template.name}/{draw}")
        draft = template.build(DrawContext(choices, row, WITH_DOUBLES))
        assert_defined(draft)
        if draw % 2:
            assert_defined(GRAMMAR.frame(DrawContext(choices, row, WITH_DOUBLES), draft))


SMALL_CAPS = replace(WITH_DOUBLES, maximum=32)
"""A device whose granularities leave no second multiple."""


@pytest.mark.parametrize("row", [row for row in SPEC.rows(SMALL_CAPS) if "flexible" in row.tags], ids=named)
def test_no_matrix_is_larger_than_the_maximum(row: Row) -> None:
    for template in templates_of(GRAMMAR, row):
        for draw in range(DRAWS):
            choices = Counted(f"small/{row.name}/{template.name}/{draw}")
            assert_defined(template.build(DrawContext(choices, row, SMALL_CAPS)), SMALL_CAPS)
    for draw in range(2 * DRAWS):
        assert_defined(GRAMMAR.free(DrawContext(Counted(f"small/{row.name}/{draw}"), row, SMALL_CAPS)), SMALL_CAPS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_free_programs_are_defined(row: Row) -> None:
    for draw in range(DRAWS):
        assert_defined(GRAMMAR.free(DrawContext(Counted(f"free/{row.name}/{draw}"), row, WITH_DOUBLES)))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(
    ("row", "clause"),
    [
        (row, clause)
        for row in ROWS
        for clause in sorted(GRAMMAR.near_misses)
        if SPEC.catalogue.applies(clause, row.tags)
    ],
    ids=named,
)
def test_near_misses_break_one_clause(row: Row, clause: str) -> None:
    for draw in range(DRAWS):
        choices = Counted(f"near/{row.name}/{clause}/{draw}")
        context = DrawContext(choices, row, WITH_DOUBLES)
        base = GRAMMAR.near_miss_base(context)
        assert_defined(base)
        broken = GRAMMAR.near_misses[clause](context, base)
        assert broken is not None
        program = resolve(broken.program, broken.words)
        assert SPEC.rejected(program, WITH_DOUBLES) == closure(SPEC.catalogue, clause)


def test_every_validity_clause_has_a_near_miss() -> None:
    clauses = {name for name, clause in SPEC.catalogue.clause.items() if clause.kind == "V" and clause.testable}
    assert clauses == set(GRAMMAR.near_misses)


def test_templates_focus_on_every_other_testable_clause() -> None:
    """But for those of caps, which no program breaks."""
    focus = {clause for template in GRAMMAR.templates for clause in template.focus}
    clauses = {name for name, clause in SPEC.catalogue.clause.items() if clause.kind not in "VC" and clause.testable}
    assert focus == clauses


def test_smoke_list_is_small() -> None:
    """More than half are near misses: one for every form in which a clause can be broken."""
    assert len(case_list("nv-coopmat2", DEFAULT_CAPS, "quick")) <= 900


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__qualname__)
def test_every_part_fits_the_smallest_matrices(part: Part) -> None:
    """Eight by four, where a few rows less leave nothing."""
    row = next(row for row in ROWS if "f64" in row.tags)
    for number in range(8):
        builder = ProgramBuilder(DrawContext(Counted(f"{part.__qualname__}-{number}"), row, WITH_DOUBLES), most_waves=3)
        part(builder)
        assert_defined(builder.draft("distinct"))
