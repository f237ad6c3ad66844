"""Legal variants of RDNA3: which copies they read, what they leave beside results; none of them ever fails."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.variants import VARIANTS
from mmaspec.backends.numpy.backend import NumpyBackend, OwnVariant
from mmaspec.backends.numpy.units.catalogue import ExactUnit, SequentialUnit
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expectation import Defined
from mmaspec.programs.amd_rdna3_wmma.program import Fill
from mmaspec.programs.windows import image_place
from mmaspec.suites.judging.ask import ask, hold

from .programs import product

NAMED = {variant.name: variant for variant in VARIANTS}
EACH = 3
"""Of the cases this part is asked of every variant."""


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_it_is_legal_everywhere(smoke, variant: OwnVariant) -> None:  # type: ignore[no-untyped-def, type-arg]
    rows = {row.name for row in SPEC.rows(SPEC.default_caps) if not row.tags.isdisjoint(variant.rows)}
    mine = [(case, expected) for case, expected in smoke if case.row in rows and isinstance(expected.first, Defined)]
    assert variant.make is not None
    for case, expected in mine[VARIANTS.index(variant) % EACH :: EACH]:
        backend = NumpyBackend(SequentialUnit(), {SPEC.name: variant.make})
        held = hold(case, expected, ask(backend, case, expected.first))
        assert held.legal, (case.row, case.template)


def of_groups(name: str, lanes: int, factor: str) -> NDArray[np.uint64]:
    """D where the copies of one factor are 1, 2, 3, ... by groups of lanes, and the other one has a single 1 each."""
    program = product(f"i32_16x16x16_iu8_w{lanes}")
    images = {buffer.name: np.zeros((1, buffer.total), np.uint8) for buffer in program.buffers}
    into = images["in"][0, program.buffers[0].base :][: 2 * lanes * 16].reshape(2, lanes, 16)
    into[:, :, 0] = 1
    for group in range(lanes // 16):
        into[0 if factor == "a" else 1, 16 * group : 16 * group + 16, 0] = group + 1
    make = NAMED[name].make
    assert make is not None
    after = make(ExactUnit()).run(program, images)["out"]
    place = image_place(program.buffers[2], 0)
    return after[0, place : place + 1024].view("<u4").reshape(lanes, -1).astype(np.uint64)


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("factor", ["a", "b"])
def test_readers_read_the_copies_that_they_say(lanes: int, factor: str) -> None:
    groups = lanes // 16
    assert (of_groups("reads-lower-copies", lanes, factor) == 1).all()
    assert (of_groups("reads-upper-copies", lanes, factor) == groups).all()
    assert set(of_groups("reads-mixed-copies", lanes, factor).ravel().tolist()) == set(range(1, groups + 1))


@pytest.mark.parametrize(
    ("name", "other"), [("clears-other-halves", 0), ("keeps-other-halves-of-d", 9), ("ties-all", 7)]
)
@pytest.mark.parametrize("opsel", [False, True])
def test_beside_results_stands_what_they_say(name: str, other: int, opsel: bool) -> None:
    program = product("f16_16x16x16_f16_w32", opsel=opsel)
    body = (*program.body[:2], Fill("c", 7), Fill("d", 9), *program.body[3:])
    made = type(program)(program.wave_size, program.buffers, program.fragments, body)
    images = {buffer.name: np.zeros((1, buffer.total), np.uint8) for buffer in made.buffers}
    make = NAMED[name].make
    assert make is not None
    after = make(ExactUnit()).run(made, images)["out"]
    place = image_place(made.buffers[2], 0)
    slots = after[0, place : place + 1024].view("<u2").reshape(-1, 2)
    assert (slots[:, int(not opsel)] == other).all()
    assert (slots[:, int(opsel)] == 7).all()
