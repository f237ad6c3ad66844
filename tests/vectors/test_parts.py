"""Parts of a program that are free each by itself: a reader of the files alone accepts what the judge accepts."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.planning.plan import case_list_hash
from mmaspec.suites.planning.prepare import Wanted
from mmaspec.suites.vectors.request import planned
from mmaspec.suites.vectors.write import write_vectors

from .conftest import silent
from .lab import answer, illegal_elements, loaded


def test_a_reader_of_the_files_takes_each_wave_and_item_by_itself(tmp_path: Path) -> None:
    plan, recipes = planned(
        Wanted(backend="vectors", specs=("hlsl-linalg",), tier="quick", profile=PRACTICE), DEFAULT_CAPS
    )
    some = [found for found in recipes if "outside" in found.template][:20]
    plan = replace(plan, case_list=case_list_hash(sorted(one.id for one in some)))
    folder = tmp_path / "vectors"
    write_vectors(folder, plan, tuple(some), silent)
    formats = loaded(folder, "vectors.json")["formats"]
    mixed = 0
    for name in ("numpy", "legal:whole-bounds", "legal:mixed-bounds"):
        answers = tmp_path / name.replace(":", "-")
        answer(folder, answers, resolve(name))
        for recipe in some:
            case = loaded(folder, f"cases/{recipe.id}.json")
            data = (folder / "cases" / f"{recipe.id}.bin").read_bytes()
            given = (answers / f"{recipe.id}.bin").read_bytes()
            assert illegal_elements(case, data, given, formats) == 0, (name, recipe.id)
            if case["parts"] is not None:
                case["parts"] = None
                mixed += illegal_elements(case, data, given, formats) > 0
    assert mixed, "some answer is no alternative as a whole"
