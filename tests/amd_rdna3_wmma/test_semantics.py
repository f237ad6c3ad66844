"""Readings, replication, reloads and the other corners of what is stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import certain_bits, illegal
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, Load, Store
from mmaspec.programs.base import Place
from mmaspec.programs.windows import piece
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .programs import BUILTINS, lanes_of, product

INT = "i32_16x16x16_iu8_w32"
LONG = 24
"""Steps beyond which a case costs much and shows no other ablation."""


def case_of(program: Any, **values: list[tuple[int, int, int]]) -> Case:
    """One item with these elements of A, B and C; the rest is zero."""
    arrays = {name: np.zeros((1, 1, 1, 16, 16), np.uint64) for name in values}
    for name, cells in values.items():
        for row, col, bits in cells:
            arrays[name][0, 0, 0, row, col] = bits
    return Case(SPEC.name, INT, "by hand", program, SPEC.default_caps, 1, arrays)


def legal_at(case: Case, value: int, reading: str) -> tuple[bool, bool]:
    """Whether D[0, 0] may be ``value``, and whether a reading was asked for."""
    found = expect(case, readings={"RDNA3-AMB-04": reading})
    assert isinstance(found, Defined)
    legal = found.regions[-1].legal
    got = np.full(legal.shape, value & 0xFFFFFFFF, np.uint64)
    return not illegal(legal, got)[0, 0, 0, 0], bool(found.consulted)


CLAMPED = with_calls(product(INT), a_sign=True, b_sign=True, clamp=True)
TOP = 0x7FFFFFFF


@pytest.mark.parametrize(
    ("reading", "legal", "not_legal"),
    [("final-saturate", TOP, -0x80000000), ("stepwise-saturate", TOP, -0x80000000), ("wrap", -0x80000000, TOP)],
)
def test_the_readings_of_clamp(reading: str, legal: int, not_legal: int) -> None:
    case = case_of(CLAMPED, A=[(0, 0, 1)], B=[(0, 0, 1)], C=[(0, 0, TOP)])
    assert legal_at(case, legal, reading) == (True, True)
    assert legal_at(case, not_legal, reading) == (False, True)


def test_only_a_stepwise_clamp_may_lose_what_came_back_into_range() -> None:
    # C is the largest integer and the products are +1 and -1: the sum fits, a step does not.
    case = case_of(CLAMPED, A=[(0, 0, 1), (0, 1, 0xFF)], B=[(0, 0, 1), (1, 0, 1)], C=[(0, 0, TOP)])
    assert legal_at(case, TOP, "final-saturate") == (True, True)
    assert legal_at(case, TOP - 1, "final-saturate") == (False, True)
    assert legal_at(case, TOP, "wrap") == (True, True)
    assert legal_at(case, TOP - 1, "stepwise-saturate") == (True, True)
    assert legal_at(case, TOP - 2, "stepwise-saturate") == (False, True)


def test_nobody_is_asked_where_nothing_can_overflow() -> None:
    case = case_of(CLAMPED, A=[(0, 0, 1)], B=[(0, 0, 1)], C=[(0, 0, 41)])
    assert legal_at(case, 42, "wrap") == (True, False)
    unclamped = with_calls(CLAMPED, clamp=False)
    case = case_of(unclamped, A=[(0, 0, 1)], B=[(0, 0, 1)], C=[(0, 0, TOP)])
    assert legal_at(case, -0x80000000, "final-saturate") == (True, False)


def test_copies_that_a_program_made_unequal_are_not_judged() -> None:
    program = product(INT)
    grown = replace(program, buffers=(*program.buffers, Buffer("scratch", 1024)))
    # Bytes that hold poison are loaded as A: nothing is known of them, in any copy.
    body = (Load("a", "scratch", 0), *program.body[1:])
    found = expect(case_of(replace(grown, body=body), B=[(0, 0, 1)], C=[(0, 0, 5)]))
    assert isinstance(found, Defined)
    assert (found.regions[-1].legal.why != 0).all()
    # What a store of A wrote has equal copies and can be loaded again.
    body = (program.body[0], Store("a", "scratch", 1), Load("a", "scratch", 1), *program.body[1:])
    found = expect(case_of(replace(grown, body=body), A=[(0, 0, 3)], B=[(0, 0, 2)], C=[(0, 0, 5)]))
    assert isinstance(found, Defined)
    assert (found.regions[-1].legal.why == 0).all()
    assert int(found.regions[-1].legal.lo[0, 0, 0, 0]) == 11


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("builtin", [name for name in BUILTINS if "_f32" not in name])
@pytest.mark.parametrize("fragment", ["a", "b"])
def test_unequal_copies_are_stored_as_every_lane_has_them(builtin: str, fragment: str) -> None:
    program, copies = product(builtin), lanes_of(builtin) // 16
    size = lanes_of(builtin) * program.fragment(fragment).vector_bytes
    names = [f"copy-{number}" for number in range(copies)]
    body = (
        replace(program.body["ab".index(fragment)], data="copy-0", replicas=tuple(names[1:])),
        Store(fragment, "moved", 0),
        Load(fragment, "moved", 0),
        Store(fragment, "moved", 1),
    )
    case = case_of(
        replace(program, buffers=(*program.buffers, Buffer("moved", 2 * size)), body=body),
        **{name: [(0, 0, 1 + number), (15, 3, 7 - number)] for number, name in enumerate(names)},
    )
    found = expect(case)
    assert isinstance(found, Defined)
    lies = found.images["in"][0, piece(program.buffers[0], "ab".index(fragment) * size, size)]
    written = np.zeros((2, size), np.uint64)
    for region in found.regions:
        codes, known = certain_bits(region.legal)
        assert known.all()
        for byte in range(region.legal.fmt.bits // 8):
            written.reshape(-1)[region.addresses + byte] = codes[0] >> np.uint64(8 * byte) & np.uint64(0xFF)
    assert len(found.regions) == 2 * copies
    assert (written == lies).all()
    assert (lies[: size // 2] != lies[size // 2 :]).any()


def test_the_instrumented_program_shows_every_written_fragment(smoke, one_in) -> None:  # type: ignore[no-untyped-def]
    fixed = [
        (case, expected.first) for case, expected in smoke if isinstance(expected.first, Defined) and not case.words
    ]
    assert len(fixed) > 20
    for case, first in fixed[:: one_in(3)]:
        instrumented = SPEC.instrumented(case.program)
        again = expect(case.with_program(instrumented.program))
        assert isinstance(again, Defined)
        written = {step.place.path for step in first.steps if step.legal is not None}
        assert {place.path for place in instrumented.shows.values()} == written


def test_ablated_programs_keep_their_data_and_stay_defined(smoke, one_in) -> None:  # type: ignore[no-untyped-def]
    seen = set()
    for case, expected in smoke[:: 2 * one_in(9)]:
        if not isinstance(expected.first, Defined) or case.words or len(expected.first.steps) > LONG:
            continue
        for step in expected.first.steps:
            for ablation in SPEC.ablations(case.program, Place(step.place.path)):
                assert SPEC.catalogue.clause[ablation.clause].testable
                one = case.item(0).with_program(ablation.program)
                assert isinstance(expect(one), Defined)
                seen.add(ablation.clause)
    assert {"RDNA3-MMA", "RDNA3-ZERO-C", "RDNA3-TILE", "RDNA3-INPLACE", "RDNA3-IU-SIGN", "RDNA3-MEM-FREE"} <= seen
