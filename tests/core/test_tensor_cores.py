"""Results of tensor cores that others published: legal under practice, and equal to their profiles."""

from __future__ import annotations

import os
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.oracle.demands import float_rules
from mmaspec.oracle.numerics.contract import FloatRules
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import PROFILES, Profile
from mmaspec.programs.rounding_mode import Mode
from tests.core.tensor_cores import FP8, Words, illegal_results, practice, unlike_emulation, unlike_profile
from tests.data.tensor_cores import SAMPLE, Arrays, published

WHOLE = "MMASPEC_TENSOR_CORES"
"""Environment variable: a clone of the project that published the results."""
ROWS = 5000
FAMILY = {
    "V100": "nvidia-volta",
    "A100": "nvidia-ampere",
    "A2": "nvidia-ampere",
    "Ada": "nvidia-ada",
    "L40S": "nvidia-ada",
    "H100": "nvidia-hopper",
    "H200": "nvidia-hopper",
    "B200": "nvidia-blackwell",
}
WGMMA = [(chip, operand, "f32") for chip in ("H100", "H200") for operand in FP8]
"""Made by wgmma, and with C = 0 whatever the files say."""
EMULATED = [
    *((chip, operand, "f16") for chip in ("H100", "H200", "B200") for operand in FP8),
    *(("B200", operand, "f32") for operand in FP8),
]
"""Made by mma.sync, for which these chips have no unit."""


@cache
def sample() -> Arrays:
    with np.load(SAMPLE) as data:
        return {name: data[name].astype(np.uint64) for name in data}


def named(arrays: Arrays) -> list[tuple[str, str, str]]:
    """Chip, operands and accumulator of every set of results."""
    names = (name.split("/") for name in arrays if "/d_" in name)
    return [(chip, operand, result.removeprefix("d_")) for chip, operand, result in names]


SETS = named(sample())


def tiles(arrays: Arrays, chip: str, operand: str, accumulator: str) -> tuple[Words, Words, Words, Words]:
    """A, B, C and D of one set, as products of one row and one column."""
    a, b, c, d = (arrays[f"{chip}/{operand}/{name}"] for name in ("a", "b", "c", f"d_{accumulator}"))
    if (chip, operand, accumulator) in WGMMA:
        c = np.zeros_like(c)
    if accumulator == "f16":
        c = nearest_halves(c)
    return a[:, np.newaxis], b[..., np.newaxis], c[..., np.newaxis], d[..., np.newaxis]


def nearest_halves(singles: Words) -> Words:
    """F32 rounded to nearest even."""
    halves = singles.astype(np.uint32).view(np.float32).astype(np.float16)
    return halves.view(np.uint16).astype(np.uint64)


def profile(chip: str, operand: str, accumulator: str) -> str:
    """The profile that declares the arithmetic of a set."""
    return "nvidia-hopper-wgmma" if (chip, operand, accumulator) in WGMMA else FAMILY[chip]


def check(arrays: Arrays, chip: str, operand: str, accumulator: str, rows: int) -> None:
    """Every result is legal and the one that the chip's arithmetic has."""
    found = tiles(arrays, chip, operand, accumulator)
    assert found[3].shape == (rows, 1, 1)
    assert not illegal_results(operand, accumulator, found, practice(operand, accumulator)).any()
    if (chip, operand, accumulator) in EMULATED:
        assert not unlike_emulation(FAMILY[chip], operand, accumulator, found).any()
    else:
        assert not unlike_profile(profile(chip, operand, accumulator), operand, accumulator, found).any()


def test_the_sample_is_whole() -> None:
    assert len(SETS) == 41
    assert {chip for chip, _, _ in SETS} == set(FAMILY)
    assert {operand for _, operand, _ in SETS} == {"f16", "bf16", *FP8}
    assert {*WGMMA, *EMULATED} < set(SETS)


def test_c_is_rounded_as_the_definition_has_it() -> None:
    singles = np.unique(np.concatenate([numbers for name, numbers in sample().items() if name.endswith("/c")]))
    values = singles.astype(np.uint32).view(np.float32)
    expected = [round_to(FORMATS["f16"], Fraction(float(value)), Mode.NEAREST_EVEN) for value in values]
    assert nearest_halves(singles).tolist() == expected


@pytest.mark.parametrize("of", SETS, ids="-".join)
def test_published_results_are_legal_and_equal_their_profiles(of: tuple[str, str, str]) -> None:
    check(sample(), *of, rows=100)


WIDE: list[dict[str, Any]] = [
    {"addend": "last"},
    {"rounding": {"f32": "nearest-even"}},
    *({"kept_fraction_bits": more} for more in (-1, 1)),
]
"""What the sample tells apart where f32 is made. Numbers are added to those of the profile."""
NARROW: list[dict[str, Any]] = [{"addend": "last"}, {"rounding": {"f16": "toward-zero"}}]
SHORT: list[dict[str, Any]] = [
    {"rounding": {"f32": "nearest-even", "f16": "nearest-even"}},
    *({field: more} for field in ("kept_fraction_bits", "result_fraction_bits") for more in (-1, 1)),
]
NEIGHBOURS = [
    *((name, 0, {**change}) for name in sorted(set(FAMILY.values())) for change in (*WIDE, {"products": 0.5})),
    *((name, 1, {**change}) for name in sorted(set(FAMILY.values())) for change in (*NARROW, {"products": 0.5})),
    *(("nvidia-ada", 2, {**change}) for change in (*SHORT, {"products": 0.5}, {"products": 2.0}, {"addend": "last"})),
    *(("nvidia-hopper-wgmma", 2, {**change}) for change in (*SHORT, {"products": 0.5})),
]
"""Profile, which of its blocks, and a change: half as many products, a bit more or less, another mode or place."""


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("name", "at", "change"),
    [pytest.param(*one, id="-".join(map(str, (*one[:2], *next(iter(one[2].items())))))) for one in NEIGHBOURS],
)
def test_the_sample_tells_a_profile_from_its_neighbours(name: str, at: int, change: dict[str, Any]) -> None:
    block = PROFILES[name].blocks[at]
    [(field, new)] = change.items()
    if field == "products":
        new = int(block.products * new)
    elif isinstance(new, int):
        new += getattr(block, field)
    rules = float_rules(Profile(model=msgspec.structs.replace(block, **{field: new})), FloatRules())
    wrong = 0
    for chip, operand, into in SETS:
        here = profile(chip, operand, into) == name and (chip, operand, into) not in EMULATED
        if here and operand in block.operands and into in block.rounding:
            wrong += int(illegal_results(operand, into, tiles(sample(), chip, operand, into), rules).sum())
    assert wrong > 10


@pytest.mark.exhaustive(every=2)
@pytest.mark.long
@pytest.mark.parametrize("of", SETS, ids="-".join)
def test_every_published_result_is(of: tuple[str, str, str]) -> None:
    if WHOLE not in os.environ:
        pytest.skip(f"{WHOLE} names no clone of MATLAB-tensor-core (tests/data/README.md)")
    check(published(Path(os.environ[WHOLE]) / "model_validation", *of[:2]), *of, rows=ROWS)
