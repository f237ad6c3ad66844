"""Copies of one value that differ, each of them legal by itself: seen in the files alone, and in a recorded run."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from mmaspec.backends.faults import fault_named
from mmaspec.backends.resolve import resolve
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.planning.plan import case_list_hash
from mmaspec.suites.planning.prepare import Wanted
from mmaspec.suites.vectors.answers import Replayed
from mmaspec.suites.vectors.recorded_run import RecordedExplainer
from mmaspec.suites.vectors.request import planned
from mmaspec.suites.vectors.write import write_vectors

from .conftest import silent
from .lab import answer, illegal_elements, loaded

FAULT = "cm-reduce-order-by-place"


def test_copies_that_differ_are_seen_in_the_files_and_in_a_recorded_run(tmp_path: Path) -> None:
    plan, recipes = planned(
        Wanted(backend="vectors", specs=("nv-coopmat2",), tier="quick", profile=PRACTICE), DEFAULT_CAPS
    )
    recipe = min((found for found in recipes if found.template == "sums"), key=lambda found: (found.batch, found.row))
    plan = replace(plan, case_list=case_list_hash([recipe.id]))
    folder = tmp_path / "vectors"
    write_vectors(folder, plan, (recipe,), silent)
    case = loaded(folder, f"cases/{recipe.id}.json")
    data = (folder / "cases" / f"{recipe.id}.bin").read_bytes()
    formats = loaded(folder, "vectors.json")["formats"]
    found = {}
    for name, backend in (("numpy", resolve("numpy")), (FAULT, fault_named(FAULT).make())):
        answer(folder, tmp_path / name, backend)
        given = (tmp_path / name / f"{recipe.id}.bin").read_bytes()
        replayed = Replayed(folder, tmp_path / name)
        judged = CaseJudge(
            replayed, replayed.describe(), plan.profile, {recipe.id: (FAULT,)}, limit=0, explaining=RecordedExplainer
        ).judge_listed(recipe)[0]
        found[name] = illegal_elements(case, data, given, formats), judged
    illegal, judged = found["numpy"]
    assert (illegal, judged.finding) == (0, None)
    illegal, judged = found[FAULT]
    assert illegal > 0
    assert judged.finding is not None
    assert (judged.finding.symptom, judged.finding.blamed) == ("unlike", ("NVCM2-REDUCE-ORDER",))
    assert "another copy of the same value" in judged.finding.says
    assert judged.finding.element is not None
    assert judged.finding.element.distance is None, "it lies inside its legal set"
    for store in case["legal"][0]["stores"]:
        store["same"] = None
    assert illegal_elements(case, data, given, formats) == 0, "each is legal by itself"
