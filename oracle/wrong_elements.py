"""Which elements of an answer are wrong, one by one, and whether any is.

Where a text leaves a device free to do one thing or another, each item of a batch, and each part of a program that
tells the others nothing, may be explained by a combination of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined, Images, Region
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_inf, is_nan, to_ordinal
from mmaspec.programs.base import Buffer
from mmaspec.programs.windows import Places, image_places

Buffers = Mapping[str, Buffer]
"""The buffers of a program, by name."""


def is_legal(expected: Defined, before: Images, after: Images, buffers: Buffers) -> bool:
    """Whether `judge` would find nothing wrong. Stops at the first wrong element, and makes no message."""
    if any(_is_legal_alone(one, before, after, buffers) for one in (expected, *expected.others)):
        return True
    return bool(expected.others) and not _mixed(expected, [(before, after)], buffers).items.any()


def _is_legal_alone(expected: Defined, before: Images, after: Images, buffers: Buffers) -> bool:
    for region in expected.regions:
        got = contents_of(region, after[region.buffer], buffers[region.buffer])
        wrong = (illegal(region.legal, got) & region.live).any()
        if wrong or (region.same is not None and unlike(region, got)[0].any()):
            return False
    return not any(((before[name] != after[name]) & ~owned).any() for name, owned in expected.owned.items())


def legal_items(expected: Defined, before: Images, after: Images, buffers: Buffers) -> Flags:
    """What `is_legal` says of each item of the batch alone; shape ``(batch,)``."""
    runs = [(before, after)]
    wrong = (
        _mixed(expected, runs, buffers) if expected.others else _compared(expected, runs, buffers, each=True).found()
    )
    found: Flags = ~wrong.items
    return found


@dataclass(frozen=True, slots=True)
class WrongElements:
    """Elements that are wrong in some run.

    regions  of each region which ones, in the shape of its legal sets
    items    which items of the batch have anything wrong, touched bytes included
    """

    regions: tuple[Flags, ...]
    items: Flags

    @property
    def amount(self) -> tuple[int, int]:
        """How many items have something wrong, and how many elements are."""
        return int(self.items.sum()), sum(int(flags.sum()) for flags in self.regions)


def wrong_elements(expected: Defined, runs: Iterable[tuple[Images, Images]], buffers: Buffers) -> WrongElements:
    """What `judge` counts, element by element; ``runs`` are the images before and after each run.

    Of alternatives, those of the ones that explain most, the expectation itself where it explains as much.
    """
    runs = list(runs)
    return _mixed(expected, runs, buffers) if expected.others else _compared(expected, runs, buffers).found()


@dataclass(frozen=True, slots=True)
class _Compared:
    """What is wrong by one alternative: elements of regions, and bytes of buffers that it leaves to nobody."""

    regions: list[Flags]
    touched: dict[str, Flags]
    batch: int

    def all(self) -> list[Flags]:
        """The elements, then the bytes."""
        return [*self.regions, *self.touched.values()]

    def found(self) -> WrongElements:
        """The same, with the items."""
        items = np.zeros(self.batch, np.bool_)
        for flags in self.all():
            items |= flags.any(axis=tuple(range(1, flags.ndim)))
        return WrongElements(tuple(self.regions), items)


def _compared(
    expected: Defined, runs: list[tuple[Images, Images]], buffers: Buffers, *, each: bool = False
) -> _Compared:
    """``each``: copies are compared even where others are wrong by their values, which may be in another part."""
    regions: list[Flags] = [np.zeros(region.legal.shape, np.bool_) for region in expected.regions]
    touched: dict[str, Flags] = {name: np.zeros(image.shape, np.bool_) for name, image in expected.images.items()}
    for before, after in runs:
        for number, region in enumerate(expected.regions):
            got = contents_of(region, after[region.buffer], buffers[region.buffer])
            bad: Flags = illegal(region.legal, got) & region.live
            if region.same is not None and (each or not bad.any()):
                bad = bad | unlike(region, got)[0]
            regions[number] |= bad
        for name, owned in expected.owned.items():
            touched[name] |= (before[name] != after[name]) & ~owned
    return _Compared(regions, touched, len(next(iter(expected.images.values()))) if expected.images else 0)


def _mixed(expected: Defined, runs: list[tuple[Images, Images]], buffers: Buffers) -> WrongElements:
    """What no alternative explains, where each item and each part goes by the one that explains most of it."""
    every = (expected, *expected.others)
    where_to = _parts(expected, buffers)
    count = 1 + max((int(of.max(initial=0)) for of in where_to), default=0)
    chosen = _compared(expected, runs, buffers, each=True)
    fewest = _amounts(chosen, where_to, count)
    for one in every[1:]:
        compared = _compared(one, runs, buffers, each=True)
        amounts = _amounts(compared, where_to, count)
        better = amounts < fewest
        fewest = np.where(better, amounts, fewest)
        for kept, flags, of in zip(chosen.all(), compared.all(), where_to, strict=True):
            taken = better[:, of]
            kept[taken] = flags[taken]
    return chosen.found()


def _parts(expected: Defined, buffers: Buffers) -> list[Places]:
    """The part of every element of the regions, and of every byte of the buffers, in the order of what is compared."""
    found = []
    for number, region in enumerate(expected.regions):
        of = np.zeros(region.live.shape, np.int64)
        # What one alternative stores another may not, and only what is stored has an address.
        for one in (expected, *expected.others) if region.buffer in expected.parts else ():
            there = one.regions[number]
            places = live_places(there, buffers[there.buffer])
            of = np.where(there.live, expected.parts[there.buffer][places], of)
        found.append(of)
    nothing = (np.zeros(image.shape[1], np.int64) for image in expected.images.values())
    return found + [expected.parts.get(name, of) for name, of in zip(expected.images, nothing, strict=True)]


def _amounts(compared: _Compared, where_to: list[Places], count: int) -> NDArray[np.int64]:
    """How many elements and bytes are wrong by an alternative, ``(batch, parts)``."""
    found = np.zeros((compared.batch, count), np.int64)
    for flags, of in zip(compared.all(), where_to, strict=True):
        for item in np.flatnonzero(flags.any(axis=tuple(range(1, flags.ndim)))).tolist():
            found[item] += np.bincount(of[flags[item]], minlength=count)
    return found


def wrong_places(expected: Defined, run: tuple[Images, Images], buffers: Buffers) -> Flags:
    """What is wrong in one run, the images before and after it: ``(batch, elements and bytes outside them)``."""
    before, after = run
    regions = wrong_elements(expected, [run], buffers).regions
    touched = [(before[name] != after[name]) & ~owned for name, owned in expected.owned.items()]
    found: Flags = np.concatenate([flags.reshape(len(flags), -1) for flags in (*regions, *touched)], axis=1)
    return found


def stored(expected: Defined, number: int, after: Images, buffers: Buffers) -> Bits:
    """What a run left in one of the regions, in the shape of its legal sets."""
    region = expected.regions[number]
    return contents_of(region, after[region.buffer], buffers[region.buffer])


def live_places(region: Region, buffer: Buffer) -> Places:
    """Where in the image the elements of a store lie that nothing overwrote; 0 for the others."""
    return np.where(region.live, image_places(buffer, region.addresses), 0)


def contents_of(region: Region, image: NDArray[np.uint8], buffer: Buffer) -> Bits:
    """The contents of a region after the run; where it was overwritten later, the newer bytes."""
    return gather(image, live_places(region, buffer), region.legal.fmt.nbytes)


def unlike(region: Region, got: Bits) -> tuple[Flags, Bits]:
    """Where an element is not what the first copy of the same value is, and what that is.

    Zeros of either sign and subnormals count as one value, since moving one may flush it; NaN and Inf are left alone.
    """
    fmt, same = region.legal.fmt, region.same
    if same is None:
        return np.zeros(got.shape, np.bool_), got
    ordinals = to_ordinal(fmt, got)
    if fmt.kind == "float":
        ordinals = np.where(np.abs(ordinals) < 1 << fmt.fraction_bits, 0, ordinals)
        compared = region.live & (same >= 0) & ~is_nan(fmt, got) & ~is_inf(fmt, got)
    else:
        compared = region.live & (same >= 0)
    item = np.arange(len(got)).reshape(-1, *[1] * (got.ndim - 1))
    key = np.where(compared, item * (same.max(initial=0) + 1) + same, -1)
    _, first, which = np.unique(key.ravel(), return_index=True, return_inverse=True)
    pattern = first[which].reshape(key.shape)
    other: Flags = compared & (ordinals != ordinals.ravel()[pattern])
    return other, got.ravel()[pattern]
