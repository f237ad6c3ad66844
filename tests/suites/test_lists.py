"""A case list that was drawn before is read, and only as it was kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list, once, row_cases
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.cache import keep, kept
from mmaspec.suites.planning import lists
from mmaspec.suites.planning.lists import drawn_once, identity_of, list_path, text_of
from mmaspec.suites.score import stored_lists
from mmaspec.suites.score.code_path import kept_path_hash

SPEC = "amd-rdna3-wmma"
CAPS = Caps(builtins=("f32_16x16x16_f16_w32", "i32_16x16x16_iu8_w64"))
"""A device with a short list."""


class Counting:
    """Draws a list, and counts how often."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, spec: str, caps: Any, tier: str, seed: int) -> tuple[Recipe, ...]:
        self.drawn += 1
        return case_list(spec, caps, tier, seed)


@pytest.fixture
def draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counting:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path))
    return Counting()


def test_a_list_is_drawn_once(draw: Counting) -> None:
    first, again = (drawn_once(draw)(SPEC, CAPS, "quick", 7) for _ in range(2))
    assert draw.drawn == 1
    assert first == again == case_list(SPEC, CAPS, "quick", 7)
    assert [recipe.id for recipe in first] == [recipe.id for recipe in again]


def test_another_seed_tier_or_caps_is_another_list(draw: Counting) -> None:
    fewer = replace(CAPS, builtins=CAPS.builtins[:1])
    asked = [(CAPS, "quick", 7), (CAPS, "quick", 8), (CAPS, "smoke", 7), (fewer, "quick", 7)]
    assert len({list_path(SPEC, *one) for one in asked}) == len(asked)
    found = [drawn_once(draw)(SPEC, caps, "quick", seed) for caps, _, seed in (asked[0], asked[1], asked[3])]
    assert draw.drawn == len(set(found)) == len(found)


@pytest.mark.parametrize("damage", [b"", b"x", b"\0\0"])
def test_what_was_cut_or_edited_is_drawn_anew(draw: Counting, damage: bytes) -> None:
    whole = drawn_once(draw)(SPEC, CAPS, "quick", 7)
    path = list_path(SPEC, CAPS, "quick", 7)
    path.write_bytes(path.read_bytes()[:-9] + damage)
    assert drawn_once(draw)(SPEC, CAPS, "quick", 7) == whole
    assert draw.drawn == 2
    assert kept(path), "the next run reads it"


@pytest.mark.parametrize("cut", [1, 40])
def test_what_is_no_whole_list_is_drawn_anew(draw: Counting, cut: int) -> None:
    """Though its hash be right."""
    whole = drawn_once(draw)(SPEC, CAPS, "quick", 7)
    path = list_path(SPEC, CAPS, "quick", 7)
    keep(path, kept(path)[:-cut])
    assert drawn_once(draw)(SPEC, CAPS, "quick", 7) == whole
    assert draw.drawn == 2


def test_only_the_youngest_lists_are_kept(draw: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LISTS", 2)
    for seed in range(4):
        drawn_once(draw)(SPEC, CAPS, "quick", seed)
    assert len(list(tmp_path.glob("cases-*"))) == 2
    assert list_path(SPEC, CAPS, "quick", 3).exists()


def test_a_list_that_is_too_long_is_not_kept(draw: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LARGEST", 1000)
    drawn_once(draw)(SPEC, CAPS, "quick", 7)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_costs_only_time(draw: Counting) -> None:
    list_path(SPEC, CAPS, "quick", 7).mkdir(parents=True)
    assert drawn_once(draw)(SPEC, CAPS, "quick", 7) == case_list(SPEC, CAPS, "quick", 7)


def test_a_stored_list_is_not_drawn(draw: Counting, tmp_path: Path) -> None:
    whole = case_list(SPEC, CAPS, "quick", 7)
    stored_lists.store(SPEC, kept_path_hash(SPEC), {identity_of(SPEC, CAPS, "quick", 7): text_of(whole)}, tmp_path)
    stored = partial(stored_lists.stored_text, where=tmp_path)
    assert drawn_once(draw, stored)(SPEC, CAPS, "quick", 7) == whole
    assert draw.drawn == 0
    list_path(SPEC, CAPS, "quick", 7).unlink()
    assert [one.id for one in drawn_once(draw, stored)(SPEC, CAPS, "quick", 7)] == [one.id for one in whole]
    drawn_once(draw, stored)(SPEC, CAPS, "quick", 8)
    assert draw.drawn == 1, "another seed is another list"


@pytest.mark.parametrize("change", ["code", "cut", "edited", "absent"])
def test_a_stored_list_that_is_stale_or_damaged_is_drawn(draw: Counting, tmp_path: Path, change: str) -> None:
    whole = case_list(SPEC, CAPS, "quick", 7)
    text = text_of(whole)
    if change == "edited":
        text = text.replace(b'"regime":"', b'"regime":"x', 1)
        assert text != text_of(whole)
    code = "0" * 16 if change == "code" else kept_path_hash(SPEC)
    stored_lists.store(SPEC, code, {identity_of(SPEC, CAPS, "quick", 7): text}, tmp_path)
    file = tmp_path / f"{SPEC}.xz"
    if change == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    if change == "absent":
        file.unlink()
    found = drawn_once(draw, partial(stored_lists.stored_text, where=tmp_path))(SPEC, CAPS, "quick", 7)
    assert found == whole
    assert draw.drawn == 1


def test_stored_lists_are_those_of_a_run() -> None:
    """The devices whose lists are stored are those that the built-in backend reports."""
    reported = resolve("numpy").caps(SPEC)
    assert identity_of(SPEC, reported, "smoke", DEFAULT_SEED) in {
        identity_of(SPEC, caps, "smoke", DEFAULT_SEED) for caps in spec_named(SPEC).devices
    }


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_stored_lists_are_as_drawn(spec: str, one_in: Callable[[int], int]) -> None:
    """In some rows. Only where they are of this code: the build says which are stale."""
    if stored_lists.is_stale(spec):
        pytest.skip(f"the stored lists of {spec} are of other code")
    rows = 0
    for caps in spec_named(spec).devices:
        stored = stored_lists.stored_text(spec, identity_of(spec, caps, "smoke", DEFAULT_SEED)).splitlines()
        for row in spec_named(spec).rows(caps)[:: one_in(12)]:
            drawn = text_of(once(row_cases(spec, caps, "smoke", DEFAULT_SEED, row.name))).splitlines()
            known = set(drawn)
            assert [line for line in stored if line in known] == drawn != []
            rows += 1
    assert rows
