"""The reference device, which shares no code with the oracle's rules and layouts, against it: results, and refusals."""

from __future__ import annotations

from itertools import product as pairs

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend, Submitted
from mmaspec.backends.numpy.intel_subgroup_mma import DEVICE
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice
from mmaspec.backends.numpy.intel_subgroup_mma.validity import FUNCTIONS
from mmaspec.backends.numpy.units.catalogue import ExactUnit, SequentialUnit
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.oracle.intel_subgroup_mma.rule_context import Context
from mmaspec.oracle.intel_subgroup_mma.validity import RULES
from mmaspec.oracle.rule_context import broken as broken_rules
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.base import Buffer, RunTime
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import COMPONENT_BYTES, Fragment, Mad, MadProgram

from .programs import fragments, function, named, product
from .running import KINDS, REGIMES, defined, program
from .test_rules import REFUSED

NAME = "intel-subgroup-mma"
ALL = pytest.mark.parametrize("signature", signatures(), ids=named)


@pytest.mark.exhaustive(every=12)
@ALL
@pytest.mark.parametrize("unit", [SequentialUnit, ExactUnit])
def test_it_meets_the_oracle(signature: Signature, unit: type[SequentialUnit]) -> None:
    for number, (kind, regime) in enumerate(pairs(KINDS, REGIMES)):
        run = program(signature, kind)
        expected = defined(run, signature, regime, number)
        found = NumpyBackend(unit(), {NAME: MadDevice}).run(NAME, run, expected.images)
        buffers = {buffer.name: buffer for buffer in run.buffers}
        assert is_legal(expected, expected.images, found, buffers), (kind, regime)
        judged = [bool((region.legal.why == 0).all()) for region in expected.regions]
        assert all(judged) or not FORMS[signature.form].integer


def test_a_block_number_is_read_from_memory() -> None:
    signature = function(16, "u4_i4_i32", 4)
    run = program(signature, "apart")
    body = tuple(
        replace(step, block=RunTime("at", 4)) if getattr(step, "into", "") == "a" else step for step in run.body
    )
    run = replace(run, body=body, buffers=(*run.buffers, Buffer("at", 8)))
    images = {
        buffer.name: np.random.default_rng(5).integers(0, 256, (2, buffer.total), np.uint8) for buffer in run.buffers
    }
    images["at"][:, 64:72] = np.frombuffer(np.array([9, 2], "<u4").tobytes(), np.uint8)
    fixed = replace(run, body=tuple(replace(s, block=2) if getattr(s, "into", "") == "a" else s for s in run.body))
    found, wanted = (MadDevice(SequentialUnit()).run(each, images)["out"] for each in (run, fixed))
    assert np.array_equal(found, wanted)


def test_inputs_stay_as_they_are() -> None:
    signature = function(8, "i8_u8_i32", 2)
    run = program(signature, "in place")
    expected = defined(run, signature, "bytes", 1)
    before = {name: image.copy() for name, image in expected.images.items()}
    MadDevice(SequentialUnit()).run(run, expected.images)
    assert all(np.array_equal(before[name], image) for name, image in expected.images.items())


@pytest.mark.parametrize("what", REFUSED)
def test_it_refuses_what_the_document_has_not(what: str) -> None:
    given, clauses = REFUSED[what]
    with pytest.raises(Refused) as refused:
        NumpyBackend(SequentialUnit(), {NAME: MadDevice}).run(NAME, given, {})
    assert set(refused.value.clauses) == clauses


def test_its_tables_are_those_of_the_document() -> None:
    listed = [(name, line) for name, lines in FUNCTIONS.items() for line in lines]
    wanted = {(one.function, (one.size, one.a[0], one.b[0], one.acc[0])) for one in signatures()}
    assert {(name, tuple(line)) for name, line in listed} == wanted
    assert len(listed) == len(wanted) == 22


def _calls() -> list[MadProgram]:
    """Calls at random: names and vectors of every kind, most of them near those of a function."""
    draw = np.random.default_rng(19)
    elements = ["i8", "u8", "i4", "u4", "f16", "bf16", "i2", "f32", "x1", "8"]
    found = []
    for number in range(6000):
        signature = signatures()[draw.integers(88)]
        name = signature.function
        if number % 3 == 0:
            a, b = draw.choice(elements, 2)
            name = f"{a}_{b}_matrix_mad_k{draw.choice(['16', '32', '64', '032', '8', ''])}"
        parts = [*fragments(signature), replace(fragments(signature)[2], name="d")]
        for at in draw.integers(0, 4, draw.integers(0, 3)):
            component = str(draw.choice([*COMPONENT_BYTES]))
            count = int(draw.choice([1, 2, 4, 8, 16]))
            parts[at] = replace(parts[at], **(({"component": component}, {"count": count})[draw.integers(2)]))
        c = [None, "acc", "d"][draw.integers(3)]
        found.append(MadProgram(8, (), tuple(parts), (Mad(name, "d", "a", "b", c),)))
    return found


def test_it_breaks_the_rules_that_the_oracle_finds_broken() -> None:
    seen = set()
    for one in _calls():
        wanted = broken_rules(RULES, Context(one, Caps()))
        assert set(MadDevice(SequentialUnit()).broken(Submitted(one, {}))) == wanted, one
        seen.add(wanted)
    assert len(seen) > 12
    assert frozenset().union(*seen) == set(RULES)


def test_a_call_with_zeros_takes_the_kind_of_its_result() -> None:
    zeros = product(function(16, "f16_f16_f16", 4))
    body = tuple(replace(step, c=None) if isinstance(step, Mad) else step for step in zeros.body)
    assert MadDevice(SequentialUnit()).broken(Submitted(replace(zeros, body=body), {})) == ()
    other = (*zeros.fragments[:2], Fragment("acc", "cd", "s32", "int", 4))
    broken = MadDevice(SequentialUnit()).broken(Submitted(replace(zeros, fragments=other, body=body), {}))
    assert broken == ("ISGMMA-FP-ACC", "ISGMMA-FUNCS")


def test_it_offers_the_forms_that_a_unit_supports() -> None:
    whole = Caps(16, FORMS_OF[16])
    assert DEVICE.offered(whole, lambda *_: True) == whole
    assert DEVICE.offered(whole, lambda *_: False) is None
    asked = []

    def supports(*types: str) -> bool:
        asked.append(types)
        return types in (("s4", "u4", "s32"), ("bf16", "bf16", "bf16"))

    assert DEVICE.offered(whole, supports) == Caps(16, ("i4_u4_i32", "bf16_bf16_bf16"))
    assert len(asked) == 12


@pytest.mark.parametrize(
    ("form", "regime", "clause"),
    [
        ("i8_u8_i32", "ends", "ISGMMA-INT-WRAP"),
        ("f16_f16_f32", "marked", "ISGMMA-FP-NAN"),
        ("bf16_bf16_bf16", "marked", "ISGMMA-FP-NAN"),
    ],
)
def test_sums_that_wrap_and_nan_are_told(form: str, regime: str, clause: str) -> None:
    """Only values bring these clauses in, so that they cannot pass by sums in which nothing of the kind occurs."""
    signature = function(16, form, 8)
    kernel = program(signature, "apart")
    assert clause in defined(kernel, signature, regime, 1).clauses
    assert clause not in defined(kernel, signature, "small", 1).clauses
