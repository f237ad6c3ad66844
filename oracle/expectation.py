"""Expectations: what a specification demands of one case; rejected, undefined, or defined with its trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.base import Place

Images = dict[str, NDArray[np.uint8]]
"""Buffer name -> whole allocations, ``(batch, total)`` bytes."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The program breaks these validity clauses; all rules run, so there may be several."""

    clauses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Undefined:
    """The program has undefined behaviour by these clauses; it is never sent to a backend."""

    clauses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Step:
    """One executed instruction.

    ``points`` are its own coverage points only: a clause, or a clause and the circumstance in which it acted
    (``WM-ADDR-ROW/load-padded``). ``legal`` is the state of what it wrote, shape ``(batch, waves, rows,
    cols)``; None for a store.
    """

    place: Place
    writes: str
    points: tuple[str, ...]
    legal: Legal | None

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses of the coverage points, each once, in order."""
        return tuple(dict.fromkeys(point.partition("/")[0] for point in self.points))


@dataclass(frozen=True, slots=True)
class Region:
    """The elements that one store wrote: ``addresses`` in bytes of the view, shape ``(waves, rows, cols)``.

    ``legal`` has the batch in front. ``live`` is False where a later store overwrote the element. ``same``, of the
    shape of ``legal``, gives elements that are copies of one value, whichever it is, one number; -1: of none.
    """

    buffer: str
    step: int
    addresses: NDArray[np.int64]
    legal: Legal
    live: NDArray[np.bool_]
    same: NDArray[np.int64] | None = None

    def items(self, some: slice | NDArray[np.intp]) -> Region:
        """The same for part of the batch."""
        same = None if self.same is None else self.same[some]
        return replace(self, legal=self.legal.index(some), same=same)


@dataclass(frozen=True, slots=True)
class Start:
    """What a defined program starts from: the initial allocations, and which of their bytes hold data, not poison."""

    images: Images
    known: dict[str, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Defined:
    """The program is defined; this is what every byte may hold afterwards.

    ``images`` are the initial allocations, ``known`` marks bytes that hold data rather than poison,
    ``owned`` the bytes of each allocation that some store wrote (all others must keep their contents).
    ``consulted`` names the ambiguities on which this expectation depends. ``others`` are demanded instead where a
    device does something else of what the text leaves free in each operation: each item of the batch has to meet one of
    them all as a whole. They have the same buffers, steps and regions. ``parts`` gives, for each byte of a buffer, the
    part of the program that it belongs to, from 0, where parts tell each other nothing: then each of them has to, in
    each item. A buffer that is not there belongs to part 0.
    """

    images: Images
    known: dict[str, NDArray[np.bool_]]
    owned: dict[str, NDArray[np.bool_]]
    steps: tuple[Step, ...]
    regions: tuple[Region, ...]
    consulted: frozenset[str] = field(default=frozenset())
    others: tuple[Defined, ...] = ()
    parts: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def head(self, count: int) -> Defined:
        """The expectation of the first ``count`` items of the batch; the steps are not cut."""
        return self.items(slice(count))

    def items(self, some: slice | NDArray[np.intp]) -> Defined:
        """The expectation of some items of the batch; the steps are not cut."""
        images = {name: image[some] for name, image in self.images.items()}
        regions = tuple(region.items(some) for region in self.regions)
        return replace(self, images=images, regions=regions, others=tuple(one.items(some) for one in self.others))

    @property
    def clauses(self) -> frozenset[str]:
        """Every clause that acted."""
        points = {point for step in self.steps for point in step.points}
        return frozenset(point.partition("/")[0] for point in points)


Expectation = Rejected | Undefined | Defined
