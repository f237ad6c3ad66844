"""Open points at smoke: listed cases tell their readings apart, every consistent device passes, and no third one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.access import Places
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.nv_coopmat2.views import Window
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import LoadTensor, SetClampValue
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.nv_coopmat2 import GRAMMAR
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from tests.case_lists import case_list

from .doubles import WITH_DOUBLES

CLIP, WIDE, BLOCKS = "NVCM2-AMB-04", "NVCM2-AMB-13", "NVCM2-AMB-19"
SHOWN = {CLIP: "view-clip", WIDE: "clamp-wide", BLOCKS: "blocks-late"}


class Mathematical(CoopMat2Device):
    """A clip ends where the sum says."""

    def clip_end(self, offset: int, span: int) -> int:
        return offset + span


class Narrowed(Mathematical):
    """The same, but a row of what is left is as wide as what is left."""

    def clip_width(self, window: Window, cols: int) -> int:
        return min(cols - window.cols[0], window.cols[1])


class SignExtended(CoopMat2Device):
    """The upper half of a clamp value repeats bit 31."""

    def clamp_bits(self, running: Running, access: LoadTensor, places: Places) -> Bits:
        signed = places.fill.astype(np.uint32).view(np.int32).astype(np.int64).view(np.uint64)
        return np.asarray(signed & np.uint64((1 << 8 * self.width(running, access)) - 1), np.uint64)


class UpperHalf(CoopMat2Device):
    """The clamp value stands in the upper half."""

    def clamp_bits(self, running: Running, access: LoadTensor, places: Places) -> Bits:
        wide = self.width(running, access) == 8
        return places.fill << np.uint64(32) if wide else super().clamp_bits(running, access, places)


class Floor(CoopMat2Device):
    """A partial block does not count."""

    def blocks_along(self, size: int, block: int) -> int:
        return size // max(block, 1)


class OneMore(CoopMat2Device):
    """There is always one block more than whole ones."""

    def blocks_along(self, size: int, block: int) -> int:
        return size // max(block, 1) + (2 if size % max(block, 1) else 0)


def caps_of(ambiguity: str) -> CoopMatCaps:
    """Caps with a row that shows it: only f64 is wide."""
    return WITH_DOUBLES if ambiguity == WIDE else DEFAULT_CAPS


@cache
def listed(ambiguity: str) -> tuple[tuple[Recipe, Case, ByReading], ...]:
    """The smoke cases of one template that depend on an ambiguity, in every row that has it."""
    found = []
    for recipe in case_list(SPEC.name, caps_of(ambiguity), "quick"):
        if recipe.template == SHOWN[ambiguity] and not recipe.target:
            case = materialise(recipe)
            by_reading = expect_by_reading(case, PRACTICE)
            if any(ambiguity in dict(assignment) for assignment, _ in by_reading.variants):
                found.append((recipe, case, by_reading))
    return tuple(found)


def accepted(device: type[CoopMat2Device], ambiguity: str) -> list[set[str]]:
    """The readings under which each case is legal; none where it is not."""
    subject = NumpyBackend(SequentialUnit(), {SPEC.name: device})
    subject.report(SPEC.name, caps_of(ambiguity))
    found = []
    for recipe, case, by_reading in listed(ambiguity):
        case_judge = CaseJudge(subject, subject.describe(), PRACTICE, {recipe.id: ()}, limit=0)
        result = case_judge.judge(case, recipe.id, by_reading)[0]
        assert (result.outcome == "legal") == bool(result.accepted)
        found.append({dict(assignment)[ambiguity] for assignment in result.accepted})
    return found


@pytest.mark.parametrize("ambiguity", sorted(SHOWN))
def test_every_row_that_has_the_point_shows_it(ambiguity: str) -> None:
    rows = {recipe.row for recipe, _, _ in listed(ambiguity)}
    tag = "wide" if ambiguity == WIDE else "addresses"
    assert rows == {row.name for row in SPEC.rows(caps_of(ambiguity)) if tag in row.tags}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("device", "ambiguity", "reading"),
    [
        (CoopMat2Device, CLIP, "uint32"),
        (Mathematical, CLIP, "mathematical"),
        (CoopMat2Device, WIDE, "zero-extended"),
        (SignExtended, WIDE, "sign-extended"),
        (CoopMat2Device, BLOCKS, "ceiling"),
        (Floor, BLOCKS, "floor"),
    ],
)
def test_each_case_leaves_one_reading(device: type[CoopMat2Device], ambiguity: str, reading: str) -> None:
    found = accepted(device, ambiguity)
    assert found
    assert all(left == {reading} for left in found)


@pytest.mark.parametrize(("device", "ambiguity"), [(Narrowed, CLIP), (UpperHalf, WIDE), (OneMore, BLOCKS)])
def test_nothing_else_is_legal(device: type[CoopMat2Device], ambiguity: str) -> None:
    assert set() in accepted(device, ambiguity)


def test_shown_is_the_reading_of_known_devices() -> None:
    """Devices take the floor (NVCM2-AMB-19); the default is only what is shown where one must be."""
    assert SPEC.catalogue.ambiguity[BLOCKS].default == "floor"


def test_clamp_values_are_patterns_of_every_kind() -> None:
    """A clamp value is bits: negative, infinite, no number, subnormal; each of them is drawn before long."""
    seen: set[str] = set()
    template = next(one for one in GRAMMAR.templates if one.name == "clamp-constant")
    for number in range(60):
        recipe = template.build(DrawContext(Counted(str(number)), SPEC.rows(DEFAULT_CAPS)[0], DEFAULT_CAPS))
        assert recipe is not None
        words = {(word.buffer, word.offset): word.value for word in recipe.words}
        kinds = {matrix.component for matrix in recipe.program.matrices}
        for layout in recipe.program.layouts:
            for call in layout.calls:
                if isinstance(call, SetClampValue) and kinds == {"f16"}:
                    given = call.value if isinstance(call.value, int) else words[call.value.buffer, call.value.offset]
                    seen |= _kinds(given & 0xFFFF)
    assert seen == {"negative", "infinite", "no number", "subnormal", "normal"}


def _kinds(bits: int) -> set[str]:
    exponent, fraction = bits >> 10 & 31, bits & 0x3FF
    size = "normal" if 0 < exponent < 31 else "subnormal" if not exponent else "no number" if fraction else "infinite"
    return {size, *(["negative"] if bits >> 15 else [])}
