"""Random caps that the base extension and the NV extension allow: lists of properties, features and limits."""

from __future__ import annotations

from mmaspec.programs.nv_coopmat2.caps import CapsScope, CoopMatCaps, Features, FixedSize, FlexibleSize
from mmaspec.programs.nv_coopmat2.program import Component
from mmaspec.strategies.choices import Choices

POWERS = (4, 8, 16, 32)
"""Sizes of a fixed property, of which at least one has to have powers of two alone."""
OTHERS = (12, 24, 40, 48)
GRANULARITIES = (8, 16, 32, 64)
"""Of a flexible property, which are powers of two."""
MAXIMA = (64, 96, 128, 256, 1024)
INVOCATIONS = (32, 64, 128, 256)

FLOATS: tuple[tuple[Component, Component], ...] = (
    ("f16", "f16"),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("bf16", "bf16"),
    ("f32", "f32"),
    ("f64", "f64"),
)
"""Component types of the factors, and of C and the result."""
FACTORS: tuple[Component, ...] = ("s8", "u8", "s16", "u16", "s32", "u32")
SUMS: tuple[Component, ...] = ("s32", "u32", "s32", "u32", "s8", "u8")


def random_caps(choices: Choices) -> CoopMatCaps:
    """A few fixed properties, the first with powers of two; at times flexible ones, some of workgroup scope."""
    maximum = choices.one_of(MAXIMA)
    fixed = [_fixed(choices, POWERS)]
    fixed += [_fixed(choices, (*POWERS, *POWERS, *OTHERS)) for _ in range(choices.integer(0, 4))]
    flexible = [_flexible(choices, maximum) for _ in range(choices.integer(0, 3))]
    return CoopMatCaps(tuple(fixed), tuple(flexible), maximum, _features(choices))


def _types(choices: Choices) -> tuple[Component, Component, Component, bool]:
    """Component types of A, B, and C with the result; whether products saturate."""
    if choices.chance(50):
        factor, total = choices.one_of(FLOATS)
        return factor, factor, total, False
    a = choices.one_of(FACTORS)
    b = choices.one_of(FACTORS) if choices.chance(30) else a
    return a, b, choices.one_of(SUMS), choices.chance(30)


def _fixed(choices: Choices, sizes: tuple[int, ...]) -> FixedSize:
    a, b, c, saturating = _types(choices)
    m, n, k = (choices.one_of(sizes) for _ in range(3))
    scope: CapsScope = "workgroup" if choices.chance(10) else "subgroup"
    return FixedSize(m, n, k, a, b, c, c, saturating, scope)


def _flexible(choices: Choices, maximum: int) -> FlexibleSize:
    a, b, c, saturating = _types(choices)
    units = [unit for unit in GRANULARITIES if unit <= maximum]
    m, n, k = (choices.one_of(units) for _ in range(3))
    scope: CapsScope = "subgroup" if choices.chance(30) else "workgroup"
    return FlexibleSize(m, n, k, a, b, c, c, saturating, scope, choices.one_of(INVOCATIONS))


def _features(choices: Choices) -> Features:
    """Mostly all of them, else each at times."""
    if choices.chance(60):
        return Features()
    return Features(*(choices.chance(75) for _ in Features.__struct_fields__))
