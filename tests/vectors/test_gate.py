"""Recorded answers are held to waivers and baselines as a live run is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as changed

from mmaspec.backends.protocol import Backend
from mmaspec.commands import vectors as command
from mmaspec.commands.gate import Expectations, hold_to, read_expectations
from mmaspec.programs.errors import BadInput
from mmaspec.suites.gate.baseline import baseline_of, encode_baseline
from mmaspec.suites.gate.model import EXIT_CODES, Gate
from mmaspec.suites.gate.pinned import replay_pinned
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.vectors.write import write_vectors
from mmaspec.suites.verdict.assemble import assemble

from .conftest import Written, silent
from .devices import Broken, Device
from .judging import later, live, run_of
from .lab import answer, loaded

WAIVER = """[[waiver]]
clause = "RDNA3-IU-CLAMP"
reason = "clamps as if unsigned"
link = "https://example.org/1"
owner = "someone"
expires = 9999-12-31
case = "case.json"
"""


@dataclass(frozen=True, slots=True)
class Pinning:
    """Vectors that hold the reduced case of a waiver too, and two devices' answers to them."""

    written: Written
    waivers: Path
    answers: dict[type[Backend], Path]


@pytest.fixture(scope="session")
def pinning(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Pinning:
    base = tmp_path_factory.mktemp("pinning")
    backend = Broken()
    case_judge = CaseJudge(backend, backend.describe(), written.plan.profile, written.known)
    texts = (case_judge.judge_listed(recipe)[1] for recipe in written.recipes)
    (base / "case.json").write_bytes(next(filter(None, texts)))
    waivers = base / "waivers.toml"
    waivers.write_text(WAIVER, encoding="utf-8")
    (one,) = read_expectations(waivers, None).waivers or ()
    write_vectors(base / "vectors", written.plan, written.recipes, silent, [one.case, one.case])
    found = Pinning(replace(written, folder=base / "vectors"), waivers, {})
    for device in (Device, Broken):
        found.answers[device] = base / device.__name__
        answer(base / "vectors", found.answers[device], device())
    return found


Verify = Callable[[Path, Expectations], tuple[int, Gate]]


@pytest.fixture
def verify(pinning: Pinning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verify:
    """``vectors verify``, its cases judged in this process: exit code and gate."""

    def verified(results: Path, accepted: Expectations) -> tuple[int, Gate]:
        def supervise(folder: RunFolder, *_: Any) -> Any:
            found = sorted(later(pinning.written, results), key=lambda result: result.case)
            return assemble(folder.plan, found, {}), found

        monkeypatch.setattr(command, "supervise", supervise)
        code = command.verify(pinning.written.folder, results, None, "profile", tmp_path / "run", 0, accepted)
        return code, msgspec.json.decode((tmp_path / "run" / "gate.json").read_bytes(), type=Gate)

    return verified


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("device", "state", "code"), [(Broken, "holds", 0), (Device, "remove me", 1)])
def test_a_waiver_fares_as_in_a_live_run(
    pinning: Pinning, verify: Verify, device: type[Backend], state: str, code: int
) -> None:
    accepted = read_expectations(pinning.waivers, None)
    results = live(pinning.written, device)
    plan = changed(pinning.written.plan, description=device().describe())
    states = replay_pinned(device(), plan, accepted.waivers or (), date(2026, 1, 1))
    gate = hold_to(run_of(pinning.written, device(), results), results, states, accepted)
    assert gate is not None
    found = verify(pinning.answers[device], accepted)
    assert found[0] == EXIT_CODES[gate.verdict] == code
    assert [one.state for one in found[1].waivers] == [one.state for one in states] == [state]
    assert (found[1].verdict, found[1].new) == (gate.verdict, gate.new)
    # A live run leaves out the clamp, sees the failure go, and suspects the product as well, which nothing cleared.
    assert [place for place in found[1].masked if place not in gate.masked] == []
    assert {place.clause for place in gate.masked} <= {"RDNA3-MMA"}


def test_a_waiver_whose_case_nobody_answered_proves_nothing(pinning: Pinning, verify: Verify, tmp_path: Path) -> None:
    accepted = read_expectations(pinning.waivers, None)
    results = Path(shutil.copytree(pinning.answers[Broken], tmp_path / "results"))
    (entry,) = (entry for entry in loaded(pinning.written.folder, "vectors.json")["cases"] if entry["pinned"])
    (results / f"{entry['id']}.bin").unlink()
    code, gate = verify(results, accepted)
    assert (code, [one.state for one in gate.waivers]) == (3, ["inconclusive"])
    assert "never answered" in gate.waivers[0].says


def test_a_waiver_whose_case_is_not_among_the_vectors_proves_nothing(
    pinning: Pinning, written: Written, answered: Callable[[type[Backend]], Path]
) -> None:
    accepted = read_expectations(pinning.waivers, None)
    answers = answered(Broken)
    plan = changed(written.plan, description=Broken().describe(), recorded=(str(written.folder), str(answers)))
    (state,) = command.replay_waived(plan, accepted)
    assert (state.state, "no run of this program" in state.says) == ("inconclusive", True)


def test_a_baseline_accepts_what_recorded_answers_showed(pinning: Pinning, verify: Verify, tmp_path: Path) -> None:
    results = later(pinning.written, pinning.answers[Broken])
    known = tmp_path / "known.json"
    baseline = baseline_of(run_of(pinning.written, Broken(), results), results)
    known.write_bytes(encode_baseline(baseline))
    assert verify(pinning.answers[Broken], read_expectations(None, known))[0] == 0
    nothing = baseline_of(run_of(pinning.written, Broken(), ()), ())
    known.write_bytes(encode_baseline(changed(nothing, backend="nobody")))
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    with pytest.raises(BadInput, match="a baseline of backend nobody"):
        verify(pinning.answers[Broken], read_expectations(None, known))
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before
    known.write_bytes(encode_baseline(nothing))
    code, gate = verify(pinning.answers[Broken], read_expectations(None, known))
    assert (code, {one.clause for one in gate.new}) == (1, {"RDNA3-IU-CLAMP"})
