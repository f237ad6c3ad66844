"""Several requests in one file: fewer starts, the same answers, and whatever goes wrong finds its own case."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.external.file_transport import Asked, FileTransport
from mmaspec.backends.failures import BadReply, Died
from mmaspec.backends.protocol import Images
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.plan import Plan, case_list_hash
from mmaspec.suites.planning.plan import test_key as case_test
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.share import Worker
from tests.backends.programs import PROGRAM, SPEC, images
from tests.case_lists import case_list


class Counting(FileTransport):
    """Notes how many requests each file held."""

    def ask_each(self, asked: Any, limit: float) -> Any:
        self.files = [*getattr(self, "files", []), len(asked)]
        assert all(isinstance(one, Asked) for one in asked)
        return super().ask_each(asked, limit)


def echo(mode: str) -> tuple[ExternalBackend, Counting]:
    place = Path(__file__).with_name("echo.py")
    backend = ExternalBackend(f'"{sys.executable}" "{place}" {mode} "{{request}}" "{{reply}}"', timeout_s=20.0)
    backend._transport = counting = Counting(backend._command)
    return backend, counting


def runs(*batches: int) -> Iterator[tuple[str, Any, Images]]:
    return ((SPEC, PROGRAM, images(PROGRAM, batch)) for batch in batches)


def comes_back(backend: ExternalBackend, batch: int) -> bool:
    given = images(PROGRAM, batch)
    after = backend.run(SPEC, PROGRAM, given)
    return all(np.array_equal(after[name], image) for name, image in given.items())


def test_a_file_holds_as_many_requests_as_it_may() -> None:
    backend, transport = echo("several")
    with backend:
        waiting = runs(1, 2, 3, 4, 5, 6)
        backend.prefetch(waiting)
        assert len(list(waiting)) == 2, "what is not asked is not taken"
        assert transport.files == [1, 4], "hello, and four requests"
        assert all(comes_back(backend, batch) for batch in (1, 2, 3, 4, 5))
        assert transport.files == [1, 4, 1]
        assert comes_back(backend, 1), "an answer is good for one call"
        assert transport.files == [1, 4, 1, 1]


def test_no_file_holds_more_than_32() -> None:
    backend, transport = echo("many")
    with backend:
        backend.prefetch(runs(*[1] * 40))
        assert comes_back(backend, 1)
        assert transport.files == [1, 32]


def test_who_does_not_ask_for_several_gets_one_at_a_time() -> None:
    backend, transport = echo("good")
    with backend:
        backend.prefetch(runs(1, 2))
        assert transport.files == [1]
        assert comes_back(backend, 1)


@pytest.mark.parametrize(("mode", "failure"), [("several-crash", Died), ("several-lie", BadReply)])
def test_a_failure_is_that_of_the_request_over_which_it_happened(mode: str, failure: type[Exception]) -> None:
    backend, transport = echo(mode)
    with backend:
        backend.prefetch(runs(1, 2, 3, 4))
        assert comes_back(backend, 1)
        assert comes_back(backend, 2)
        for _ in range(2):  # kept, then asked again by itself
            with pytest.raises(failure):
                backend.run(SPEC, PROGRAM, images(PROGRAM, 3))
        assert comes_back(backend, 4)
        assert transport.files[:3] == [1, 4, 1]


@pytest.fixture(scope="module")
def listed(built: dict[str, Path]) -> tuple[Plan, list[Recipe]]:
    """The cases of one test for the C++ adapter."""
    with ExternalBackend(f'"{built["adapter"]}"') as backend:
        plan, every = prepare(
            Wanted(backend="cmd:nobody", specs=("hlsl-wave-matrix",), tier="quick"), backend, case_list
        )
        tests: dict[str, list[Recipe]] = {}
        for recipe in every:
            tests.setdefault(case_test(recipe), []).append(recipe)
        return plan, max((found for found in tests.values() if not found[0].target), key=len)


def outcomes(listed: tuple[Plan, list[Recipe]], adapter: Path, folder: Path) -> dict[str, str]:
    """Case -> outcome of a whole run."""
    plan, recipes = listed
    command = f'cmd:"{sys.executable}" "{Path(__file__).with_name("falls.py")}" "{adapter}" "{{request}}" "{{reply}}"'
    plan = replace(plan, backend=command, case_list=case_list_hash(recipe.id for recipe in recipes))
    home = RunFolder(folder)
    home.write_plan(plan, recipes)
    worker = Worker(home, "main")
    worker.known = {recipe.id: () for recipe in recipes}  # how sensitive cases are is not the question here
    worker.walk(case_test(recipes[0]))
    worker.close()
    return {case: result.outcome for case, result in home.recorded().results.items()}


def test_a_crash_among_several_that_does_not_happen_again_is_inconclusive(
    listed: tuple[Plan, list[Recipe]], built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path / "fallen"))
    found = outcomes(listed, built["adapter"], tmp_path)
    second = listed[1][1].id  # whose first run is the third request
    assert found == {recipe.id: "inconclusive" if recipe.id == second else "legal" for recipe in listed[1]}


def test_a_crash_among_several_and_one_alone_are_not_two_over_one_case(
    listed: tuple[Plan, list[Recipe]], built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path / "fallen"))
    monkeypatch.setenv("MMASPEC_TEST_AGAIN", str(tmp_path / "again"))
    found = outcomes(listed, built["adapter"], tmp_path)
    second = listed[1][1].id
    assert (tmp_path / "again").exists()
    assert found == {recipe.id: "inconclusive" if recipe.id == second else "legal" for recipe in listed[1]}


@pytest.mark.parametrize(("mode", "says"), [("several-long", "too long"), ("several-other", "something else than run")])
def test_what_is_wrong_among_several_counts_once_it_is_asked_alone(mode: str, says: str) -> None:
    backend, _ = echo(mode)
    with backend:
        backend.prefetch(runs(1, 2, 3, 4))
        with pytest.raises(Died, match=says) as died:
            backend.run(SPEC, PROGRAM, images(PROGRAM, 3))
        assert died.value.shared
        with pytest.raises((Died, BadReply)) as alone:
            backend.run(SPEC, PROGRAM, images(PROGRAM, 3))
        assert not getattr(alone.value, "shared", False)


def test_a_crash_among_several_that_happens_again_finds_its_case(
    listed: tuple[Plan, list[Recipe]], built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = listed[1][-2]
    program = json.loads(msgspec.json.encode(doomed.program))
    monkeypatch.setenv("MMASPEC_TEST_DOOMED", json.dumps(program, sort_keys=True))
    found = outcomes(listed, built["adapter"], tmp_path)
    assert found == {recipe.id: "died" if recipe.id == doomed.id else "legal" for recipe in listed[1]}
