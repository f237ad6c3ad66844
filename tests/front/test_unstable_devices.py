"""``mmaspec check`` on devices that are wrong now and then, and the sample of passing cases that is run again."""

from __future__ import annotations

import pytest

from mmaspec.reports.run_folder import read_run
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.repeats.repeat import is_sampled

from .conftest import Command, Finished, adapter, of_small
from .in_process import told


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run of the device as it should be."""
    folder = tmp_path_factory.mktemp("good")

    def run(*words: str) -> Finished:
        return told(*words, "--tier", "quick", "--report", str(folder), folder=folder)

    return of_small(run)(adapter("Good"))


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("name", "least"), [("Flips", 3), ("FlipsRarely", 1)])
def test_a_device_that_flips_a_bit_now_and_then_is_unstable(
    good: Finished, check_small: Command, name: str, least: int
) -> None:
    """In 5 % of calls as in 0.5 %: no clause fails for it, and no reading is ruled out."""
    shaky = check_small(adapter(name))
    assert (good.code, shaky.code) == (0, 1), shaky.out + shaky.err
    totals = shaky.run.totals
    assert totals.unstable == totals.illegal >= least
    assert shaky.run.readings == good.run.readings
    assert "fail" not in totals.clauses
    assert [(group.title, group.clause) for group in shaky.run.findings] == [("unstable", "")]
    assert f"; {totals.unstable} case{'s' * (totals.unstable > 1)} unstable; " in shaky.out
    assert "  unstable: 1 of 5 wrong: element (" in shaky.out


def test_the_sample_of_passing_cases_is_the_same_whoever_runs_them(check_small: Command) -> None:
    alone, spread = check_small("numpy"), check_small("numpy", "-n", "2")
    eligible = {one.case for one in results_of(alone) if not one.target and one.template != "caps"}
    chosen = {case for case in eligible if is_sampled(case)}
    assert sampled(alone) == sampled(spread) == chosen
    assert (alone.run.totals.sampled, alone.run.totals.varied) == (len(chosen), 0)
    assert chosen


def results_of(finished: Finished) -> list[Result]:
    return read_run(finished.folder)[1]


def sampled(finished: Finished) -> set[str]:
    return {one.case for one in results_of(finished) if one.sampled}


def test_what_fails_only_after_other_cases_blames_no_clause(check_few: Command, mmaspec: Command) -> None:
    """Blame would be of innocent clauses: what is tried in the same process fails, or not, by what ran before."""
    good, finished = check_few(adapter("Good")), check_few(adapter("Remembers"))
    assert finished.code == 1, finished.out + finished.err
    run = finished.run
    assert run.totals.unstable == run.totals.illegal > 1
    assert run.readings == good.run.readings
    assert "fail" not in run.totals.clauses
    (group,) = run.findings
    assert (group.title, group.clause, group.cases) == ("unstable", "", run.totals.illegal)
    assert group.says.endswith("; right in a process of its own: what ran before, or chance, decides")
    replay = mmaspec("replay", str(finished.folder / "cases" / group.example), "--backend", adapter("Remembers"))
    assert "confirmed: fails here too, where one call follows another: " in replay.out
    sound = mmaspec("replay", str(finished.folder / "cases" / group.example), "--backend", adapter("Good"))
    assert sound.code == 0
