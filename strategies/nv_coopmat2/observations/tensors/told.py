"""The axes of the coordinates that decode functions are handed, as far as their results depend on them."""

from __future__ import annotations

import numpy as np

from mmaspec.programs.nv_coopmat2.program import Echo
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor
from mmaspec.strategies.nv_coopmat2.observations.tensors.decoding import decode_of

Tops = list[int]


def block_tops(one: TensorFacts) -> Tops:
    """For each dimension the largest coordinate of a block that an echo is told; -1 where it has no weight."""
    decode = decode_of(one)
    return _tops(one, decode.block if isinstance(decode, Echo) else (), "block")


def within_tops(one: TensorFacts) -> Tops:
    """The same of coordinates in the block. The other functions find their value by all of them."""
    decode = decode_of(one)
    weights = decode.within if isinstance(decode, Echo) else (1,) * one.rank
    return _tops(one, weights, "within")


def _tops(one: TensorFacts, weights: tuple[int, ...], which: str) -> Tops:
    tops = [-1] * len(weights)
    for state in one.states:
        there = state.found.index >= 0
        told = np.asarray(getattr(state.found, which))[there]
        if told.size and told.shape[-1] == len(weights):
            tops = [
                max(top, int(told[..., axis].max())) if weight else top
                for axis, (top, weight) in enumerate(zip(tops, weights, strict=True))
            ]
    return tops


def block_coordinate(one: TensorFacts) -> int | None:
    """The largest coordinate of a block."""
    top = max(block_tops(one), default=-1)
    return None if top < 0 else top


def within_coordinate(one: TensorFacts) -> int | None:
    """The largest coordinate in a block."""
    top = max(within_tops(one), default=-1)
    return None if top < 0 else top


def dimension(one: TensorFacts) -> Answer:
    """Which dimension has the largest coordinate of a block."""
    tops = block_tops(one)
    if max(tops, default=0) <= 0:
        return None
    axis = tops.index(max(tops))
    if len(tops) == 1:
        return "only"
    return "outermost" if axis == 0 else "innermost" if axis == len(tops) - 1 else "between"


LOOKS: dict[str, Look] = {
    "told-block-coordinate": of_tensor(block_coordinate),
    "told-within-coordinate": of_tensor(within_coordinate),
    "told-dimension": of_tensor(dimension),
}
"""Axis -> how its class is seen."""
