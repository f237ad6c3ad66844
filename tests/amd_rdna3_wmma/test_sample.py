"""The document's sample, statement by statement: f16 from f16, OPSEL, a C of sixteen slots, row-major matrices.

Nothing here comes from the oracle: the loops are the sample's, on lists of 32-bit registers. Between them a product of
16x16 is all that the builtin is; the reference device and the oracle have to leave what the sample then stores.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.units.catalogue import ExactUnit
from mmaspec.oracle.amd_rdna3_wmma.semantics import execute
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, Fragment, Load, Store, Wmma, WmmaProgram
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import PRACTICE

Halves = NDArray[np.float16]
Fragments = NDArray[np.float16]
"""One vector a lane: ``(lanes, slots)``."""

Builtin = Callable[[Fragments, Fragments, Fragments, bool], list[Fragments]]
"""Everything that may be in c_frag after the call, by whom."""


def kernel(a: Halves, b: Halves, lanes: int, opsel: bool, call: Builtin) -> list[Halves]:
    """``wmma_matmul`` of the sample, for all threads of the block; ``a`` and ``b`` are its arguments.

    In wave64 a fragment of C has eight slots, and a row is ``ele * 4 + lIdx / 16`` in four steps.
    """
    elements = 8 if lanes == 32 else 4
    a_frag, b_frag = np.zeros((lanes, 16), np.float16), np.zeros((lanes, 16), np.float16)
    c_frag = np.zeros((lanes, 2 * elements), np.float16)
    for l_idx in range(lanes):
        lane = l_idx % 16
        for ele in range(16):
            b_frag[l_idx, ele] = b[16 * ele + lane]
        for ele in range(16):
            a_frag[l_idx, ele] = a[16 * lane + ele]
    stored = []
    for left in call(a_frag, b_frag, c_frag, opsel):
        c = np.full(256, np.nan, np.float16)
        for l_idx in range(lanes):
            lane = l_idx % 16
            for ele in range(elements):
                r = ele * (lanes // 16) + l_idx // 16
                assert np.isnan(c[16 * r + lane]), "no element is stored twice"
                c[16 * r + lane] = left[l_idx, ele * 2 + 1] if opsel else left[l_idx, ele * 2]
        stored.append(c)
    return stored


def program(lanes: int, opsel: bool) -> WmmaProgram:
    """The call alone: fragments come from memory and go back to it as they are."""
    slots = 16 if lanes == 32 else 8
    return WmmaProgram(
        wave_size=lanes,  # type: ignore[arg-type]
        buffers=(
            Buffer("a", lanes * 32), Buffer("b", lanes * 32), Buffer("c", lanes * 2 * slots),
        ),
        fragments=(
            Fragment("a", "a", "half", 16), Fragment("b", "b", "half", 16), Fragment("c", "cd", "half", slots)
        ),
        body=(
            Load("a", "a"), Load("b", "b"), Load("c", "c"),
            Wmma(f"f16_16x16x16_f16_w{lanes}", "c", "a", "b", "c", opsel=opsel), Store("c", "c"),
        ),
    )  # fmt: skip


def by_device(a: Fragments, b: Fragments, c: Fragments, opsel: bool) -> list[Fragments]:
    """What the reference device leaves."""
    made, images = program(len(a), opsel), {}
    for buffer, held in zip(made.buffers, (a, b, c), strict=True):
        images[buffer.name] = np.zeros((1, buffer.total), np.uint8)
        images[buffer.name][0, buffer.base : buffer.base + buffer.size] = held.view(np.uint8).ravel()
    after = WmmaDevice(ExactUnit()).run(made, images)["c"]
    place = made.buffers[2]
    return [after[0, place.base : place.base + place.size].copy().view(np.float16).reshape(c.shape)]


def judged(expected: Fragments, a: Fragments, b: Fragments, c: Fragments, opsel: bool) -> tuple[bool, bool]:
    """Whether the oracle takes these registers, and whether it takes them with one of the used slots changed."""
    made = program(len(a), opsel)
    memory = Memory(made.buffers, 1)
    for name, held in (("a", a), ("b", b), ("c", c)):
        octets = held.view(np.uint8).ravel().astype(np.uint64)[None]
        memory.place(name, np.arange(held.nbytes), octets, format_named("u8"))
    execute(made, memory, PRACTICE, Readings({}))
    wrong = []
    for changed in (expected, expected + np.float16(64)):
        words = changed.view(np.uint16).ravel().astype(np.uint64)
        wrong.append(
            any(illegal(region.legal, words[region.addresses // 2][None]).any() for region in memory.regions())
        )
    return not wrong[0], not wrong[1]


def matrices(kind: str) -> tuple[Halves, Halves]:
    """A and B as the host fills them, row after row: ones as in the sample, or integers that differ everywhere."""
    if kind == "ones":
        return np.ones(256, np.float16), np.ones(256, np.float16)
    row, column = np.indices((16, 16))
    a = (row == (5 * column) % 16) * (1 + row % 4)
    b = (row * 7 + column * 3) % 31 - 15
    return a.ravel().astype(np.float16), b.ravel().astype(np.float16)


CASES = pytest.mark.parametrize(
    ("lanes", "opsel", "kind"),
    [(lanes, opsel, kind) for lanes in (32, 64) for opsel in (False, True) for kind in ("ones", "all-differ")],
)


@CASES
def test_the_reference_device_runs_the_sample(lanes: int, opsel: bool, kind: str) -> None:
    a, b = matrices(kind)
    (found,) = kernel(a, b, lanes, opsel, by_device)
    product = a.reshape(16, 16).astype(np.int64) @ b.reshape(16, 16).astype(np.int64)
    assert np.array_equal(found.reshape(16, 16), product)
    if kind == "ones":
        assert (found == 16).all()


@CASES
def test_the_oracle_takes_what_the_sample_has_and_nothing_else(lanes: int, opsel: bool, kind: str) -> None:
    """The slots that the sample does not read may hold anything."""
    a, b = matrices(kind)
    product = a.reshape(16, 16).astype(np.int64) @ b.reshape(16, 16).astype(np.int64)
    verdicts = []

    def call(a_frag: Fragments, b_frag: Fragments, c_frag: Fragments, opsel: bool) -> list[Fragments]:
        for other in (0.0, 12.0):
            left = np.full(c_frag.shape, other, np.float16)
            for l_idx in range(lanes):
                for ele in range(c_frag.shape[1] // 2):
                    left[l_idx, ele * 2 + opsel] = product[ele * (lanes // 16) + l_idx // 16, l_idx % 16]
            verdicts.append(judged(left, a_frag, b_frag, c_frag, opsel))
        return []

    kernel(a, b, lanes, opsel, call)
    assert verdicts == [(True, False)] * 2
