"""Baselines and comparisons: what is new counts, and so does what nobody looks at any more."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.suites.gate.baseline import baseline_of, decode_baseline, encode_baseline
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.gate.model import Place
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.suited import NOT_POSSIBLE
from mmaspec.suites.verdict.compare import CHANGES, Change, compare, differences
from mmaspec.suites.verdict.model import Cell, Run
from mmaspec.suites.verdict.verdicts import MEANINGLESS
from tests.damage import damaged, refusal

from .ten_failures import SPEC, planned, run_of

ROW = "i32_16x16x16_iu8_w32"
PASS, FAIL = Cell(status="pass", judged=1), Cell(status="fail", failed=1)
GAP, OUT = Cell(status="not judged", why="no sensitive case ran"), Cell(status="not applicable", why="borrowed")


@pytest.fixture(scope="module")
def good() -> Run:
    """A run in which everything passes, without having been run."""
    run = run_of(planned(resolve("numpy"), 1)[0], ())
    clauses = {
        name: replace(clause, rows=dict.fromkeys(clause.rows, PASS)) for name, clause in run.specs[SPEC].clauses.items()
    }
    return replace(run, specs={SPEC: replace(run.specs[SPEC], clauses=clauses)})


def with_cells(run: Run, cells: dict[str, Cell]) -> Run:
    """The run with other cells of these clauses in ``ROW``."""
    spec = run.specs[SPEC]
    clauses = dict(spec.clauses)
    for name, cell in cells.items():
        clauses[name] = replace(clauses[name], rows={**clauses[name].rows, ROW: cell})
    return replace(run, specs={SPEC: replace(spec, clauses=clauses)})


def failing(clause: str, symptom: str = "not refused") -> Result:
    finding = Finding(symptom=symptom, blamed=(clause,), how="symptom", says="wrong")  # type: ignore[arg-type]
    return Result(
        case="0" * 16, spec=SPEC, row=ROW, template="near-miss", target=clause, clauses=(clause,), outcome="illegal",
        finding=finding,
    )  # fmt: skip


def test_what_failed_before_is_accepted_and_what_is_new_is_not(good: Run) -> None:
    known, fresh = failing("RDNA3-SHAPE"), failing("RDNA3-OPS")
    baseline = baseline_of(with_cells(good, {"RDNA3-SHAPE": FAIL}), [known])
    now = with_cells(good, {"RDNA3-SHAPE": FAIL, "RDNA3-OPS": FAIL})
    assert decide(with_cells(good, {"RDNA3-SHAPE": FAIL}), [known], (), baseline).verdict == "passes"
    gate = decide(now, [known, fresh], (), baseline)
    assert gate.verdict == "fails"
    assert [one.clause for one in gate.new] == ["RDNA3-OPS"]
    assert [(one.clause, one.by) for one in gate.accepted] == [("RDNA3-SHAPE", "baseline")]


def test_a_known_failure_that_turns_into_a_crash_is_new(good: Run) -> None:
    run = with_cells(good, {"RDNA3-SHAPE": FAIL})
    baseline = baseline_of(run, [failing("RDNA3-SHAPE")])
    assert decide(run, [failing("RDNA3-SHAPE", "died")], (), baseline).verdict == "fails"


def test_what_is_mended_is_told_and_fails_nothing(good: Run) -> None:
    baseline = baseline_of(with_cells(good, {"RDNA3-SHAPE": FAIL}), [failing("RDNA3-SHAPE")])
    gate = decide(good, [], (), baseline)
    assert gate.verdict == "passes"
    assert [one.clause for one in gate.fixed] == ["RDNA3-SHAPE"]


def test_what_fails_under_another_name_is_not_fixed(good: Run) -> None:
    """A second mistake may take the blame for the first in the same cases."""
    baseline = baseline_of(with_cells(good, {"RDNA3-SHAPE": FAIL}), [failing("RDNA3-SHAPE")])
    now = with_cells(good, {"RDNA3-OPS": FAIL})
    both = replace(failing("RDNA3-OPS"), clauses=("RDNA3-OPS", "RDNA3-SHAPE"))
    assert decide(now, [both], (), baseline).fixed == []
    elsewhere = replace(both, row="f32_16x16x16_f16_w64")
    assert elsewhere.row != ROW
    for other in (failing("RDNA3-OPS"), elsewhere):
        assert [one.clause for one in decide(now, [other], (), baseline).fixed] == ["RDNA3-SHAPE"]


def test_what_is_mended_beside_a_known_failure_is_told(good: Run) -> None:
    """That the clause acts in the other's cases hides nothing: they failed so before."""
    other = replace(failing("RDNA3-OPS"), clauses=("RDNA3-OPS", "RDNA3-SHAPE"))
    before = with_cells(good, {"RDNA3-SHAPE": FAIL, "RDNA3-OPS": FAIL})
    gate = decide(
        with_cells(good, {"RDNA3-OPS": FAIL}), [other], (), baseline_of(before, [failing("RDNA3-SHAPE"), other])
    )
    assert [one.clause for one in gate.fixed] == ["RDNA3-SHAPE"]


