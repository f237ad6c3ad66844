"""The oracle lets pass what DXC's execution tests let pass, and the reference device leaves such answers."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.hlsl_linalg import DEFAULT_CAPS, AtomicSum, Construction, MatrixProduct, VectorProduct
from tests.hlsl_linalg.bench import UNTOUCHED, program, run
from tests.hlsl_linalg.by_hand import is_right, left

from .host_rules import OUT, RULES, Parts, Rule

CAPS = replace(
    DEFAULT_CAPS,
    construction=(*(Construction(one.component, 4, 4, 4) for one in DEFAULT_CAPS.construction),),
    products=(
        *DEFAULT_CAPS.products,
        MatrixProduct("F16", "F16", "F16", ((8, 8, 8),), group_threads=(32, 64)),
        MatrixProduct("F16", "F16", "F32", ((8, 8, 8),), group_threads=(32, 64)),
        MatrixProduct("I32", "I32", "I32", ((8, 8, 8),), group_threads=(32, 64)),
    ),
    vector_products=(*DEFAULT_CAPS.vector_products, VectorProduct("U32", "U32", "U32")),
    atomics=(*DEFAULT_CAPS.atomics, AtomicSum("I32", True, True)),
)
"""A device that can do what is asked: those tests ask the driver first."""

NAMES = pytest.mark.parametrize("name", RULES)


def given(rule: Rule) -> dict[str, bytes]:
    """What the views hold before."""
    return {name: held.tobytes() for name, held in rule.given.items() if not isinstance(held, int)}


def passes(rule: Rule, answer: Parts) -> bool:
    made = program(rule.body, rule.given, **rule.fields)
    return is_right(made, given(rule), left(made, given(rule), OUT, *answer))


@NAMES
def test_what_passes_there_passes_here(name: str) -> None:
    rule = RULES[name]
    assert [passes(rule, answer) for answer in rule.right] == [True] * len(rule.right)


@NAMES
def test_what_fails_there_fails_here(name: str) -> None:
    rule = RULES[name]
    assert len(rule.wrong) > 0
    assert [passes(rule, answer) for answer in rule.wrong] == [False] * len(rule.wrong)


@pytest.mark.exhaustive(every=3)
@NAMES
def test_the_reference_device_leaves_an_answer_that_passes(name: str) -> None:
    rule = RULES[name]
    device = LinalgDevice(ExactUnit())
    device.caps = CAPS
    found = run(rule.body, rule.given, device, **rule.fields)[OUT]
    held = rule.given[OUT]
    before = np.full(held, UNTOUCHED, np.uint8) if isinstance(held, int) else np.frombuffer(held.tobytes(), np.uint8)
    answers = []
    for parts in rule.right:
        view = bytearray(before.tobytes())
        for offset, part in parts:
            view[offset : offset + len(part)] = part
        answers.append(bytes(view))
    assert found.tobytes() in answers
