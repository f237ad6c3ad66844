"""The judge: compares the bytes that a backend left with an expectation.

It counts and locates; it does not word reports, so it can be tested on bad data by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.acceptance import Acceptance, acceptance
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import Expecting, default_readings
from mmaspec.oracle.expectation import Defined, Expectation, Images, Region, Rejected, Start
from mmaspec.oracle.judged_together import right_together
from mmaspec.oracle.numerics.legal import distance, illegal
from mmaspec.oracle.readings import Assignment, combinations
from mmaspec.oracle.wrong_elements import Buffers, contents_of, is_legal, unlike
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import Profile
from mmaspec.programs.windows import address

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
    is the first one that is met; where no single one is, or nothing is legal, the expectation itself.
    """
    # Another run may have met an alternative, which says nothing about this one.
    found = _judge_alone(expected, before, after, buffers, None if expected.others else settled)
    if found.wrong:
        for other in expected.others:
            if is_legal(other, before, after, buffers):
                return Judgement((), other)
        if expected.others and is_legal(expected, before, after, buffers):
            return Judgement((), expected)
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


def _judge_region(number: int, region: Region, image: NDArray[np.uint8], buffer: Buffer) -> Wrong | None:
    legal = region.legal
    got = contents_of(region, image, buffer)
    bad = illegal(legal, got) & region.live
    symptom: Literal["value", "unlike"] = "value"
    if bad.any():
        expected = np.zeros(legal.shape, np.uint64)
    elif region.same is None:
        return None
    else:
        bad, expected = unlike(region, got)
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
