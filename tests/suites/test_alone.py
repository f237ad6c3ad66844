"""Failing cases asked again in processes of their own: what is right there blames nobody."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.failures import Died
from mmaspec.backends.protocol import Images
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.case import decode_case
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.telling.found import Found, found_in
from mmaspec.suites.planning.plan import recipe_of
from mmaspec.suites.running import alone, supervisor
from mmaspec.suites.running.alone import ask_alone
from mmaspec.suites.running.run_folder import RunFolder

from .test_harness import Numpy
from .test_merge import Listed, answered, listed

__all__ = ["listed"]
FAULTY = "fault:rdna3-c-dropped"


class Fresh:
    """What stands for a process of its own: ``made`` makes its backend. It counts them."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made
        self.started = 0

    @contextmanager
    def __call__(self, _: str, *, timeout_s: float) -> Iterator[Any]:
        assert timeout_s
        self.started += 1
        yield self.made()


class Dies(Numpy):
    """It does not live to answer."""

    def run(self, _spec: str, _program: Any, _inputs: Images) -> Images:
        raise Died("crash", "gone")


@pytest.fixture(scope="module")
def over(listed: Listed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose seven failing cases are one finding."""
    return answered(tmp_path_factory.mktemp("over"), *listed)


@pytest.fixture
def home(over: Path, tmp_path: Path) -> RunFolder:
    """A copy of it."""
    return RunFolder(shutil.copytree(over, tmp_path / "home"))


def failing(home: RunFolder) -> list[Result]:
    return [result for _, result in sorted(home.recorded().results.items())]


def filed(home: RunFolder, result: Result) -> tuple[Any, Found]:
    case = decode_case(home.example(result), result.example)
    found = found_in(case)
    assert found is not None
    return case.program, found


def asked(home: RunFolder, fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    monkeypatch.setattr(alone, "isolated", fresh)
    return ask_alone(home, failing(home), 1, lambda *_: None)


def test_what_fails_alone_stays_as_it_is(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before, fresh = failing(home), Fresh(lambda: resolve(FAULTY))
    texts = [home.example(one) for one in before if one.example]
    assert asked(home, fresh, monkeypatch) == before
    assert fresh.started == 1, "the first run of the case that is shown decides"
    assert [home.example(one) for one in before if one.example] == texts
    asked(RunFolder(home.path), fresh, monkeypatch)
    assert fresh.started == 1, "a run that goes on does not ask it again"


def test_what_is_right_alone_blames_nobody(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = failing(home)
    now = asked(home, Fresh(Numpy), monkeypatch)
    wrong = [one for one in now if one.finding is not None]
    assert len(wrong) == sum(one.finding is not None for one in before) > 1
    for one in wrong:
        finding = one.finding
        assert finding is not None
        assert (one.outcome, one.accepted) == ("illegal", ())
        assert (finding.symptom, finding.blamed, finding.alone) == ("unstable", (), True)
        assert finding.says.startswith("unstable: 5 of 6 wrong: element (")
    planned = {one.id: recipe_of(one) for one in home.own_cases}
    for one in (one for one in wrong if one.example):
        program, found = filed(home, one)
        assert program == planned[one.case].program, "a smaller one would show what ran before it"
        assert found.finding == one.finding
    fresh = Fresh(Numpy)
    assert asked(RunFolder(home.path), fresh, monkeypatch) == now
    assert not fresh.started


class RightIfShort(Numpy):
    """Right over a program that was made smaller, and wrong as in the run over those of the list."""

    def __init__(self, whole: list[Any]) -> None:
        super().__init__()
        self.whole = whole
        self.faulty = resolve(FAULTY)

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        return (self.faulty if program in self.whole else self.inner).run(spec, program, inputs)


def test_a_smaller_case_that_is_right_alone_gives_way(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = {one.id: recipe_of(one) for one in home.own_cases}
    shown = next(one for one in failing(home) if one.example)
    whole = planned[shown.case].program
    small, found = filed(home, shown)
    assert small != whole
    assert small.waves <= whole.waves
    listed_ones = [recipe.program for recipe in planned.values()]
    now = asked(home, Fresh(lambda: RightIfShort(listed_ones)), monkeypatch)
    assert now == failing(home)
    program, told = filed(home, shown)
    assert program == whole
    assert (told.finding, told.here) == (found.finding, None)


def test_what_is_done_is_shown(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a run may take minutes too."""
    steps: list[tuple[int, int]] = []
    monkeypatch.setattr(alone, "isolated", Fresh(Numpy))
    supervisor.answer(home, 1, lambda done, total: steps.append((done, total)))
    cases, asked_all = len(home.own_cases), len(home.recorded().alone)
    assert asked_all > 1
    assert steps == [(cases + 1, cases + 1), *((cases + done, cases + asked_all - 1) for done in range(1, asked_all))]


def test_a_process_that_dies_tells_nothing(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = failing(home)
    assert asked(home, Fresh(Dies), monkeypatch) == before


@pytest.mark.parametrize("here", [True, False])
def test_nothing_is_asked_of_a_backend_that_is_elsewhere(
    home: RunFolder, monkeypatch: pytest.MonkeyPatch, *, here: bool
) -> None:
    calls: list[object] = []
    monkeypatch.setattr(supervisor, "ask_alone", lambda _, results, *rest: calls.append(rest) or results)
    supervisor.answer(home, 0, lambda *_: None, here=here)
    assert bool(calls) is here


class WrongElsewhere(Numpy):
    """Wrong as well, in its first element alone."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        done = {name: np.array(image) for name, image in super().run(spec, program, inputs).items()}
        stored = next(name for name in sorted(done) if (done[name] != inputs[name]).any())
        done[stored][tuple(np.argwhere(done[stored] != inputs[stored])[0])] ^= 0x55
        return done


def test_what_fails_otherwise_alone_has_all_others_asked(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be wrong by itself, and the others because of what it left behind."""
    shown = next(one for one in failing(home) if one.example)
    fresh = Fresh(WrongElsewhere)
    now = asked(home, fresh, monkeypatch)
    failed = [one for one in now if one.finding is not None]
    assert set(home.recorded().alone) == {one.case for one in failed}
    assert {one.outcome for one in home.recorded().alone.values()} == {"otherwise"}, "those without a file as well"
    assert shown.case in home.recorded().alone
    assert all(one.example for one in failed), "what had no file may be all that is left of its finding"
    (told,) = [one for one in failed if one.case == shown.case]
    assert told.finding is not None
    assert shown.finding is not None
    assert (told.finding.blamed, told.finding.varies) == (shown.finding.blamed, True)
    program, found = filed(home, shown)
    assert found.finding == told.finding
    assert program == next(recipe_of(one) for one in home.own_cases if one.id == shown.case).program
