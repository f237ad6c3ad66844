"""Templates build valid and defined programs in every row; near misses break their closure and nothing else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.hlsl_wave_matrix.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS, WaveMmaCaps, WaveMmaSupport
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import closure
from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.hlsl_wave_matrix import GRAMMAR
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import array_bytes
from tests.case_lists import case_list

ROWS = rows(DEFAULT_CAPS)
DRAWS = 3


def assert_sound(draft: Draft) -> None:
    program = resolve(draft.program, draft.words)
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    assert not SPEC.undefined(program, DEFAULT_CAPS)
    assert SPEC.sources(program)
    assert f"[wavesize({program.wave_size})]\n[numthreads({program.waves * program.wave_size}, 1, 1)]\nvoid CSMain" in (
        SPEC.text(draft.program, DEFAULT_CAPS)
    )


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_templates_frames_and_free_programs_are_sound(row: Row) -> None:
    for template in GRAMMAR.templates:
        if template.rows and row.tags.isdisjoint(template.rows):
            continue
        for n in range(DRAWS):
            choices = Counted(f"{row.name}/{template.name}/{n}")
            draft = template.build(DrawContext(choices, row, DEFAULT_CAPS))
            if draft is None:
                # A sample has one shape, a cast needs another type that the device has in this size; large tiles of
                # several waves are more than the memory of a thread group.
                large = "dim-64" in row.tags and template.name == "shared-product"
                assert large or template.name.startswith(("sample", "cast"))
                continue
            assert_sound(draft)
            assert_sound(GRAMMAR.frame(DrawContext(choices, row, DEFAULT_CAPS), draft))
    for n in range(4 * DRAWS):
        assert_sound(GRAMMAR.free(DrawContext(Counted(f"{row.name}/free/{n}"), row, DEFAULT_CAPS)))


SOMETIMES = [template for template in GRAMMAR.templates if template.name.startswith(("sample", "cast"))]


@pytest.mark.parametrize("template", SOMETIMES, ids=lambda template: template.name)
def test_what_some_rows_lack_is_built_in_others(template: Template) -> None:
    fitting = [row for row in ROWS if not template.rows or not row.tags.isdisjoint(template.rows)]
    assert any(template.build(DrawContext(Counted(row.name), row, DEFAULT_CAPS)) for row in fitting)


@pytest.mark.exhaustive(every=2)
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


def test_arrays_fit_into_the_memory_of_a_thread_group() -> None:
    """Direct3D gives a thread group 32768 bytes: a device refuses what needs more."""
    deep = WaveMmaCaps(tuple(replace(row, k=128) for row in DEFAULT_CAPS.support), (32, 64))
    for caps in (DEFAULT_CAPS, deep):
        for recipe in case_list(SPEC.name, caps, "quick"):
            if not recipe.target:
                assert sum(array_bytes(array) for array in recipe.program.arrays) <= 32768


def test_a_row_that_takes_any_wave_is_drawn_in_all_of_them() -> None:
    """RequiredWaveSize 0: the sizes of the device's range, over the list."""
    caps = WaveMmaCaps((WaveMmaSupport("byte", 16, 16, required_wave_size=0),), (8, 64))
    recipes = case_list(SPEC.name, caps, "quick")
    # 0 leaves it to the device.
    assert {recipe.program.wave_size for recipe in recipes if not recipe.target} - {0} == {8, 16, 32, 64}
    assert {recipe.program.wave_size for recipe in recipes if recipe.target} == {8, 16, 32, 64}
