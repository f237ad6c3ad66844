"""Answers from elsewhere get the verdicts of a live run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.failures import Died, Raised, Unanswered
from mmaspec.backends.faults import fault_named, faults_of
from mmaspec.backends.protocol import Backend, Images
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.vectors.answers import Replayed, read_results
from mmaspec.suites.vectors.evidence import weighed
from mmaspec.suites.vectors.folder import read_manifest
from mmaspec.suites.vectors.recorded_run import RecordedExplainer
from tests.case_lists import case_list

from . import devices
from .conftest import Written
from .judging import failing, later, live, run_of

Answered = Callable[[type[Backend]], Path]


@pytest.mark.parametrize(
    "device", [devices.Device, devices.Executes, devices.Validates, devices.Refuses], ids=lambda device: device.__name__
)
def test_answers_without_a_wrong_value_give_the_very_same_run(
    written: Written, answered: Answered, device: type[Backend]
) -> None:
    now, then = live(written, device), later(written, answered(device))
    assert now == then
    assert run_of(written, device(), now) == run_of(written, device(), then)


def test_good_answers_conform(written: Written, answered: Answered) -> None:
    assert run_of(written, devices.Device(), later(written, answered(devices.Device))).verdict == "conformant"


def test_broken_twin_fails_on_the_same_clause(written: Written, answered: Answered) -> None:
    now, then = live(written, devices.Broken), later(written, answered(devices.Broken))
    assert [result.outcome for result in now] == [result.outcome for result in then]
    judged = [run_of(written, devices.Broken(), results) for results in (now, then)]
    assert [run.verdict for run in judged] == ["not conformant"] * 2
    assert [failing(run) for run in judged] == [["RDNA3-IU-CLAMP"]] * 2
    findings = [result.finding for result in then if result.finding]
    assert {finding.how for finding in findings} == {"reproduced"}
    assert {finding.cause for finding in findings} == {result.finding.cause for result in now if result.finding}


def test_what_nothing_reproduces_is_told_by_the_other_cases(written: Written, answered: Answered) -> None:
    results = later(written, answered(devices.OffInPlace))
    findings = [result.finding for result in results if result.finding]
    assert findings
    assert {finding.how for finding in findings} == {"not rerun"}
    assert {finding.blamed[0] for finding in findings} == {"RDNA3-INPLACE"}
    assert all(len(finding.blamed) > 1 for finding in findings)
    assert run_of(written, devices.Device(), results).verdict == "not conformant"


class LastBits(devices.Device):
    """The columns of A for its rows, and every float one representable value away from the correctly rounded one."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        found: Images = fault_named("rdna3-columns-of-a").make().run(spec, program, inputs)
        for name, image in found.items():
            words, before = image.view("<u4"), np.array(inputs[name]).view("<u4")
            words[words != before] ^= 1
        return found


def test_broken_device_that_rounds_in_its_own_way_resembles_the_counterfactual() -> None:
    listed = case_list(devices.SPEC, Caps(builtins=("f32_16x16x16_f16_w32",)), "quick")
    recipe = next(recipe for recipe in listed if recipe.template == "product-normal")
    device = LastBits()
    result, _ = CaseJudge(
        device, device.describe(), PRACTICE, {recipe.id: ()}, limit=0, explaining=RecordedExplainer
    ).judge_listed(recipe)
    assert result.finding is not None
    assert (result.finding.how, result.finding.blamed) == ("resembles", ("RDNA3-AB-ROWCOL",))
    unknown = [fault.name for fault in faults_of(devices.SPEC) if fault.clause == "RDNA3-AB-ROWCOL"]
    plain, _ = CaseJudge(
        device, device.describe(), PRACTICE, {recipe.id: ()}, limit=0, unknown=unknown, explaining=RecordedExplainer
    ).judge_listed(recipe)
    assert plain.finding is not None
    assert plain.finding.how == "not rerun"
    both = [replace(plain, case="0" * 16), result]
    assert [one.finding.blamed[0] for one in weighed(both) if one.finding] == ["RDNA3-AB-ROWCOL"] * 2


def test_failing_case_is_kept_whole(written: Written, answered: Answered) -> None:
    backend = Replayed(written.folder, answered(devices.Broken))
    case_judge = CaseJudge(
        backend, backend.describe(), written.plan.profile, written.known, explaining=RecordedExplainer
    )
    results = [case_judge.judge_listed(recipe) for recipe in written.recipes]
    texts = [text for result, text in results if result.finding and result.example]
    assert len(texts) == 1
    assert b'"origin"' in texts[0]


