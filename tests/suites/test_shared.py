"""What failing cases share: found in programs of every specification, exactly, and never where it is not so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import pytest

from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.amd_rdna3_wmma.program import Fragment
from mmaspec.programs.base import Buffer, RunTime
from mmaspec.programs.tree import walk
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.score.matrix import listed
from mmaspec.suites.verdict.attributes import Attribute, Context, attributes, of_field
from mmaspec.suites.verdict.chance import Holders
from mmaspec.suites.verdict.features import LISTED, Features, features
from mmaspec.suites.verdict.shared import shared as shared_of

RDNA3, WM, NV = "amd-rdna3-wmma", "hlsl-wave-matrix", "nv-coopmat2"
Fails = Callable[[Recipe], bool]
EVERY = (1, 2, 3)


def shared(
    failing: Sequence[Features],
    passing: Sequence[Features],
    sizes: Sequence[int] = EVERY,
    smallest: Features | None = None,
) -> str:
    """What is shared, though it be chance."""
    first, holders = len(failing), Holders([*failing, *passing])
    return shared_of(holders, range(first), range(first, first + len(passing)), sizes, smallest)


@pytest.fixture(scope="module")
def told() -> Callable[[str], dict[str, tuple[Recipe, Features]]]:
    """Specification -> the valid smoke cases with their features."""
    known: dict[str, dict[str, tuple[Recipe, Features]]] = {}

    def of(name: str) -> dict[str, tuple[Recipe, Features]]:
        if name not in known:
            spec = spec_named(name)
            rows = {row.name: row for row in spec.rows(spec.default_caps)}
            recipes = [recipe for recipe in listed(spec, "quick") if not recipe.target]
            known[name] = {recipe.id: (recipe, features(recipe, rows[recipe.row])) for recipe in recipes}
        return known[name]

    return of


def instructions(recipe: Recipe) -> list[Any]:
    return [instruction for _, instruction, _ in walk(recipe.program)]


def is_a(tag: str, instruction: Any) -> bool:
    return bool(type(instruction).__struct_config__.tag == tag)


def clamps(recipe: Recipe) -> bool:
    return any(is_a("wmma", one) and one.clamp is True for one in instructions(recipe))


def clamps_signed(recipe: Recipe) -> bool:
    return any(is_a("wmma", one) and one.clamp is True and one.a_sign is True for one in instructions(recipe))


def right_by_column_with_a_loaded_stride(recipe: Recipe) -> bool:
    kinds = {matrix.name: matrix.kind for matrix in recipe.program.matrices}  # type: ignore[attr-defined]
    return any(
        is_a("load", one) and kinds[one.matrix] == "right" and one.col_major == 1 and isinstance(one.stride, RunTime)
        for one in instructions(recipe)
    )


def sums_in_waves(recipe: Recipe) -> bool:
    return recipe.program.waves > 1 and any(is_a("sum-accumulate", one) for one in instructions(recipe))


def loads_fragments_from_arrays(recipe: Recipe) -> bool:
    program: Any = recipe.program
    fragments = {matrix.name for matrix in program.matrices if matrix.is_fragment}
    arrays = {array.name for array in program.arrays}
    return any(is_a("load", one) and one.matrix in fragments and one.buffer in arrays for one in instructions(recipe))


def reduces(recipe: Recipe) -> bool:
    return any(is_a("reduce", one) for one in instructions(recipe))


@pytest.mark.parametrize(
    ("spec", "fails", "common"),
    [
        (RDNA3, clamps, "a wmma with clamp = true"),
        (RDNA3, clamps_signed, "a wmma with a_sign = true and clamp = true"),
        (WM, sums_in_waves, "more than one wave and a sum-accumulate"),
        (
            WM,
            right_by_column_with_a_loaded_stride,
            "a load with stride read at run time and matrix.kind = right and a literal col_major of 1",
        ),
        (WM, loads_fragments_from_arrays, "a load with buffer shared array and matrix.fragment = true"),
        (NV, reduces, "a reduce"),
    ],
)
def test_a_defect_is_told_by_what_its_cases_share(told: Any, spec: str, fails: Fails, common: str) -> None:
    cases = told(spec).values()
    failing = [found for recipe, found in cases if fails(recipe)]
    passing = [found for recipe, found in cases if not fails(recipe)]
    assert shared(failing, passing) == f"all {len(failing)} have {common}; 0 of {len(passing)} others"


@pytest.mark.parametrize("spec", SPECS)
def test_cases_that_fail_by_chance_share_nothing(told: Any, spec: str) -> None:
    found = [case for _, case in told(spec).values()]
    chosen = set(Random(7).sample(range(len(found)), 12))  # noqa: S311 - the same cases every time
    failing = [case for number, case in enumerate(found) if number in chosen]
    assert not shared(failing, [case for number, case in enumerate(found) if number not in chosen])


@pytest.mark.parametrize("spec", SPECS)
def test_every_field_of_an_instruction_is_said(told: Any, spec: str) -> None:
    """But for what only names something, and for what depends on the wave."""
    for recipe, found in told(spec).values():
        kinds = {called for called, _ in found.parts}
        assert {type(one).__struct_config__.tag for one in instructions(recipe)} <= kinds
        assert all(said for called, said in found.parts if called != "barrier")


def made(*facts: str, parts: Sequence[tuple[str, ...]] = (), **amounts: int) -> Features:
    """A case in which these things are true; each part is what it is called, and what is true of it."""
    whole = frozenset((called, frozenset(Attribute(1, text) for text in said)) for called, *said in parts)
    numbers = {f"{{}} {name}": number for name, number in amounts.items()}
    return Features(frozenset(Attribute(1, text) for text in facts), whole, numbers)


def test_the_smallest_conjunction_is_told() -> None:
    failing = [made("a", "b", "c"), made("a", "b", "c", "d")]
    assert shared(failing, [made("a", "b")]) == "all 2 have c; 0 of 1 others"
    assert shared(failing, [made("a", "b"), made("c")]) == "all 2 have a and c; 0 of 2 others"


def test_a_word_names_nothing_that_is_declared() -> None:
    """A fragment that is called like a use is no fragment's use."""
    fragment = Fragment("a", "a", "half", 16)
    told = {one.text for one in attributes(fragment, Context({"a": fragment}, {}))}
    assert "use = a" in told
    assert not any(text.startswith("use ") and text != "use = a" for text in told)


