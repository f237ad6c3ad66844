"""Spans, offsets and sizes of a tensor in every dimension, such that a slice leaves the tensor as far as it should."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Chosen

Extents = tuple[int, ...]

RANKS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
"""Classes of ``tensor-rank``."""


@dataclass(frozen=True, slots=True)
class Extent:
    """One dimension: the span and offset of the slice, and the size of the tensor."""

    span: int
    offset: int
    size: int


def factors(rows: int, cols: int, rank: int) -> Extents:
    """The elements of a matrix over so many dimensions, the last one innermost; their product is that of the matrix."""
    if rank == 1:
        return (rows * cols,)
    left, found = rows, []
    for _ in range(rank - 2 if rank < 5 else 2):
        step = 2 if left % 2 == 0 and left > 2 else 1
        left //= step
        found.append(step)
    if rank == 5:
        step = 2 if cols % 2 == 0 and cols > 2 else 1
        return (left, *found, step, cols // step)
    return (left, *found, cols)


def spanned(spans: Extents, kind: str) -> Extents:
    """The spans of a class of ``slice-spans``: those that fit, or one of them shorter or longer."""
    outer, *middle, inner = spans if len(spans) > 1 else (1, *spans)
    if kind == "inner-short":
        inner = max(1, inner - 3)
    elif kind == "inner-long":
        inner += 3
    elif kind == "outer-short":
        outer = max(1, outer // 2)
    elif kind == "outer-long":
        outer += 3
    elif kind == "same-product":
        outer, inner = (outer * 2, inner // 2) if inner % 2 == 0 else (outer, inner)
    return (outer, *middle, inner) if len(spans) > 1 else (inner * outer,)


def out_of_bounds(rank: int, kind: str) -> frozenset[int]:
    """The dimensions of a class of ``slice-beyond-axes``."""
    return {
        "none": frozenset[int](),
        "innermost": frozenset({rank - 1}),
        "outermost": frozenset({0}),
        "middle": frozenset(range(1, rank - 1)),
        "all": frozenset(range(rank)),
    }[kind]


def extents(choices: Choices, chosen: Chosen, spans: Extents, spread: int) -> tuple[Extent, ...]:
    """Every dimension of a slice; in the outermost it moves down by up to ``spread`` more, from wave to wave."""
    gone = out_of_bounds(len(spans), chosen["slice-beyond-axes"])
    side, distance = chosen["slice-beyond-side"], chosen["slice-beyond-distance"]
    found = []
    for dim, span in enumerate(spans):
        more = spread if dim == 0 else 0
        if dim not in gone:
            offset = choices.integer(0, 4)
            found.append(Extent(span, offset, offset + span + more + choices.integer(0, 3)))
        elif side == "below":
            found.append(_below(span, distance, more))
        elif side == "above":
            found.append(_above(choices.integer(0, 2), span, distance))
        elif dim % 2 == 0 or len(gone) == 1:
            found.append(_around(span, distance))
        else:
            found.append(_above(choices.integer(0, 2), span, distance))
    return tuple(found)


def _below(span: int, distance: str, more: int) -> Extent:
    """The slice starts before the tensor and ends inside it."""
    if distance == "one":
        return Extent(span, -1, span + more + 1)
    if distance == "within-period":
        return Extent(span, -max(1, min(3, span - 1)), max(4, span) + more)
    if distance == "second-period":
        size = max(2, -(-span // 2) + more)
        return Extent(span, -size - 1, size)
    size = max(2, -(-span // 4) + more)
    return Extent(span, -3 * size - 1, size)


def _above(offset: int, span: int, distance: str) -> Extent:
    """The slice starts inside the tensor and ends behind it."""
    end = offset + span
    if distance == "one":
        return Extent(span, offset + 1, max(2, end))
    if distance == "within-period":
        gone = max(1, min(3, span - 1))
        return Extent(span, offset + 4, max(2, end + 4 - gone))
    if distance == "second-period":
        size = max(2, end // 2)
        return Extent(span, 2 * size + 1 - span if span < size else offset, size)
    size = max(2, end // 5)
    return Extent(span, max(offset, 4 * size + 1 - span), size)


def _around(span: int, distance: str) -> Extent:
    """The slice starts before the tensor and ends behind it."""
    if span < 6 and distance in {"one", "within-period"}:  # else nothing would be left inside
        return Extent(span + 2, -1, max(2, span))
    if distance == "one":
        return Extent(span, -1, span - 2)
    if distance == "within-period":
        return Extent(span, -2, max(3, span - 4))
    size = max(2, span // (3 if distance == "second-period" else 6))
    periods = 1 if distance == "second-period" else 3
    return Extent(span, -periods * size - 1, size)


def strides(chosen: str, sizes: Extents, blocks: Extents) -> Extents:
    """The strides of a class of ``stride-kind``, in blocks: packed ones, or with gaps."""
    counts = [-(-size // block) for size, block in zip(sizes, blocks, strict=True)]
    inner = {"inner-two": 2, "inner-odd": 3}.get(chosen, 1)
    found = [inner]
    for dim in range(len(sizes) - 2, -1, -1):
        stride = found[0] * counts[dim + 1]
        if chosen == "padded-one" and dim == len(sizes) - 2:
            stride += 1
        if chosen == "padded-line" and dim == len(sizes) - 2:
            stride += 16
        if chosen == "padded-outer" and dim == 0:
            stride += 5
        found.insert(0, stride)
    return tuple(found)
