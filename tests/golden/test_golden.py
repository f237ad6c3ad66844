"""Every testable clause has a golden example, and oracle, numpy backend and counterfactuals agree about it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Refused
from mmaspec.generators.golden import Golden, case_of, golden_ids, golden_of, owner_of
from mmaspec.generators.golden_caps import golden_caps, golden_caps_of
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined, Rejected, Undefined
from mmaspec.oracle.judge import judge
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.windows import image_place
from mmaspec.suites.judging.ask import ask, buffers_of
from mmaspec.suites.judging.invalid import outline

TESTABLE = sorted(
    clause for name in SPECS for clause, entry in spec_named(name).catalogue.clause.items() if entry.testable
)


def test_testable_clauses_have_examples_of_their_own() -> None:
    for clause in (clause for clause in TESTABLE if clause not in golden_caps()):
        golden = golden_of(clause)
        assert golden.clause == clause
        words = 15 if golden.expect.verdict == "defined" else 5
        assert len(golden.derivation.split()) >= words, f"{clause}: a derivation that a person can follow"


def test_every_example_belongs_to_a_clause() -> None:
    for clause in (*golden_ids(), *golden_caps()):
        owner_of(clause)


@pytest.mark.parametrize("clause", golden_caps())
def test_oracle_meets_the_example_of_caps(clause: str) -> None:
    golden = golden_caps_of(clause)
    assert golden.clause == clause
    assert len(golden.derivation.split()) >= 15, "a derivation that a person can follow"
    report = owner_of(clause).reported(golden.reported)
    assert [(row, breach.clause) for row, breach in report.breaches()] == [(row, clause) for row in golden.breaks]
    assert set(report.rows()) - set(golden.breaks) == set(golden.keeps)
    right = golden.reported_right
    assert golden.keeps or right is not None, "an example in which nothing is right shows little"
    assert right is None or not [*owner_of(clause).reported(right).breaches()]
    assert report.not_covered() == {}


@pytest.mark.parametrize("clause", golden_ids())
def test_oracle_meets_the_example(clause: str) -> None:
    golden = golden_of(clause)
    case = case_of(golden)
    answer = expect(case, readings=golden.expect.readings)
    if golden.expect.verdict == "rejected":
        assert isinstance(answer, Rejected)
        assert answer.clauses == set(golden.expect.clauses)
        return
    if golden.expect.verdict == "undefined":
        assert isinstance(answer, Undefined)
        assert answer.clauses == set(golden.expect.clauses)
        return
    assert isinstance(answer, Defined)
    assert golden.expect.bytes, "an example without bytes shows nothing"
    demanded = {entry.buffer for entry in golden.expect.bytes}
    wrong = judged_bytes(golden, answer, flip=False)
    assert not wrong, wrong
    assert demanded <= set(answer.images)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("clause", [c for c in golden_ids() if golden_of(c).expect.verdict == "defined"])
def test_oracle_forbids_other_bytes_than_the_example(clause: str) -> None:
    golden = golden_of(clause)
    answer = expect(case_of(golden), readings=golden.expect.readings)
    assert isinstance(answer, Defined)
    assert judged_bytes(golden, answer, flip=True), "flipping bits of the demanded bytes must be illegal"


def judged_bytes(golden: Golden, answer: Defined, *, flip: bool) -> list[str]:
    """What is illegal when the example's bytes, or their complement, are in memory; nothing else is looked at."""
    where = buffers_of(case_of(golden).program)
    after = {name: image.copy() for name, image in answer.images.items()}
    spoken: set[tuple[str, int]] = set()
    for entry in golden.expect.bytes:
        start = image_place(where[entry.buffer], entry.offset)
        for number, byte in enumerate(entry.data):
            after[entry.buffer][:, start + number] = byte ^ (0xFF if flip else 0)
            spoken.add((entry.buffer, entry.offset + number))
    found = []
    for region in answer.regions:
        nbytes = region.legal.fmt.nbytes
        whole = np.ones(region.live.shape, np.bool_)
        for byte in range(nbytes):
            inside = [(region.buffer, int(address) + byte) in spoken for address in region.addresses.ravel()]
            whole &= np.array(inside).reshape(whole.shape)
        part = dataclasses.replace(answer, regions=(dataclasses.replace(region, live=region.live & whole),))
        found += [f"{wrong.buffer}[{wrong.address}]" for wrong in judge(part, answer.images, after, where).wrong]
    return found


@pytest.mark.parametrize("clause", [c for c in golden_ids() if golden_of(c).expect.verdict != "undefined"])
def test_numpy_backend_meets_the_example(clause: str) -> None:
    golden = golden_of(clause)
    case = case_of(golden)
    numpy = NumpyBackend(ExactUnit(), DEVICES)
    numpy.report(case.spec, case.caps)
    if golden.expect.verdict == "rejected":
        with pytest.raises(Refused) as refusal:
            numpy.run(case.spec, case.program, outline(case))
        assert set(refusal.value.clauses) == set(golden.expect.clauses)
        return
    answer = expect(case, readings=golden.expect.readings)
    assert isinstance(answer, Defined)
    where = buffers_of(case.program)
    for reply in ask(numpy, case, answer):
        for entry in golden.expect.bytes:
            start = image_place(where[entry.buffer], entry.offset)
            assert reply.after[entry.buffer][0, start : start + len(entry.data)].tobytes() == entry.data
