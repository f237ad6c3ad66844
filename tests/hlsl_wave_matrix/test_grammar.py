"""Templates build valid and defined programs in every row; near misses break their closure and nothing else."""

from __future__ import annotations

import pytest

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.hlsl_wave_matrix.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import closure
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix import GRAMMAR

ROWS = rows(DEFAULT_CAPS)
DRAWS = 3


def assert_sound(draft: Draft) -> None:
    program = resolve(draft.program, draft.words)
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    assert not SPEC.undefined(program, DEFAULT_CAPS)
    assert SPEC.sources(program)
    assert "void CSMain" in SPEC.text(draft.program, DEFAULT_CAPS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_templates_frames_and_free_programs_are_sound(row: Row) -> None:
    for template in GRAMMAR.templates:
        if template.rows and row.tags.isdisjoint(template.rows):
            continue
        for n in range(DRAWS):
            choices = Counted(f"{row.name}/{template.name}/{n}")
            draft = template.build(DrawContext(choices, row, DEFAULT_CAPS))
            if draft is None:
                # A sample has one shape, a cast needs another type that the device has in this size.
                assert template.name.startswith(("sample", "cast"))
                continue
            assert_sound(draft)
            assert_sound(GRAMMAR.frame(DrawContext(choices, row, DEFAULT_CAPS), draft))
    for n in range(4 * DRAWS):
        assert_sound(GRAMMAR.free(DrawContext(Counted(f"{row.name}/free/{n}"), row, DEFAULT_CAPS)))


@pytest.mark.parametrize("clause", GRAMMAR.near_misses)
def test_a_near_miss_breaks_its_closure(clause: str) -> None:
    wanted = closure(SPEC.catalogue, clause)
    for row in ROWS:
        made = 0
        for n in range(2 * DRAWS):
            choices = Counted(f"{row.name}/{clause}/{n}")
            context = DrawContext(choices, row, DEFAULT_CAPS)
            base = GRAMMAR.near_miss_base(context)
            assert_sound(base)
            draft = GRAMMAR.near_misses[clause](context, base)
            if draft is None:
                continue
            made += 1
            program = resolve(draft.program, draft.words)
            assert SPEC.rejected(program, DEFAULT_CAPS) == wanted
            assert "WM-BOUNDS" not in SPEC.undefined(program, DEFAULT_CAPS)
        assert made


def test_there_is_a_near_miss_for_every_validity_clause() -> None:
    wanted = {name for name, clause in SPEC.catalogue.clause.items() if clause.kind == "V" and clause.testable}
    assert set(GRAMMAR.near_misses) == wanted