def _one(written: Written, *, target: bool) -> str:
    """The first case that is, or is not, a near miss."""
    return next(recipe.id for recipe in written.recipes if bool(recipe.target) is target)


def _judged(written: Written, own: tuple[Path, Path], identity: str) -> Result:
    backend = Replayed(*own)
    case_judge = CaseJudge(
        backend, backend.describe(), written.plan.profile, written.known, limit=0, explaining=RecordedExplainer
    )
    return case_judge.judge_listed(next(recipe for recipe in written.recipes if recipe.id == identity))[0]


@pytest.mark.parametrize("target", [False, True], ids=["program", "near-miss"])
def test_unanswered_is_inconclusive(written: Written, own: tuple[Path, Path], target: bool) -> None:
    identity = _one(written, target=target)
    (own[1] / f"{identity}.{'refused' if target else 'bin'}").unlink()
    result = _judged(written, own, identity)
    assert (result.outcome, result.why) == ("inconclusive", "never answered")
    assert result.sensitive == written.known[identity]


def test_accepted_near_miss_fails(written: Written, own: tuple[Path, Path]) -> None:
    identity = _one(written, target=True)
    (own[1] / f"{identity}.refused").rename(own[1] / f"{identity}.bin")
    result = _judged(written, own, identity)
    assert result.outcome == "illegal"
    assert result.finding is not None
    assert result.finding.symptom == "not refused"
    assert result.finding.blamed == (result.target,)


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"x", lambda _: b""], ids=list("-+0"))
def test_answer_of_another_size_is_a_bad_reply(
    written: Written, own: tuple[Path, Path], change: Callable[[bytes], bytes]
) -> None:
    identity = _one(written, target=False)
    path = own[1] / f"{identity}.bin"
    path.write_bytes(change(path.read_bytes()))
    result = _judged(written, own, identity)
    assert result.outcome == "illegal"
    assert result.finding is not None
    assert result.finding.symptom == "bad reply"
    assert path.name in result.finding.says


def test_touched_guard_zone_is_seen(written: Written, own: tuple[Path, Path]) -> None:
    identity = _one(written, target=False)
    path = own[1] / f"{identity}.bin"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # the guard zone after the last buffer, of the run with the other poison
    path.write_bytes(data)
    result = _judged(written, own, identity)
    assert result.finding is not None
    assert (result.finding.symptom, result.finding.blamed) == ("touched", ("RDNA3-STORE-ONLY",))


def test_words_in_the_place_of_bytes(written: Written, own: tuple[Path, Path]) -> None:
    identity = _one(written, target=True)
    recipe = next(recipe for recipe in written.recipes if recipe.id == identity)
    case = materialise(recipe)
    (own[1] / f"{identity}.refused").unlink()
    for kind, error in (("raised", Raised), ("died", Died)):
        path = own[1] / f"{identity}.{kind}"
        path.write_text("out of\tregisters\nmore", encoding="utf-8")
        with pytest.raises(error, match="out of registers"):
            Replayed(*own).run(case.spec, case.program, outline(case))
        path.unlink()


def test_inputs_that_nobody_listed_have_no_answer(written: Written, own: tuple[Path, Path]) -> None:
    case = materialise(written.recipes[0])
    changed = {name: image ^ 1 for name, image in outline(case).items()}
    with pytest.raises(Unanswered, match="no run of this program"):
        Replayed(*own).run(case.spec, case.program, changed)


def test_answers_to_other_vectors_are_refused(own: tuple[Path, Path]) -> None:
    manifest = read_manifest(own[0])
    path = own[1] / "results.json"
    path.write_text(path.read_text(encoding="utf-8").replace(manifest.digest, "0" * 64), encoding="utf-8")
    with pytest.raises(BadInput, match=r"results\.json: answers vectors 0000"):
        read_results(own[1], manifest)


def test_answers_to_unknown_cases_and_twice_are_refused(written: Written, own: tuple[Path, Path]) -> None:
    manifest = read_manifest(own[0])
    stray = own[1] / "0000000000000000.bin"
    stray.write_bytes(b"")
    with pytest.raises(BadInput, match=stray.name):
        read_results(own[1], manifest)
    stray.unlink()
    second = own[1] / f"{_one(written, target=False)}.died"
    second.write_bytes(b"")
    with pytest.raises(BadInput, match=second.name):
        read_results(own[1], manifest)
