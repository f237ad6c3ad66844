"""The gate: its answer depends on the backend and on what was accepted, never on what a seed happens to draw."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.processes.child_backend import Died
from mmaspec.backends.protocol import Images
from mmaspec.backends.resolve import resolve
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.gate.model import EXIT_CODES, Place
from mmaspec.suites.gate.pinned import replay_pinned
from mmaspec.suites.gate.waivers import Pinned
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.verdict.model import Cell

from .ten_failures import BROKEN, SPEC, backend, judged, pinned, planned, run_of
from .test_harness import Numpy

TODAY = date(2026, 1, 1)
TEMPLATES = {
    "sums-clamp": "RDNA3-IU-CLAMP",
    "product-specials": "RDNA3-FP-NAN",
    "zero-literal": "RDNA3-ZERO-C",
    "tiles": "RDNA3-TILE",
}
"""Where the failures of valid programs show; near misses show the others."""


def short(recipes: Any) -> list[Any]:
    """The near misses and the telling templates, one of each target or template and datatype."""
    first: dict[object, Any] = {}
    for recipe in recipes:
        if recipe.target or recipe.template in TEMPLATES:
            first.setdefault((recipe.target or recipe.template, recipe.row[:3]), recipe)
    return list(first.values())


def waivers_of(broken: Any, plan: Plan, chosen: Sequence[Any]) -> tuple[Pinned, ...]:
    """A waiver of each failure, with the first case that shows it."""
    cases = {recipe.id: recipe for recipe in chosen}
    found: dict[str, Pinned] = {}
    for result in judged(broken, plan, chosen):
        if result.finding is not None and result.finding.blamed and result.finding.blamed[0] in BROKEN:
            clause = result.finding.blamed[0]
            found.setdefault(clause, pinned(clause, materialise(cases[result.case])))
    assert set(found) == set(BROKEN)
    return tuple(found[clause] for clause in BROKEN)


@cache
def ten_waivers() -> tuple[Pinned, ...]:
    broken = backend()
    plan, recipes = planned(broken, DEFAULT_SEED)
    return waivers_of(broken, plan, short(recipes))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ten_waived_failures_are_accepted_whatever_the_seed(seed: int) -> None:
    broken = backend()
    plan, recipes = planned(broken, seed)
    results = judged(broken, plan, short(recipes))
    assert sum(result.finding is not None for result in results) > 10
    states = replay_pinned(broken, plan, ten_waivers(), TODAY)
    assert [state.state for state in states] == ["holds"] * 10
    gate = decide(run_of(plan, results), results, states)
    assert (gate.new, gate.lost) == ([], [])
    assert gate.accepted
    assert gate.verdict != "fails"


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("mended", ["RDNA3-SHAPE", "RDNA3-FP-NAN"])
def test_a_mended_failure_fails_the_gate_though_the_run_does_not_meet_it(mended: str) -> None:
    better = backend((mended,))
    plan, _ = planned(better, 1)
    states = replay_pinned(better, plan, ten_waivers(), TODAY)
    assert {state.waiver.clause: state.state for state in states if state.state != "holds"} == {mended: "remove me"}
    gate = decide(run_of(plan, ()), (), states)
    assert gate.verdict == "fails"
    assert gate.headline.startswith("the gate fails: 1 waiver: remove me")


def waived(clause: str) -> Pinned:
    return next(one for one in ten_waivers() if one.waiver.clause == clause)


def state_of(under_test: Any, one: Pinned, **plan_changes: Any) -> tuple[str, str]:
    plan, _ = planned(under_test, 1)
    (state,) = replay_pinned(under_test, replace(plan, **plan_changes), [one], TODAY)
    return state.state, state.says


def changed(name: str, **fields: Any) -> Pinned:
    one = waived(name)
    return Pinned(replace(one.waiver, **fields), one.spec, one.case)


def test_states_of_a_waiver() -> None:
    broken = backend()
    clause = "RDNA3-SHAPE"
    assert state_of(broken, changed(clause, expires=TODAY))[0] == "holds"
    assert state_of(broken, changed(clause, expires=date(2025, 12, 31)))[0] == "expired"
    assert state_of(broken, changed(clause, backend="another-*"))[0] == "not for this run"
    assert state_of(broken, changed(clause, version="0.0.[0-9]"))[0] == "not for this run"
    assert state_of(broken, changed(clause), specs=("nv-coopmat2",))[0] == "not for this run"
    assert state_of(broken, changed(clause, clause="RDNA3-OPS"))[0] == "new failure"
    assert state_of(broken, changed(clause, symptom="died"))[0] == "new failure"
    deaf = planned(broken, 1)[0].description
    assert state_of(broken, changed(clause), description=replace(deaf, roles=("executes",)))[0] == "unmatched"
    assert state_of(broken, changed(clause), description=replace(deaf, borrowed=(clause,)))[0] == "unmatched"
    assert state_of(broken, changed(clause), caps={}, reported={})[0] == "unmatched"


class Dies(Numpy):
    """Dies over its first ``left`` programs."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.left -= 1
        if self.left >= 0:
            raise Died("crash", "over run")
        return super().run(spec, program, inputs)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("times", "symptom", "state"),
    [(0, None, "remove me"), (1, None, "inconclusive"), (9, None, "new failure"), (9, "died", "holds")],
)
def test_a_crash_has_to_be_waived_by_name(times: int, symptom: str | None, state: str) -> None:
    assert state_of(Dies(times), changed("RDNA3-TILE", symptom=symptom))[0] == state


