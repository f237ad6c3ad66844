"""The judge: compares the bytes that a backend left with an expectation.

It counts and locates; it does not word reports, so it can be tested on bad data by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.acceptance import Acceptance, acceptance
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import Expecting, default_readings
from mmaspec.oracle.expectation import Defined, Expectation, Images, Region, Rejected, Start
from mmaspec.oracle.judged_together import right_together
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.legal import distance, illegal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_inf, is_nan, to_ordinal
from mmaspec.oracle.readings import Assignment, combinations
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import Profile
from mmaspec.programs.windows import Places, address, image_places

Buffers = Mapping[str, Buffer]
"""The buffers of a program, by name."""

SLIGHT_BITS = 8
"""A wrong float that agrees with its legal set in this many leading bits has lost precision, not its way."""

SLIGHT_F16 = 5
"""In f16 five bits are enough: every step of a long sum may lose one more unit in the last place."""


def slight_bits(fmt: Format) -> int:
    """The number of last bits of a float that may be wrong in a slight error."""
    return max(0, fmt.fraction_bits - (SLIGHT_F16 if fmt.name == "f16" else SLIGHT_BITS))


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first wrong element of a store, or the first changed byte outside all stores.

    ``value``: it lies outside its legal set; ``unlike``: it lies inside, but is not what other copies of the same
    value are; ``touched``: the byte.
    """

    symptom: Literal["value", "unlike", "touched"]
    buffer: str
    region: int
    """Index into ``Defined.regions``; -1 for a touched byte."""
    item: int
    index: tuple[int, ...]
    """Wave, row and column of the element; empty for a touched byte."""
    address: int
    """Bytes from the start of the view."""
    got: int
    """Bits of the element, or the byte."""
    expected: int
    """A touched byte's old value, or the bits of another copy; 0 for a value (the legal set is in the region)."""
    distance: int
    count: int
    """How many elements or bytes are wrong in this way."""
    farthest: int = 0
    """The largest distance of any of them."""
    slight: bool = False
    """Every wrong element is a float near its legal set (`slight_bits`): a loss of precision."""
    nan_due: bool = False
    """Every wrong element had to be NaN, and was not just moved."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The wrong elements of a case; none if it is legal. The expectation counts the judged elements, on request."""

    wrong: tuple[Wrong, ...]
    expected: Defined = field(repr=False, compare=False)

    @property
    def judged(self) -> int:
        """Elements judged, in all batch items."""
        return self._taken.judged

    @property
    def weak(self) -> bool:
        """Whether each judged element accepts too much to prove anything."""
        return self._taken.weak

    @property
    def _taken(self) -> Acceptance:
        return acceptance(self.expected)


def judge(
    expected: Defined, before: Images, after: Images, buffers: Buffers, *, settled: Images | None = None
) -> Judgement:
    """Hold ``after`` against ``expected``; ``before`` are the images that the backend was given.

    Both are whole allocations ``(batch, total)``; ``buffers`` says where each view lies in them. ``settled`` is what
    another run left, in which no stored element was wrong: what is stored alike is not judged again. Of alternatives it
    is the first one that is met, and where none is, the expectation itself.
    """
    # Another run may have met an alternative, which says nothing about this one.
    found = _judge_alone(expected, before, after, buffers, None if expected.others else settled)
    if found.wrong:
        for other in expected.others:
            if is_legal(other, before, after, buffers):
                return Judgement((), other)
    return found


def _judge_alone(
    expected: Defined, before: Images, after: Images, buffers: Buffers, settled: Images | None
) -> Judgement:
    wrong: list[Wrong] = []
    known = set() if settled is None else _alike(expected, settled, after)
    asked = [(number, region) for number, region in enumerate(expected.regions) if region.buffer not in known]
    right = right_together(asked, after, buffers)
    for number, region in asked:
        if number in right:
            continue
        found = _judge_region(number, region, after[region.buffer], buffers[region.buffer])
        if found is not None:
            wrong.append(found)
    wrong.extend(_touched(expected, before, after, buffers))
    return Judgement(tuple(wrong), expected)


def _alike(expected: Defined, one: Images, other: Images) -> set[str]:
    """The buffers in which two runs left the same in every byte that a store wrote."""
    return {name for name, owned in expected.owned.items() if not ((one[name] != other[name]) & owned).any()}


