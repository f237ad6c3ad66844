"""A long batch that is judged in parts shows what it shows in one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace as changed

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.faults import fault_named, faults_of
from mmaspec.backends.protocol import Backend, Refused
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.acceptance import Tally, acceptance
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import Wrong, expect_by_reading
from mmaspec.oracle.spec import SPECS
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.judge_case import CaseJudge, expect_some
from mmaspec.suites.judging.parts import Parts, merged
from mmaspec.suites.judging.record import Result

from .conftest import every_recipe

WHOLE = 1 << 20
IT = "some case"


def sampled(spec: str, count: int) -> Iterator[Case]:
    """Cases of different templates, near misses too, with a batch that is no multiple of a part."""
    templates = {recipe.template: recipe for recipe in reversed(every_recipe()) if recipe.spec == spec}
    for recipe in sorted(templates.values(), key=lambda recipe: recipe.id)[:count]:
        yield materialise(recipe).head(11)


def judged(backend: Any, case: Case, together: int, profile: Profile = PRACTICE) -> tuple[Result, bytes]:
    """The result, but for the digest of the answers: none is made of those that are judged in parts."""
    judge = CaseJudge(backend, backend.describe(), profile, {IT: ()}, together=together)
    result, example = judge.judge(case, IT, expect_some(case, profile, together))
    assert not result.answer or case.batch <= together
    return changed(result, answer=""), example


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("together", [4, 10])
def test_a_good_backend_has_the_same_result(spec: str, together: int) -> None:
    backend = resolve("numpy")
    for case in sampled(spec, 6):
        assert judged(backend, case, together) == judged(backend, case, WHOLE), case.template


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("spec", SPECS)
def test_a_wrong_one_has_the_same_finding_blame_and_case_file(spec: str) -> None:
    failed = 0
    for case in sampled(spec, 10):
        acted = _clauses(case)
        fault = next((fault for fault in faults_of(spec) if fault.clause in acted), None)
        if fault is None or failed == 2:
            continue
        whole, parts = judged(fault.make(), case, WHOLE), judged(fault.make(), case, 4)
        assert parts == whole, (fault.name, case.template)
        failed += whole[0].finding is not None
    assert failed > 1


def _clauses(case: Case) -> frozenset[str]:
    first = expect_by_reading(case, PRACTICE).first
    return first.clauses if isinstance(first, Defined) else frozenset({case.target})


class Late:
    """Wrong in one item only, which is told by its data; a good backend otherwise."""

    def __init__(self, item: np.ndarray[Any, Any], buffer: str) -> None:
        self._backend: Backend = resolve("numpy")
        self._item = item
        self._buffer = buffer

    def describe(self) -> Any:
        return self._backend.describe()

    def caps(self, spec: str) -> Any:
        return self._backend.caps(spec)

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        outputs = {name: image.copy() for name, image in self._backend.run(spec, program, inputs).items()}
        stored = next(reversed(outputs))
        for number, image in enumerate(inputs[self._buffer]):
            if np.array_equal(image[: self._item.size][self._known], self._item[self._known]):
                outputs[stored][number] ^= 1
        return outputs

    _known: Any = slice(None)


def first_defined(spec: str) -> tuple[Case, Defined]:
    """A case with more items than two parts of four."""
    for case in sampled(spec, 30):
        first = expect_by_reading(case, PRACTICE).first
        if isinstance(first, Defined) and case.batch > 10:
            return case, first
    raise AssertionError


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("item", [3, 4, 10])
def test_the_item_is_that_of_the_whole_batch(item: int) -> None:
    case, first = first_defined("amd-rdna3-wmma")
    buffer = next(iter(first.images))
    backend = Late(first.images[buffer][item], buffer)
    backend._known = first.known[buffer]
    whole, parts = judged(backend, case, WHOLE)[0], judged(backend, case, 4)[0]
    assert parts == whole
    assert whole.finding is not None
    assert whole.finding.element is not None


@pytest.mark.parametrize("error", [Refused("no", ("RDNA3-MMA",)), Raised("X: y"), BadReply("short")])
def test_a_part_without_an_answer_is_a_batch_without_one(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    case, _ = first_defined("amd-rdna3-wmma")
    backend = resolve("numpy")
    good = backend.run
    seen = 0

    def run(spec: str, program: Any, inputs: Any) -> Any:
        nonlocal seen
        seen += len(next(iter(inputs.values())))
        if seen > 8:
            raise error
        return good(spec, program, inputs)

    monkeypatch.setattr(backend, "run", run)
    parts = judged(backend, case, 4)[0]
    seen = 9
    assert replace_clauses(parts) == replace_clauses(judged(backend, case, WHOLE)[0])


def replace_clauses(result: Result) -> Result:
    return changed(result, clauses=())


def test_a_backend_sees_the_items_in_the_order_of_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    case, _ = first_defined("hlsl-wave-matrix")
    backend = resolve("numpy")
    good = backend.run
    seen: list[bytes] = []

    def run(spec: str, program: Any, inputs: Any) -> Any:
        seen.extend(b"".join(image[item].tobytes() for image in inputs.values()) for item in range(_items(inputs)))
        return good(spec, program, inputs)

    monkeypatch.setattr(backend, "run", run)
    judged(backend, case, WHOLE)
    whole, seen[:] = list(seen), []
    judged(backend, case, 4)
    assert seen == whole
    assert len(whole) == 2 * case.batch


def _items(inputs: Any) -> int:
    return len(next(iter(inputs.values())))


def test_readings_hold_for_all_parts() -> None:
    """One part alone may be explained by a reading that another rules out."""
    many = 0
    clamping = [recipe for recipe in every_recipe() if recipe.template == "sums-clamp"]
    for recipe in clamping[:4]:
        case = materialise(recipe).head(11)
        backend = resolve("numpy")
        whole = judged(backend, case, WHOLE)[0]
        assert judged(backend, case, 3)[0] == whole
        many += bool(whole.accepted)
    assert many


@pytest.mark.parametrize("spec", SPECS)
def test_acceptance_of_parts_is_that_of_the_batch(spec: str) -> None:
    for case in sampled(spec, 3):
        first = expect_by_reading(case, PRACTICE).first
        if not isinstance(first, Defined):
            continue
        tally = Tally()
        for start in range(0, case.batch, 4):
            part = expect_by_reading(case.items(slice(start, start + 4)), PRACTICE).first
            assert isinstance(part, Defined)
            tally.add(part)
        assert tally.acceptance() == acceptance(first)


def test_what_is_wrong_in_parts_is_put_together() -> None:
    value = Wrong("value", "out", 0, 2, (0, 1, 1), 8, 5, 0, 3, 4, slight=True)
    copies = replace(value, symptom="unlike", item=0, count=7)
    touched = Wrong("touched", "out", -1, 1, (), 9, 1, 0, 0, 2)
    found = merged(iter([(0, (copies, touched)), (4, (value, touched)), (8, (replace(value, slight=False),))]))
    assert found == (replace(value, item=6, count=8, slight=False), replace(touched, item=1, count=4))


def test_a_cause_has_to_explain_every_part() -> None:
    name = "rdna3-clamps-unsigned"
    case = next(case for case in sampled("amd-rdna3-wmma", 40) if fault_named(name).clause in _clauses(case))
    parts = Parts(fault_named(name).make(), case, PRACTICE, 4)
    assert parts.seen
    assert parts.reproduced(fault_named(name))
    good = Parts(resolve("numpy"), case, PRACTICE, 4)
    assert good.verdict().accepted


SCRIPT = """
import dataclasses, json
from pathlib import Path
import numpy as np
import mmaspec
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.recipe import materialise
spec = "amd-rdna3-wmma"
recipes = case_list(spec, spec_named(spec).default_caps, "quick")
case = materialise(next(r for r in recipes if r.template == "product" and r.row.startswith("i32")))
items = 10_000 // case.program.waves  # each wave multiplies a tile of its own
values = {name: np.resize(bits, (items, *bits.shape[1:])) for name, bits in case.values.items()}
case = dataclasses.replace(case, batch=items, values=values)
def peak():  # of this process alone; ru_maxrss would begin with that of the process which started it
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
before = peak()
done = mmaspec.assert_conforms(resolve("numpy"), case)
after = peak()
print(json.dumps([done.result.outcome, before / 1024, after / 1024]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")
def test_ten_thousand_tiles_fit_into_300_megabytes() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    outcome, _, most = json.loads(done.stdout)
    assert outcome == "legal"
    assert most < 300, f"{most:.0f} MB"
