"""The view of an access, made from chosen classes."""

from __future__ import annotations

from math import prod

from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.program import Matrix, SetClip, SetViewDimensions, SetViewStride, ViewSetter
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.nv_coopmat2.arrays.extents import Extents, factors
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import Plan
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder

DEFAULT_SPAN = 0xFFFF_FFFF
"""The spans of the clip of a new view."""


def view_for(builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, tensor: Plan) -> str | None:
    """The name of the view; None where none is chosen."""
    kind = chosen["view-order"]
    if kind == "no-view":
        return None
    own = chosen["view-has-dimensions"] == "with-set"
    rank = max(3, min(5, len(tensor.dims) + 1)) if own else len(tensor.dims)
    order = permutation(rank, kind)
    calls: list[ViewSetter] = []
    if own:
        dims = factors(matrix.rows, matrix.cols, rank)
        calls.append(SetViewDimensions(_written(builder, dims)))
        if chosen.get("view-stride-kind", "implicit") != "implicit":
            calls.append(SetViewStride(_written(builder, _strides(dims, chosen["view-stride-kind"]))))
    elif chosen["view-has-dimensions"] == "without-but-set":
        calls.append(SetViewDimensions(_written(builder, tuple(span + 1 for span in tensor.spans))))
        calls.append(SetViewStride(_written(builder, (2,) * rank)))
    clip: Extents = (*_clip(matrix.rows, chosen["clip-rows"]), *_clip(matrix.cols, chosen["clip-columns"]))
    if clip != (0, DEFAULT_SPAN, 0, DEFAULT_SPAN):
        place = builder.choices.integer(0, len(calls))
        calls.insert(place, SetClip(*_written(builder, clip)))
    return builder.view(tuple(calls), rank=rank, own=own, permutation=order)


def permutation(rank: int, kind: str) -> Extents:
    """The order of the axes of a class of ``view-order``."""
    order = list(range(rank))
    if kind == "swap-inner" and rank > 1:
        order[-2:] = order[:-3:-1]
    elif kind == "swap-outer" and rank > 1:
        order[:2] = order[1::-1]
    elif kind == "reversal":
        order.reverse()
    elif kind == "cycle-left":
        order = [*order[1:], order[0]]
    elif kind == "cycle-right":
        order = [order[-1], *order[:-1]]
    return tuple(order)


def _strides(dims: Extents, kind: str) -> Extents:
    """Strides of the view's own: packed ones with a gap before the outermost, or 0 there."""
    packed = [prod(dims[dim + 1 :]) for dim in range(len(dims))]
    return (0, *packed[1:]) if kind == "zero-outer" else (packed[0] + 3, *packed[1:])


def _clip(extent: int, kind: str) -> tuple[int, int]:
    """Offset and span of the elements that stay, of a class of ``clip-rows`` or ``clip-columns``."""
    if kind == "first":
        return 0, max(1, extent - 3)
    if kind == "last":
        return 2, extent - 2
    if kind == "middle":
        return 1, max(1, extent - 3)
    return 0, DEFAULT_SPAN


def _written(builder: ProgramBuilder, values: Extents) -> tuple[Index, ...]:
    return tuple(builder.argument(value) for value in values)