def test_a_baseline_of_another_case_list_calls_nothing_fixed(good: Run) -> None:
    """Nothing says that the cases that failed were run."""
    bad = replace(with_cells(good, {"RDNA3-SHAPE": FAIL}), tier="thorough", case_list="0" * 16)
    gate = decide(good, [], (), baseline_of(bad, [failing("RDNA3-SHAPE")]))
    assert gate.fixed == []
    assert gate.headline.startswith("the gate passes; the quick list is no gate; ")
    assert "no gate" not in decide(replace(good, tier="smoke"), [], (), None).headline
    assert gate.headline.endswith(
        "; the baseline is of another case list (tier thorough, seed 1), so nothing is reported as fixed"
    )


def test_cases_that_were_never_sent_are_counted_in_the_headline(good: Run) -> None:
    never = Result(
        case="1" * 16, spec=SPEC, row=ROW, template="far", target="", clauses=(), outcome="not applicable",
        why=f"{NOT_POSSIBLE}: a buffer of 4294967296 bytes",
    )  # fmt: skip
    plan = planned(resolve("numpy"), 1)[0]
    assert "1 case not possible on this backend" in run_of(plan, (never,)).headline
    assert NOT_POSSIBLE not in good.headline


def test_what_is_not_judged_behind_known_failures_is_counted_in_the_headline(good: Run) -> None:
    """A clause that is suspected in a known failure passes nowhere there: another mistake in it would not be seen."""
    result = failing("RDNA3-SHAPE")
    assert result.finding is not None
    known = [replace(result, finding=replace(result.finding, blamed=("RDNA3-SHAPE", "RDNA3-OPS")))]
    run = with_cells(good, {"RDNA3-SHAPE": FAIL, "RDNA3-OPS": GAP})
    gate = decide(run, known, (), baseline_of(run, known))
    assert gate.verdict == "passes"
    assert gate.masked == [Place(SPEC, "RDNA3-OPS", ROW)]
    assert "; 1 clause not judged in full behind accepted failures" in gate.headline
    shown = with_cells(good, {"RDNA3-SHAPE": FAIL})
    assert "behind accepted failures" not in decide(shown, known, (), baseline_of(shown, known)).headline


@pytest.mark.parametrize("cell", [GAP, OUT], ids=["gap", "out"])
def test_what_was_judged_and_no_longer_is_fails_the_gate(good: Run, cell: Cell) -> None:
    gate = decide(with_cells(good, {"RDNA3-OPS": cell}), [], (), baseline_of(good, []))
    assert gate.verdict == "fails"
    assert gate.lost == [Place(SPEC, "RDNA3-OPS", ROW)]


def test_what_is_no_longer_judged_is_counted_once(good: Run) -> None:
    gap = Cell(status="not judged", why="no sensitive case ran")
    gate = decide(with_cells(good, {"RDNA3-OPS": gap}), [], baseline=baseline_of(good, []))
    assert (gate.lost, gate.unproved) == ([Place(SPEC, "RDNA3-OPS", ROW)], [])
    assert gate.headline == "the gate fails: 1 no longer judged"


def test_what_failed_where_it_has_no_meaning_is_fixed_when_it_no_longer_fails(good: Run) -> None:
    """A clause fails in a row where it has no meaning if a case says so; without that case it is not applicable."""
    bad = with_cells(good, {"RDNA3-OPS": FAIL})
    mended = with_cells(good, {"RDNA3-OPS": Cell(status="not applicable", why=MEANINGLESS)})
    gate = decide(mended, [], (), baseline_of(bad, [failing("RDNA3-OPS")]))
    assert (gate.verdict, gate.lost) == ("passes", [])
    assert [one.clause for one in gate.fixed] == ["RDNA3-OPS"]
    assert [one.clause for one in compare(bad, mended)["fixed"]] == ["RDNA3-OPS"]
    assert compare(bad, mended)["no longer judged"] == []