def test_where_the_windows_of_a_buffer_lie_says_nothing_of_a_program() -> None:
    some = [Buffer("a", 1 << 20, windows=windows) for windows in ((), ((0, 64), (4096, 64)))]
    dense, sparse = ({one.text for one in attributes(buffer, Context({}, {}))} for buffer in some)
    assert dense == sparse


@pytest.mark.parametrize("values", [(1, True), (True, 1), (0, False), (False, 0)])
def test_a_number_is_no_truth_value_whichever_was_asked_of_before(values: tuple[bool | int, ...]) -> None:
    field = f"field of {values}"
    for value in values:
        texts = {one.text for one in of_field(field, value, Context({}, {}))}
        assert f"{field} = {str(value).lower()}" in texts


def test_large_numbers_are_told_by_bounds_alone() -> None:
    texts = {one.text for one in attributes(Buffer("a", 4100, 16), Context({}, {}))}
    assert "base = 16" in texts
    assert "size not 0" in texts
    assert not any("4100" in text for text in texts)


def test_what_the_list_alone_says_is_told_last() -> None:
    listed = Attribute(LISTED, "template t")
    failing = [replace(each, facts=each.facts | {listed}) for each in (made("a", "b"), made("a", "b", "d"))]
    assert shared(failing, [made("a"), made("b")]) == "all 2 have a and b; 0 of 2 others"
    assert shared(failing, [made("a", "b", "d")]) == "all 2 have template t; 0 of 1 others"


