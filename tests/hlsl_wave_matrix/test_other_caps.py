"""Classes that the default caps exclude: lists for devices that report something else have them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.base import GUARD
from mmaspec.programs.hlsl_wave_matrix.caps import DIMENSIONS, Datatype, WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.axes.observation import seen
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.hlsl_wave_matrix.observations import OBSERVER
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, hold

from .observing import SPACE

SHAPES = tuple((m, n) for m in DIMENSIONS for n in DIMENSIONS)
DEPTHS: dict[Datatype, tuple[int, ...]] = {
    "byte": (16, 16, 16, 96), "float16": (64, 80, 48, 16), "float": (128, 32, 64, 16),
}  # fmt: skip
SIZES = {"byte": 4, "float16": 16, "float": 0}
ALL_ROWS = WaveMmaCaps(
    tuple(
        WaveMmaSupport(datatype, *shape, k=k, required_wave_size=SIZES[datatype])
        for datatype, depths in DEPTHS.items()
        for shape, k in zip(SHAPES, depths, strict=True)
    ),
    (4, 64),
)
"""Every combination, with many K; waves of a wide range."""
REFUSING = WaveMmaCaps(
    (
        WaveMmaSupport("byte", 16, 16, k=272, required_wave_size=8),
        WaveMmaSupport("byte", 16, 64, supported=False, k=0, accum_precision=0, required_wave_size=0),
        WaveMmaSupport("byte", 64, 64, k=48, required_wave_size=8),
        WaveMmaSupport("float16", 16, 16, k=256, required_wave_size=8),
        WaveMmaSupport("float", 16, 16, k=144, required_wave_size=0),
    ),
    (8, 8),
)
"""Waves of one size; a combination that is said not to be supported."""
GARBAGE = WaveMmaCaps(
    (
        WaveMmaSupport("byte", 16, 16, k=16, required_wave_size=0),
        WaveMmaSupport("float16", 16, 16, k=16, required_wave_size=128),
        WaveMmaSupport("float", 64, 64, supported=False, k=24, accum_precision=1, required_wave_size=5),
    ),
    (16, 128),
)
"""One K; what is said of a combination that is not supported means nothing."""
FEW = 1
"""Items of a case."""
MANY = ("values",)
"""What shows one thing an item."""
TEMPLATES = (("move", 0), ("multiply", 0), ("sums", 0))
"""With the number of a case."""
MET: tuple[tuple[WaveMmaCaps, Datatype, str, Chosen], ...] = (
    (ALL_ROWS, "byte", "thread-groups", {"mixture": "one-datatype", "waves": "more"}),
    (ALL_ROWS, "byte", "thread-groups", {"mixture": "one-datatype", "waves": "three"}),
    (REFUSING, "byte", "thread-groups", {"mixture": "one-datatype", "waves": "to-seven"}),
    (ALL_ROWS, "float16", "values", {"data": "patterned"}),
    (GARBAGE, "byte", "matrix-places", {"part": "1"}),
    (REFUSING, "byte", "fixed-values", {"values": "fixed"}),
)
"""Table -> a case of an array, in the first row of a datatype."""


def cases(caps: WaveMmaCaps) -> Iterator[Recipe]:
    """Of every row a case of some templates, and one of some arrays."""
    lister = Lister(SPEC, grammar_of(SPEC.name), caps, DEFAULT_SEED)
    known = {template.name: template for template in lister.grammar.templates}
    rows = [row for row in SPEC.rows(caps) if "int" in row.tags or row.entry.answer.m == DIMENSIONS[0]]
    found = [lister.case(row, known[name], n) for row in rows for name, n in TEMPLATES]
    for table, datatype, name, chosen in MET:
        if table == caps:
            row = next(row for row in rows if row.entry.answer.datatype == datatype)
            found.append(lister.met(row, arrays_of(SPEC.name)[name], {ROW: row.name, **chosen}))
    yield from (
        replace(recipe, batch=recipe.batch if recipe.template in MANY else min(recipe.batch, FEW))
        for recipe in found
        if recipe is not None
    )


def test_each_class_that_the_default_caps_exclude_is_drawn_for_other_devices() -> None:
    device = NumpyBackend(ExactUnit(), {SPEC.name: WaveMatrixDevice})
    wanted = {name for name, why in OBSERVER.unseen.items() if why.startswith(("WaveMmaSupport.", "WaveMmaCaps."))}
    assert len(wanted) > 50
    for caps in (ALL_ROWS, REFUSING, GARBAGE):
        device.report(SPEC.name, caps)
        for recipe in cases(caps):
            case = materialise(recipe)
            by_reading = expect_by_reading(case, PRACTICE)
            assert hold(case, by_reading, ask(device, case, by_reading.first)).legal
            for one in seen(case, OBSERVER, SPACE):
                named = {f"{axis}={name}" for axis, classes in one.classes.items() for name in classes}
                wanted -= named | {f"{one.thing.group}/{name}" for name in named}
    assert not wanted


@pytest.mark.parametrize(("m", "n"), SHAPES)
@pytest.mark.parametrize("datatype", list(DEPTHS))
def test_a_device_of_a_single_row_has_its_far_views(datatype: Datatype, m: int, n: int) -> None:
    """Rows of 64 reach further than those of 16, on which the view of 16 MiB was once cut."""
    caps = WaveMmaCaps((WaveMmaSupport(datatype, m, n, k=32, required_wave_size=32),), (32, 32))
    lister, (row,) = Lister(SPEC, grammar_of(SPEC.name), caps, DEFAULT_SEED), SPEC.rows(caps)
    array = arrays_of(SPEC.name)["far-views"]
    for chosen in tuples(array, caps, [row], 2):
        recipe = lister.met(row, array, chosen)
        assert recipe is not None
        far = next(buffer for buffer in recipe.program.buffers if buffer.name == "far")
        assert far.size > 1 << 24
        assert max(start + length for start, length in far.windows) <= far.size + GUARD
        assert isinstance(expect_by_reading(materialise(recipe), PRACTICE).first, Defined)  # no data lie upon others