def test_a_specification_that_is_no_longer_run_fails_the_gate(good: Run) -> None:
    assert decide(replace(good, specs={}), [], (), baseline_of(good, [])).verdict == "fails"


def test_what_was_not_judged_before_is_no_gap_now(good: Run) -> None:
    run = with_cells(good, {"RDNA3-OPS": GAP})
    assert decide(run, []).verdict == "inconclusive"
    assert decide(run, [], (), baseline_of(run, [])).verdict == "passes"


def test_a_run_that_no_reading_explains_is_held_to_the_baseline_too(good: Run) -> None:
    run = with_cells(
        good, {"RDNA3-IU-CLAMP": Cell(status="fail", why="no single reading of RDNA3-AMB-04 explains all 3 cases")}
    )
    assert decide(run, [], (), baseline_of(good, [])).verdict == "fails"
    assert decide(run, [], (), baseline_of(run, [])).verdict == "passes"


def test_waived_failures_stay_out_of_the_baseline(good: Run) -> None:
    run = with_cells(good, {"RDNA3-SHAPE": FAIL})
    isolated = baseline_of(run, [failing("RDNA3-SHAPE")], [(SPEC, "RDNA3-SHAPE", ROW, "not refused")])
    assert list(isolated.failures()) == []
    assert (SPEC, "RDNA3-SHAPE", ROW) in set(isolated.judged_places())


def test_a_baseline_is_small_sorted_and_read_back(good: Run) -> None:
    baseline = baseline_of(
        with_cells(good, {"RDNA3-SHAPE": FAIL, "RDNA3-OPS": GAP}), [failing("RDNA3-SHAPE"), failing("")]
    )
    text = encode_baseline(baseline)
    assert decode_baseline(text, "b.json") == baseline
    lines = [line.strip() for line in text.decode().splitlines()]
    assert f'"RDNA3-SHAPE": {{"{ROW}": ["not refused"]}}' in lines
    judged = [line for line in lines if line.startswith('"RDNA3-') and "refused" not in line]
    assert len(judged) < 40
    assert len(text) < 4000


def test_a_damaged_baseline_is_read_or_refused(good: Run, times: int) -> None:
    draw = Random(6)  # noqa: S311 - the same mutations every time
    text = encode_baseline(baseline_of(with_cells(good, {"RDNA3-SHAPE": FAIL}), [failing("RDNA3-SHAPE")]))

    def used() -> None:
        decide(good, [], (), decode_baseline(damaged(text, draw), "b.json"))

    said = [refusal(used) for _ in range(600 * times)]
    assert {bool(line) for line in said} == {True, False}
    assert all(line.startswith("b.json: ") for line in said if line)


def test_a_comparison_tells_four_kinds_of_change(good: Run) -> None:
    before = with_cells(
        good, {"RDNA3-SHAPE": FAIL, "RDNA3-OPS": PASS, "RDNA3-SIG": GAP, "RDNA3-TILE": PASS, "RDNA3-MMA": FAIL}
    )
    after = with_cells(
        good, {"RDNA3-SHAPE": PASS, "RDNA3-OPS": FAIL, "RDNA3-SIG": PASS, "RDNA3-TILE": GAP, "RDNA3-MMA": FAIL}
    )
    found: dict[str, Any] = compare(before, after)
    assert {kind: [one.clause for one in found[kind]] for kind in CHANGES} == {
        "fixed": ["RDNA3-SHAPE"],
        "broken": ["RDNA3-OPS"],
        "newly judged": ["RDNA3-SIG"],
        "no longer judged": ["RDNA3-TILE"],
    }
    assert found["broken"] == [Change(SPEC, "RDNA3-OPS", ROW, "pass", "fail")]
    assert {len(changes) for changes in compare(after, after).values()} == {0}
    gone = compare(before, replace(after, specs={}))
    assert gone["no longer judged"]
    assert {one.after for one in gone["no longer judged"]} == {"absent"}


def test_a_comparison_says_how_the_runs_differ(good: Run) -> None:
    assert differences(good, good) == []
    assert differences(good, replace(good, seed=2, tier="standard")) == ["tier quick and standard", "seed 1 and 2"]
