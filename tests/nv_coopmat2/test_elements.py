"""All elements at once: the same as the document's index functions, one element after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.oracle.nv_coopmat2.tensors import elements
from mmaspec.oracle.nv_coopmat2.tensors.elements import Elements, by_definition, tensor_elements
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout
from mmaspec.oracle.nv_coopmat2.tensors.readings import MATHEMATICAL, WRAPS
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, create_tensor_view

ROWS, COLS = 3, 4


def same(one: Elements, other: Elements) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("index", "block", "within", "span")
    )


def agree(
    t: TensorLayout, v: TensorView | None = None, clip_end: str = WRAPS, rows: int = ROWS, cols: int = COLS
) -> bool:
    return all(
        same(
            tensor_elements.__wrapped__(t, rows, cols, store=store, v=v, clip_end=clip_end),
            by_definition(t, rows, cols, store=store, v=v, clip_end=clip_end),
        )
        for store in (False, True)
    )


def test_one_dimension_whatever_its_numbers() -> None:
    """Every mode, block size, dimension, offset and span up to a few times the others."""
    for mode, size, dimension, offset, span in product(range(5), (0, 1, 2, 3), range(4), range(-7, 8), range(4)):
        t = TensorLayout(mode, (size,), (dimension,), (3,), (offset,), (span,), 0)
        assert agree(t), t


def test_two_dimensions_in_every_mode_and_view() -> None:
    views: list[TensorView | None] = [None]
    for order in permutations(range(2)):
        plain = create_tensor_view(2, False, order)
        own = replace(create_tensor_view(2, True, order), view_dimension=(3, 4), view_stride=(5, 1))
        views += [plain, replace(plain, clip_row_offset=1, clip_row_span=1, clip_col_offset=2, clip_col_span=9), own]
    for mode, (outer, inner), offset, v in product(
        range(5), ((3, 4), (2, 4), (3, 3)), ((0, 0), (-1, 2), (1, -5)), views
    ):
        assert agree(TensorLayout(mode, (1, 2), (3, 5), (7, 1), offset, (outer, inner), 0), v)


WORDS = st.one_of(st.integers(0, 6), st.integers(0, 40), st.sampled_from([2**31 - 1, 2**31, 2**32 - 1]))
OFFSETS = st.one_of(st.integers(-40, 40), st.sampled_from([-(2**31), 2**31 - 1, 2**31, -(2**32)]))


def several(of: st.SearchStrategy[int], rank: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[of] * rank)


@st.composite
def layouts(draw: st.DrawFn) -> TensorLayout:
    rank = draw(st.integers(1, 5))
    words = several(WORDS, rank)
    return TensorLayout(
        draw(st.integers(0, 4)), draw(several(st.integers(0, 4), rank)), draw(words), draw(words),
        draw(several(OFFSETS, rank)), draw(words), 0, draw(st.booleans()) and draw(st.booleans()),
    )  # fmt: skip


@st.composite
def views(draw: st.DrawFn) -> TensorView:
    rank = draw(st.integers(1, 5))
    v = create_tensor_view(rank, draw(st.booleans()), tuple(draw(st.permutations(range(rank)))))
    words = several(WORDS, rank)
    clip = draw(several(st.one_of(st.just(0), WORDS), 4))
    return replace(
        v, view_dimension=draw(words), view_stride=draw(words), clip_row_offset=clip[0], clip_row_span=clip[1],
        clip_col_offset=clip[2], clip_col_span=clip[3],
    )  # fmt: skip


@given(layouts(), st.none() | views(), st.sampled_from([WRAPS, MATHEMATICAL]), st.integers(1, 6), st.integers(1, 6))
def test_any_layout_and_view(t: TensorLayout, v: TensorView | None, clip_end: str, rows: int, cols: int) -> None:
    assert agree(t, v, clip_end, rows, cols)


def short_of_the_edge(_: Any, c: Any, __: Any, dimension: int, **___: Any) -> Any:
    return np.clip(c, 0, max(dimension - 2, 0))


def kept(_: Any, c: Any, *__: Any, **___: Any) -> Any:
    return c


def unviewed(walk: Any, _: Any, row: Any, col: Any, __: str) -> Any:
    return row * walk.shape[1] + col


def last_reason(walk: Any, where: Any, reason: Any) -> None:
    walk.ended[np.broadcast_to(where, walk.shape)] = reason.value


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("_clamped", short_of_the_edge), ("_clamped", kept), ("_viewed", unviewed), ("end", last_reason)],
)
def test_a_broken_form_would_be_seen(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any]) -> None:
    monkeypatch.setattr(elements._Walk, name, wrong)
    seen = True
    for mode, offset in product(range(5), ((0, 0), (-1, 2), (1, -5))):
        t = TensorLayout(mode, (1, 2), (3, 5), (7, 1), offset, (3, 4), 0)
        v = replace(create_tensor_view(2, False, (1, 0)), clip_row_offset=1, clip_row_span=1)
        seen = seen and agree(t) and agree(t, v)
    assert not seen
