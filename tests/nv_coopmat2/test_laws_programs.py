"""Laws of whole programs, in the oracle and on the device: round trips, plain loads, clips over old elements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.oracle.nv_coopmat2.addresses import addresses
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    REPEAT,
    ROW_MAJOR,
    CoopMatProgram,
    Instruction,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    SetClip,
    SetDimension,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
    View,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.ask import ask, hold

FEW = settings(max_examples=10, deadline=None, derandomize=True, database=None)
SIDE = 16
OLD = 0x55AA


def program(
    body: tuple[Instruction, ...], layout: Layout, view: View | None = None, component: str = "s32"
) -> CoopMatProgram:
    """Matrices ``c`` and ``d`` of 16 x 16 in one type."""
    return CoopMatProgram(
        buffers=(Buffer("in", 1 << 13), Buffer("out", 1 << 13)),
        matrices=tuple(Matrix(name, component, SIDE, SIDE, 2) for name in "cd"),
        body=body,
        layouts=(layout,),
        views=() if view is None else (view,),
    )


def case_of(made: CoopMatProgram, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    values = {
        source.name: rng.integers(0, 1 << source.fmt.bits, (2, *source.shape), np.uint64)
        for source in SPEC.sources(made)
    }
    return Case("nv-coopmat2", "s8-s32-16x16x32", "law", made, DEFAULT_CAPS, 2, values)


def states(case: Case, device: NumpyBackend) -> tuple[NDArray[np.uint64], ...]:
    """Bits of every store's matrix in the oracle, held against the device as well."""
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    assert hold(case, by_reading, ask(device, case, by_reading.first)).legal
    return tuple(region.legal.bits for region in by_reading.first.regions)


