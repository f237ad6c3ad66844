"""Regions judged several at a time: a program may have hundreds of small ones, and nothing is wrong in most.

What is wrong somewhere is left to whoever judges them one by one, and so is every region of its group.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Images, Region
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.deferred import Deferred, Moved, Product, joined
from mmaspec.oracle.numerics.legal import Legal, concatenate
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.programs.base import Buffer
from mmaspec.programs.windows import image_places

SMALL = 1 << 12
"""Elements, batch included, of the largest regions that are judged with others: more of them are worth a turn alone."""

Numbered = list[tuple[int, Region]]
"""Regions with their places in the expectation."""


def right_together(regions: Iterable[tuple[int, Region]], after: Images, buffers: Mapping[str, Buffer]) -> set[int]:
    """The numbers of those regions in whose elements nothing is wrong, as far as they are judged in groups.

    A group is regions of one buffer and format: values that were only moved, products of matrices of the same shapes
    and formats, or sets that are there.
    """
    groups: dict[tuple[str, str, object], Numbered] = defaultdict(list)
    for number, region in regions:
        legal = region.legal
        if region.same is not None or math.prod(legal.shape) > SMALL:
            continue
        kind = _kind(legal)
        if kind is not None:
            groups[region.buffer, legal.fmt.name, kind].append((number, region))
    right: set[int] = set()
    for (buffer, _, kind), group in groups.items():
        if len(group) > 1:
            numbers, alike = zip(*group, strict=True)
            wrong = _wrong(kind, alike, _stored(alike, after[buffer], buffers[buffer]))
            if not (wrong & _live(alike)).any():
                right.update(numbers)
    return right


def _kind(legal: Legal) -> object | None:
    """Equal for what is judged alike; None for what is judged alone, as its set would have to be made."""
    if isinstance(legal, Product):
        return "set" if legal.computed else legal.open_kind
    if isinstance(legal, Moved):
        return "moved"
    return None if isinstance(legal, Deferred) else "set"


def _stored(regions: Sequence[Region], image: NDArray[np.uint8], buffer: Buffer) -> Bits:
    """What stands where the regions are, one after the other: ``(batch, elements)``; where none is live, anything."""
    places = image_places(buffer, np.concatenate([region.addresses.ravel() for region in regions]))
    return gather(image, np.where(_live(regions), places, 0), regions[0].legal.fmt.nbytes)


def _live(regions: Sequence[Region]) -> Flags:
    return np.concatenate([region.live.ravel() for region in regions])


def _wrong(kind: object, regions: Sequence[Region], got: Bits) -> Flags:
    """Where ``got`` is not what it has to be."""
    sets = [region.legal for region in regions]
    if kind == "set":
        return concatenate([legal.reshape(len(got), math.prod(legal.shape[1:])) for legal in sets], axis=1).illegal(got)
    if kind == "moved":
        moved = [legal.codes.reshape(len(got), -1) for legal in sets if isinstance(legal, Moved)]
        return Moved(sets[0].fmt, np.concatenate(moved, axis=1)).illegal(got)
    products = [legal for legal in sets if isinstance(legal, Product)]
    shape = products[0].shape
    # What is one batch after the other is one product after the other.
    in_turn = np.swapaxes(got.reshape(shape[0], len(products), -1), 0, 1)
    wrong = joined(products).illegal(in_turn.reshape(-1, *shape[1:]))
    found: Flags = np.swapaxes(wrong.reshape(in_turn.shape), 0, 1).reshape(got.shape)
    return found