def test_three_features_anywhere_are_told() -> None:
    passing = [made("a", "b"), made("a", "c"), made("b", "c")]
    failing = [made("a", "b", "c"), made("a", "b", "c", "d"), made("a", "b", "c", "e")]
    assert shared(failing, passing) == "all 3 have a, b and c; 0 of 3 others"
    assert not shared(failing, passing, (1, 2)), "three are not worth telling"


def test_features_of_one_instruction_belong_together() -> None:
    together = made(parts=[("load", "x", "y")])
    apart = made(parts=[("load", "x"), ("load", "y")])
    assert shared([together] * 2, [apart]) == "all 2 have a load with x and y; 0 of 1 others"
    assert not shared([apart] * 2, [together])


def test_numbers_are_bounds() -> None:
    failing, passing = [made(waves=3), made(waves=5)], [made(waves=1), made(waves=2)]
    assert shared(failing, passing) == "all 2 have at least 3 waves; 0 of 2 others"
    assert shared(passing, failing) == "all 2 have at most 2 waves; 0 of 2 others"


def test_nothing_is_said_without_a_comparison() -> None:
    assert not shared([made("a")], [made()]), "one case has nothing in common with another"
    assert not shared([made("a"), made("a")], []), "no case passes"
    assert not shared([], [made("a")])


def test_the_search_is_exact() -> None:
    """Against every conjunction of at most three, over small random cases."""
    draw = Random(3)  # noqa: S311 - the same cases every time
    names = "abcdefgh"
    for _ in range(60):
        cases = [made(*(name for name in names if draw.random() < 0.6)) for _ in range(9)]
        failing, passing = cases[:3], cases[3:]
        have = [{fact.text for fact in case.facts} for case in cases]
        common = sorted(set.intersection(*have[:3]))
        sizes = [
            size
            for size in (1, 2, 3)
            if any(not any(set(some) <= other for other in have[3:]) for some in combinations(common, size))
        ]
        said = shared(failing, passing)
        assert bool(said) == bool(sizes)
        if said:
            told = said.removeprefix("all 3 have ").partition(";")[0].replace(" and ", ", ").split(", ")
            assert len(told) == sizes[0]
            assert not any(set(told) <= other for other in have[3:])


def test_what_the_reduced_case_lacks_is_not_what_they_share() -> None:
    failing, passing = [made("a", "b", "c"), made("a", "b", "c", "d")], [made("a", "b")]
    assert shared(failing, passing, smallest=made("a", "b", "c")) == "all 2 have c; 0 of 1 others"
    assert shared(failing, passing, smallest=made("a", "b")) == ""
    passing.append(made("c"))
    assert shared(failing, passing, smallest=made("a", "c")) == "all 2 have a and c; 0 of 2 others"


def test_nor_is_an_instruction_of_which_the_reduced_case_has_the_halves_apart() -> None:
    both, apart = [("load", "x", "y")], [("load", "x"), ("load", "y")]
    failing, passing = [made(parts=both), made("d", parts=both)], [made(parts=apart)]
    assert shared(failing, passing) == "all 2 have a load with x and y; 0 of 1 others"
    assert shared(failing, passing, smallest=made(parts=both)) == "all 2 have a load with x and y; 0 of 1 others"
    assert shared(failing, passing, smallest=made(parts=apart)) == ""


def test_a_number_that_the_reduced_case_does_not_reach_is_no_bound() -> None:
    failing, passing = [made(waves=4), made(waves=5)], [made(waves=1)]
    assert shared(failing, passing) == "all 2 have at least 4 waves; 0 of 1 others"
    assert shared(failing, passing, smallest=made(waves=3)) == "all 2 have at least 3 waves; 0 of 1 others"
    assert shared(failing, passing, smallest=made(waves=1)) == ""