@FEW
@given(
    rest=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    corner=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    turned=st.booleans(),
    seed=st.integers(0, 1 << 32),
)
def test_a_tensor_load_is_a_plain_load(
    device: NumpyBackend, rest: tuple[int, int], corner: tuple[int, int], turned: bool, seed: int
) -> None:
    """The document's first two examples and the plain loads that they replace."""
    outer, inner = (4 * -(-(corner[axis] + SIDE + rest[axis]) // 4) for axis in (0, 1))
    corner = (corner[0], corner[1] // 4 * 4)  # plain loads are aligned, tensor loads need not be
    layout = Layout("t", (SetDimension((outer, inner)), Slice(corner, (SIDE, SIDE))))
    view = View("v", permutation=(1, 0)) if turned else View("v")
    tensor = LoadTensor("c", "in", 0, "t", data="T", view="v" if turned else None)
    plain = Load("d", "in", corner[0] * inner + corner[1], inner, COLUMN_MAJOR if turned else ROW_MAJOR)
    made = program((tensor, plain, Store("c", "out", 0, SIDE), Store("d", "out", SIDE * SIDE, SIDE)), layout, view)
    assert not SPEC.rejected(made, DEFAULT_CAPS)
    assert (addresses(made, tensor, 0) == addresses(made, plain, 0)).all()
    through_tensor, through_array = states(case_of(made, seed), device)
    assert np.array_equal(through_tensor, through_array)


VIEWS = (
    None,
    View("v", permutation=(1, 0)),
    View("v", (SetViewDimensions((4, 8, 8)),), 3, True, (2, 0, 1)),
    View("v", (SetViewDimensions((2, 4, 2, 4, 4)),), 5, True, (3, 1, 4, 0, 2)),
)


@FEW
@given(
    number=st.integers(0, len(VIEWS) - 1),
    corner=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    seed=st.integers(0, 1 << 32),
)
def test_what_is_loaded_is_stored_where_it_was(
    device: NumpyBackend, number: int, corner: tuple[int, int], seed: int
) -> None:
    view = VIEWS[number]
    name = None if view is None else "v"
    layout = Layout("t", (SetDimension((20, 21)), Slice(corner, (SIDE, SIDE))))
    body = (LoadTensor("c", "in", 0, "t", data="T", view=name), StoreTensor("c", "out", 0, "t", view=name))
    case = case_of(program(body, layout, view), seed)
    states(case, device)
    answer = expect(case)
    assert isinstance(answer, Defined)
    (region,) = answer.regions
    found = np.zeros((2, 20 * 21), np.uint64)
    found[:, region.addresses.ravel() // 4] = region.legal.bits.reshape(2, -1)
    wanted = np.zeros((2, 20, 21), np.uint64)
    part = np.s_[:, corner[0] : corner[0] + SIDE, corner[1] : corner[1] + SIDE]
    wanted[part] = case.values["T"][:, 0, 0][part]
    assert np.array_equal(found.reshape(2, 20, 21), wanted)


@FEW
@given(
    clip=st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)),
    seed=st.integers(0, 1 << 32),
)
def test_a_clip_leaves_old_elements(device: NumpyBackend, clip: tuple[int, int, int, int], seed: int) -> None:
    """Under a clip every element is an old one, or one of the unclipped load of a matrix of the region's width."""
    row, high, col, wide = clip
    layout = Layout("t", (SetDimension((5, 7)),), clamp_mode=REPEAT)
    body = (
        Splat("c", Literal(OLD)),
        LoadTensor("c", "in", 0, "t", data="T", view="v"),
        Store("c", "out", 0, SIDE),
    )
    case = case_of(program(body, layout, View("v", (SetClip(*clip),))), seed)
    (found,) = states(case, device)
    data = case.values["T"].reshape(2, -1)
    for r, c in np.ndindex(SIDE, SIDE):
        inside = row <= r < row + high and col <= c < col + wide
        number = ((r - row) * min(SIDE, wide) + c - col) % 35
        assert (found[:, 0, r, c] == (data[:, number] if inside else OLD)).all()


def test_a_clipped_load_into_nothing_is_undefined() -> None:
    layout = Layout("t", (SetDimension((SIDE, SIDE)),))
    load = LoadTensor("c", "in", 0, "t", view="v")
    made = program((load, Store("c", "out", 0, SIDE)), layout, View("v", (SetClip(0, 8, 0, SIDE),)))
    assert SPEC.undefined(made, DEFAULT_CAPS) == {"KHRCM-UNWRITTEN"}
    whole = program((load, Store("c", "out", 0, SIDE)), layout, View("v", (SetClip(0, SIDE, 0, SIDE),)))
    assert not SPEC.undefined(whole, DEFAULT_CAPS)


@pytest.mark.parametrize("mode", range(5))
def test_a_store_never_leaves_the_layout(mode: int, device: NumpyBackend) -> None:
    layout = Layout("t", (SetDimension((9, 11)), Slice((-3, -2), (SIDE, SIDE))), clamp_mode=mode)
    made = program((Splat("c", Literal(7)), StoreTensor("c", "out", 0, "t")), layout)
    if mode == 0:
        assert SPEC.undefined(made, DEFAULT_CAPS) == {"NVCM2-CLAMP-UNDEF"}
        return
    states(case_of(made, 1), device)
    answer = expect(case_of(made, 1))
    assert isinstance(answer, Defined)
    base = 64
    written = answer.owned["out"][base : base + 4 * 9 * 11]
    assert written.all()
    assert answer.owned["out"].sum() == written.sum()


@pytest.mark.parametrize("span", [(SIDE, SIDE), (SIDE, SIDE + 3), (5, 7)])
def test_view_strides_may_count_downwards(span: tuple[int, int], device: NumpyBackend) -> None:
    """Sums of view strides keep 32 bits: a stride of 2^32 - 1 is a step back, modulo 2^32 and then by the spans."""
    layout = Layout("t", (SetDimension(span),))
    view = View("v", (SetViewDimensions((SIDE, SIDE)), SetViewStride((SIDE, 0xFFFF_FFFF))), 2, True)
    case = case_of(
        program((LoadTensor("c", "in", 0, "t", data="T", view="v"), Store("c", "out", 0, SIDE)), layout, view), 3
    )
    (found,) = states(case, device)
    data = case.values["T"].reshape(2, -1)
    for r, c in np.ndindex(SIDE, SIDE):
        number = (SIDE * r - c) % (1 << 32)
        row, col = number // span[1] % span[0], number % span[1]
        assert (found[:, 0, r, c] == data[:, row * span[1] + col]).all()