def is_legal(expected: Defined, before: Images, after: Images, buffers: Buffers) -> bool:
    """Whether `judge` would find nothing wrong. Stops at the first wrong element, and makes no message."""
    return any(_is_legal_alone(one, before, after, buffers) for one in (expected, *expected.others))


def _is_legal_alone(expected: Defined, before: Images, after: Images, buffers: Buffers) -> bool:
    for region in expected.regions:
        got = _stored(region, after[region.buffer], buffers[region.buffer])
        wrong = (illegal(region.legal, got) & region.live).any()
        if wrong or (region.same is not None and _unlike(region, got)[0].any()):
            return False
    return not any(((before[name] != after[name]) & ~owned).any() for name, owned in expected.owned.items())


def legal_items(expected: Defined, before: Images, after: Images, buffers: Buffers) -> Flags:
    """What `is_legal` says of each item of the batch alone; shape ``(batch,)``."""
    every = [_legal_items_alone(one, before, after, buffers) for one in (expected, *expected.others)]
    found: Flags = np.logical_or.reduce(every)
    return found


def _legal_items_alone(expected: Defined, before: Images, after: Images, buffers: Buffers) -> Flags:
    wrong: list[Flags] = [np.zeros(len(image), np.bool_) for image in list(expected.images.values())[:1]]
    for region in expected.regions:
        got = _stored(region, after[region.buffer], buffers[region.buffer])
        bad: Flags = illegal(region.legal, got) & region.live
        if region.same is not None:
            bad = bad | _unlike(region, got)[0]
        wrong.append(np.asarray(bad.any(axis=tuple(range(1, bad.ndim)))))
    wrong += [((before[name] != after[name]) & ~owned).any(axis=1) for name, owned in expected.owned.items()]
    found: Flags = ~np.logical_or.reduce(wrong)
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

    Of alternatives, those of the one that explains most, the expectation itself if it explains as much.
    """
    runs = list(runs)
    found = [_wrong_alone(one, runs, buffers) for one in (expected, *expected.others)]
    return min(found, key=lambda one: one.amount)


def _wrong_alone(expected: Defined, runs: list[tuple[Images, Images]], buffers: Buffers) -> WrongElements:
    regions: list[Flags] = [np.zeros(region.legal.shape, np.bool_) for region in expected.regions]
    items = np.zeros(len(next(iter(expected.images.values()))) if expected.images else 0, np.bool_)
    for before, after in runs:
        for number, region in enumerate(expected.regions):
            got = _stored(region, after[region.buffer], buffers[region.buffer])
            bad: Flags = illegal(region.legal, got) & region.live
            if region.same is not None and not bad.any():
                bad = _unlike(region, got)[0]
            regions[number] |= bad
        for name, owned in expected.owned.items():
            items |= ((before[name] != after[name]) & ~owned).any(axis=1)
    for found in regions:
        items |= found.any(axis=tuple(range(1, found.ndim)))
    return WrongElements(tuple(regions), items)


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
    return _stored(region, after[region.buffer], buffers[region.buffer])


def live_places(region: Region, buffer: Buffer) -> Places:
    """Where in the image the elements of a store lie that nothing overwrote; 0 for the others."""
    return np.where(region.live, image_places(buffer, region.addresses), 0)


def _stored(region: Region, image: NDArray[np.uint8], buffer: Buffer) -> Bits:
    """The contents of a region after the run; where it was overwritten later, the newer bytes."""
    return gather(image, live_places(region, buffer), region.legal.fmt.nbytes)


def _judge_region(number: int, region: Region, image: NDArray[np.uint8], buffer: Buffer) -> Wrong | None:
    legal = region.legal
    got = _stored(region, image, buffer)
    bad = illegal(legal, got) & region.live
    symptom: Literal["value", "unlike"] = "value"
    if bad.any():
        expected = np.zeros(legal.shape, np.uint64)
    elif region.same is None:
        return None
    else:
        bad, expected = _unlike(region, got)
        symptom = "unlike"
    count = int(np.count_nonzero(bad))
    if not count:
        return None
    item, *index = (int(i) for i in np.unravel_index(int(bad.argmax()), bad.shape))
    where = (item, *index)
    far = distance(legal, got)
    value = symptom == "value"
    return Wrong(
        symptom=symptom,
        buffer=region.buffer,
        region=number,
        item=item,
        index=tuple(index),
        address=int(region.addresses[tuple(index)]),
        got=int(got[where]),
        expected=int(expected[where]),
        distance=int(far[where]),
        count=count,
        farthest=int(far[bad].max()),
        slight=value and legal.fmt.kind == "float" and bool((far[bad] <= 1 << slight_bits(legal.fmt)).all()),
        nan_due=value and bool((legal.nan & ~legal.moved & (legal.lo > legal.hi))[bad].all()),
    )


def _unlike(region: Region, got: Bits) -> tuple[Flags, Bits]:
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


def _touched(expected: Defined, before: Images, after: Images, buffers: Buffers) -> list[Wrong]:
    wrong = []
    for name in sorted(expected.owned):
        changed = (before[name] != after[name]) & ~expected.owned[name]
        count = int(np.count_nonzero(changed))
        if count:
            item, byte = (int(i) for i in np.unravel_index(int(changed.argmax()), changed.shape))
            wrong.append(
                Wrong(
                    "touched",
                    name,
                    -1,
                    item,
                    (),
                    address(buffers[name], byte),
                    int(after[name][item, byte]),
                    int(before[name][item, byte]),
                    0,
                    count,
                )
            )
    return wrong


def poisoned(expected: Defined | Start, pattern: int) -> Images:
    """The initial images with every byte that holds no data filled with another poison pattern."""
    if pattern == 0:
        return expected.images
    given = {}
    for name, image in expected.images.items():
        # The patterns differ in every bit, so that bytes without data are turned over; 0 - 1 is all bits.
        given[name] = image ^ (expected.known[name].view(np.uint8) - np.uint8(1))
    return given


@dataclass(frozen=True, slots=True)
class ByReading:
    """The expectations of a case under every combination of the readings on which it depends.

    ``first`` is the expectation under the default readings; ``variants`` holds one entry with an empty
    assignment where no reading matters. ``refusals`` are the combinations under which the program is invalid: a
    backend that refuses it follows one of them.
    """

    first: Expectation
    variants: tuple[tuple[Assignment, Defined], ...]
    refusals: tuple[Assignment, ...] = ()
    asked: Expecting | None = field(default=None, repr=False, compare=False)
    """Who said so: it has what the same case under another profile starts from."""

    def head(self, count: int) -> ByReading:
        """The same for the first ``count`` items of the batch."""
        heads = {id(variant): variant.head(count) for _, variant in self.variants}
        first = heads[id(self.first)] if isinstance(self.first, Defined) else self.first
        variants = tuple((assignment, heads[id(variant)]) for assignment, variant in self.variants)
        return replace(self, first=first, variants=variants)


def expect_by_reading(
    case: Case, profile: Profile, *, defined: bool = False, like: ByReading | None = None
) -> ByReading:
    """Expect ``case`` under its default readings, then under every other combination that matters.

    ``defined`` says that its program is known to be valid and defined, so that no rule has to be asked again;
    ``like`` is what is expected of the same case under another profile.
    """
    return by_readings(Expecting(case, profile, defined=defined, like=None if like is None else like.asked))


def by_readings(asked: Expecting) -> ByReading:
    """The same, of a case about which something was asked already."""
    spec, profile = asked.spec, asked.profile
    first = asked.under()
    if not isinstance(first, Defined):
        return ByReading(first, ())
    pinned = {pin.ambiguity for pin in profile.pins}
    defaults = default_readings(spec, profile)
    consulted: frozenset[str] = frozenset(first.consulted - pinned)
    variants: dict[Assignment, Defined] = {tuple((name, defaults[name]) for name in sorted(consulted)): first}
    refusals: list[Assignment] = []
    done = False
    while consulted and not done:
        done = True
        for assignment in combinations({name: spec.catalogue.ambiguity[name].readings for name in consulted}):
            if assignment in variants:
                continue
            other = asked.under(dict(assignment))
            if isinstance(other, Rejected):
                refusals.append(assignment)
                continue
            assert isinstance(other, Defined)
            variants[assignment] = other
            if more := other.consulted - pinned - consulted:
                consulted |= more
                variants = {tuple((name, defaults[name]) for name in sorted(consulted)): first}
                refusals = []
                done = False
                break
    return ByReading(first, tuple(sorted(variants.items(), key=lambda variant: variant[0])), tuple(refusals), asked)
