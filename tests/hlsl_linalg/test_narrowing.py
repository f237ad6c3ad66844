"""Integers that become floats: whoever rounds them twice, through a third format, is wrong in a case of the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, grammar_of
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.arrays.scenes.narrowing import NARROWING
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import SCENE
from tests.hlsl_linalg.drawing import Held, held

SPEC = spec_named("hlsl-linalg")
DEFAULT: Any = SPEC.default_caps
FLOATS = ("f16", "bf16", "f32", "f64")


def roundings(widths: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """(integer, third format, float) of which two roundings are not one: the third loses digits and rounds to a tie."""
    for name in widths:
        digits = FORMATS[name].bits - FORMATS[name].signed
        for target in FLOATS:
            for third in FLOATS:
                one, two = FORMATS[target], FORMATS[third]
                if one.precision < two.precision < min(digits, one.emax + 1) and two.emax >= min(digits, one.emax):
                    yield name, third, target


MATRICES = sorted(roundings(("s16", "u16", "s32", "u32")))
VECTORS = sorted(roundings(("s16", "u16", "s32", "u32", "s64", "u64")))


def through(caps: Any, source: str, third: str, target: str) -> LinalgDevice:
    class Twice(LinalgDevice):
        def converted_bits(self, bits: Any, of: Format, to: Format) -> Any:
            if (of.name, to.name) == (source, target):
                there = super().converted_bits(bits, of, FORMATS[third])
                return super().converted_bits(there, FORMATS[third], to)
            return super().converted_bits(bits, of, to)

    found = Twice(ExactUnit())
    found.caps = caps
    return found


def scene(caps: Any, name: str, seed: int) -> Held:
    """A scene with data of another seed."""
    (chosen,) = [one for one in tuples(NARROWING, caps, SPEC.rows(caps), 2) if one[SCENE] == name]
    row = SPEC.row(caps, chosen[ROW])
    recipe = Lister(SPEC, grammar_of(SPEC.name), caps, DEFAULT_SEED).met(row, NARROWING, chosen)
    assert recipe is not None
    draft = Draft(recipe.program, recipe.regime, recipe.batch, recipe.words)
    return held(draft, row, seed, recipe.batch, revision=caps.revision)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("source", "third", "target"), MATRICES)
def test_two_roundings_of_a_matrix_are_noticed(source: str, third: str, target: str, seed: int) -> None:
    assert scene(DEFAULT, f"{source}-to-floats", seed).left(through(DEFAULT, source, third, target))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("source", "third", "target"), VECTORS)
def test_two_roundings_of_a_vector_are_noticed(source: str, third: str, target: str, seed: int) -> None:
    assert scene(DEFAULT, "vectors-to-floats", seed).left(through(DEFAULT, source, third, target))


@pytest.mark.parametrize("fewer", [1, 2, 3])
@pytest.mark.parametrize(("caps", "name"), [(DEFAULT, "u32-to-floats"), (SOURCE_CAPS, "u32-to-floats-of-2025")])
def test_an_integer_that_is_cut_first_is_noticed(caps: Any, name: str, fewer: int) -> None:
    """From 2^31 on unsigned numbers lose their last bits before they are converted."""

    class Cuts(LinalgDevice):
        def converted_bits(self, bits: Any, of: Format, to: Format) -> Any:
            cut = bits >> np.uint64(fewer) << np.uint64(fewer) if of.name == "u32" and to.is_float else bits
            return super().converted_bits(np.where(bits >> np.uint64(31) != 0, cut, bits), of, to)

    found = Cuts(ExactUnit())
    found.caps = caps
    assert scene(caps, name, 0).left(found)