def plan_and_two_failures() -> tuple[Plan, list[Any]]:
    broken = backend()
    plan, recipes = planned(broken, DEFAULT_SEED)
    chosen = [recipe for recipe in short(recipes) if recipe.target in {"RDNA3-SHAPE", "RDNA3-OPS"}]
    return plan, judged(broken, plan, chosen)


def test_what_no_waiver_names_is_a_new_failure() -> None:
    plan, results = plan_and_two_failures()
    states = replay_pinned(backend(), plan, [waived("RDNA3-SHAPE")], TODAY)
    gate = decide(run_of(plan, results), results, states)
    assert gate.verdict == "fails"
    assert {one.clause for one in gate.new} == {"RDNA3-OPS"}
    assert {one.clause for one in gate.accepted} == {"RDNA3-SHAPE"}


def test_rows_that_a_waiver_leaves_out_are_held_to_the_clause() -> None:
    plan, results = plan_and_two_failures()
    row = waived("RDNA3-SHAPE").case.row
    states = replay_pinned(backend(), plan, [changed("RDNA3-SHAPE", rows=(row,)), waived("RDNA3-OPS")], TODAY)
    gate = decide(run_of(plan, results), results, states)
    assert {one.clause for one in gate.new} == {"RDNA3-SHAPE"}
    assert row not in {one.row for one in gate.new}


def conformant() -> tuple[Any, list[Any]]:
    """A run of the embedded backend in which everything passes, without having been run."""
    plan, _ = planned(resolve("numpy"), 1)
    run = run_of(plan, ())
    clauses = {
        name: replace(clause, rows={row: replace(cell, status="pass") for row, cell in clause.rows.items()})
        for name, clause in run.specs[SPEC].clauses.items()
    }
    return replace(run, specs={SPEC: replace(run.specs[SPEC], clauses=clauses)}), []


def with_cell(run: Any, clause: str, row: str, cell: Cell) -> Any:
    spec = run.specs[SPEC]
    found = spec.clauses[clause]
    return replace(
        run,
        specs={SPEC: replace(spec, clauses={**spec.clauses, clause: replace(found, rows={**found.rows, row: cell})})},
    )


def test_a_waived_clause_that_the_list_does_not_reach_is_no_gap_and_another_is() -> None:
    run, results = conformant()
    row = next(iter(run.specs[SPEC].clauses["RDNA3-SHAPE"].rows))
    gap = Cell(status="not judged", why="no sensitive case ran")
    states = replay_pinned(backend(), planned(backend(), 1)[0], [waived("RDNA3-SHAPE")], TODAY)
    assert decide(run, results).verdict == "passes"
    assert decide(with_cell(run, "RDNA3-SHAPE", row, gap), results, states).verdict == "passes"
    gate = decide(with_cell(run, "RDNA3-OPS", row, gap), results, states)
    assert gate.verdict == "inconclusive"
    assert gate.unproved == [Place(SPEC, "RDNA3-OPS", row)]
    assert gate.headline == "the gate is inconclusive: 1 not judged"


def few_rows(under_test: Any) -> Any:
    """The same backend under caps of two rows, in which each of the ten failures can show."""
    caps = Caps(builtins=("f32_16x16x16_f16_w32", "i32_16x16x16_iu8_w32"))
    under_test.report(SPEC, caps)
    return under_test


@pytest.mark.long
def test_a_hundred_seeds_give_one_exit_code_and_each_mended_failure_another() -> None:
    broken = few_rows(backend())
    plan, recipes = planned(broken, DEFAULT_SEED)
    waivers = waivers_of(broken, plan, short(recipes))
    codes = {}
    for seed in range(1, 101):
        plan, recipes = planned(broken, seed)
        results = judged(broken, plan, recipes, sensitive=True)
        gate = decide(run_of(plan, results), results, replay_pinned(broken, plan, waivers, TODAY))
        codes[seed] = EXIT_CODES[gate.verdict]
    assert codes == dict.fromkeys(range(1, 101), 0)
    for clause in BROKEN:
        better = few_rows(backend((clause,)))
        plan, recipes = planned(better, DEFAULT_SEED)
        results = judged(better, plan, recipes)
        states = replay_pinned(better, plan, waivers, TODAY)
        gate = decide(run_of(plan, results), results, states)
        assert EXIT_CODES[gate.verdict] == 1
        assert {state.waiver.clause for state in states if state.state == "remove me"} == {clause}
        assert gate.new == []
