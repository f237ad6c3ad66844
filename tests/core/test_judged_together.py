"""Small regions judged at once: found right exactly where nothing is wrong in any region of a group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mmaspec.oracle import judged_together
from mmaspec.oracle.expectation import Defined, Region
from mmaspec.oracle.judge import judge
from mmaspec.oracle.judged_together import SMALL, right_together
from mmaspec.oracle.memory import scatter
from mmaspec.oracle.numerics import deferred
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.deferred import Moved, product
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import FORMATS

F16, F32, S32 = FORMATS["f16"], FORMATS["f32"], FORMATS["s32"]
BATCH, SIDE = 3, 4
KINDS = ("moved", "product", "chained", "integers", "unjudged")
TYPES = {"moved": F16, "product": F32, "chained": F32, "integers": S32, "unjudged": F16}
BUFFER = Buffer("out", 4096)


def halves(rng, *shape):
    return rng.normal(0, 3, shape).astype(np.float16).view(np.uint16).astype(np.uint64)


def drawn(rng, kind):
    """A fresh set, and contents that are legal."""
    shape = (BATCH, 1, SIDE, SIDE)
    codes = halves(rng, *shape)
    if kind == "moved":
        return Moved(F16, codes), codes
    if kind == "unjudged":
        return Moved(F16, codes).not_judged(rng.random(shape) < 0.3, Reason.SPEC_SILENT), codes
    if kind == "integers":
        lo = rng.integers(-100, 100, shape)
        return Legal.interval(S32, lo, lo + rng.integers(0, 2, shape)), from_ordinal(S32, lo)
    numbers = rng.normal(0, 1, shape).astype(np.float32).view(np.uint32).astype(np.uint64)
    addend = Moved(F32, numbers)
    data = {"a_fmt": F16, "a": halves(rng, *shape), "b_fmt": F16, "b": halves(rng, *shape), "rules": FloatRules()}
    c = multiply_add(**data, c=addend) if kind == "chained" else addend
    whole = multiply_add(**data, c=c)
    return product(**data, c=c), from_ordinal(F32, whole.lo)


def stored(rng, kinds):
    """Regions of these kinds one after the other, some elements overwritten, and an image of legal contents."""
    image = rng.integers(0, 256, (BATCH, BUFFER.total)).astype(np.uint8)
    regions, start = [], 0
    for number, kind in enumerate(kinds):
        legal, right = drawn(rng, kind)
        nbytes = legal.fmt.nbytes
        addresses = start + rng.permutation(SIDE * SIDE).reshape(1, SIDE, SIDE) * nbytes
        start += SIDE * SIDE * nbytes
        live = rng.random(addresses.shape) < 0.8
        places = (addresses + BUFFER.base)[live]
        scatter(image, places, right[:, live], nbytes)
        regions.append(Region("out", number, addresses, legal, live))
    return regions, image


def disturbed(rng, regions, image):
    """The image with one bit of one live element flipped, as far as there is one."""
    changed = image.copy()
    region = regions[int(rng.integers(len(regions)))]
    places = region.addresses[region.live]
    if places.size:
        at = BUFFER.base + int(places[int(rng.integers(places.size))]) + int(rng.integers(region.legal.fmt.nbytes))
        changed[int(rng.integers(BATCH)), at] ^= np.uint8(1 << int(rng.integers(8)))
    return changed


def alone(region, image):
    """What the judge says of a region by itself, with a set that nobody has asked yet."""
    owned = {"out": np.ones(BUFFER.total, np.bool_)}
    images = {"out": image}
    return is_legal(Defined(images, {}, owned, (), (region,)), images, images, {"out": BUFFER})


def mistakes(seeds) -> tuple[int, int, int]:
    """Regions found right of which some element is wrong; groups left over without any; and how many were judged."""
    accepted = left = judged = 0
    for seed in seeds:
        for turn in range(4):
            rng = np.random.default_rng([seed, turn])
            kinds = [KINDS[int(k)] for k in rng.integers(0, len(KINDS), 9)]
            regions, image = stored(rng, kinds)
            after = disturbed(rng, regions, image) if turn else image
            right = right_together(enumerate(regions), {"out": after}, {"out": BUFFER})
            fine = [alone(region, after) for region in regions]
            accepted += sum(not fine[number] for number in right)
            judged += len(right)
            for kind in KINDS:
                group = [number for number, each in enumerate(kinds) if each == kind]
                mixed = kind in ("integers", "moved") or len(group) < 2
                left += not mixed and all(fine[number] for number in group) and not set(group) <= right
    return accepted, left, judged


def test_groups_are_right_where_every_region_is():
    accepted, left, judged = mistakes(range(40))
    assert (accepted, left) == (0, 0)
    assert judged > 300


def test_the_judge_says_the_same_of_all_regions_as_of_each():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        regions, image = stored(rng, [KINDS[int(k)] for k in rng.integers(0, len(KINDS), 7)])
        after = disturbed(rng, regions, image)
        expected = Defined({"out": image}, {}, {"out": np.ones(BUFFER.total, np.bool_)}, (), tuple(regions))
        wrong = judge(expected, {"out": image}, {"out": after}, {"out": BUFFER}).wrong
        each = [number for number, region in enumerate(regions) if not alone(region, after)]
        assert [one.region for one in wrong] == each


def test_copies_and_large_regions_are_left_to_others():
    rng = np.random.default_rng(5)
    regions, image = stored(rng, ["moved", "moved"])
    copies = [replace(region, same=np.zeros(region.legal.shape, np.int64)) for region in regions]
    assert right_together(enumerate(copies), {"out": image}, {"out": BUFFER}) == set()
    codes = np.zeros((SMALL + 1, 1, 1, 1), np.uint64)
    large = [Region("out", 0, np.zeros((1, 1, 1), np.int64), Moved(F16, codes), np.ones((1, 1, 1), np.bool_))] * 2
    zeros = np.zeros((SMALL + 1, BUFFER.total), np.uint8)
    assert right_together(enumerate(large), {"out": zeros}, {"out": BUFFER}) == set()


def in_the_first_order(products):
    """A wrong twin of `joined`: the second factors stand in the order of the batch."""
    turned = deferred.joined(products)
    factors = turned._factors
    return product(
        a_fmt=factors.a_fmt, a=factors.a, b_fmt=factors.b_fmt, b=factors.b[::-1], c=factors.c, rules=factors.rules
    )


@pytest.mark.parametrize("name", ["joined", "_live", "_wrong"])
def test_wrong_twins_are_found(monkeypatch, name):
    twins = {
        "joined": in_the_first_order,
        "_live": lambda regions: np.zeros(sum(region.live.size for region in regions), np.bool_),
        "_wrong": lambda kind, regions, got, plain=judged_together._wrong: np.roll(plain(kind, regions, got), 1, 1),
    }
    monkeypatch.setattr(judged_together, name, twins[name])
    accepted, left, _ = mistakes(range(40))
    assert accepted + left > 0
