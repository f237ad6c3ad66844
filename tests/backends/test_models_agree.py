"""The numpy backend's units and the oracle's models were written apart, and give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.legal import LEGAL
from mmaspec.oracle.demands import arithmetic, float_rules
from mmaspec.oracle.numerics.contract import FloatRules, multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import PROFILES, Profile

from .operands import Bits, finite, moderate, subnormal

PAIRS = {
    "sequential": Profile(model="sequential-f32"),
    "fma-chain": Profile(model="fma-chain-f32"),
    "single-rounding": PROFILES["correctly-rounded"],
    **{name: PROFILES[name] for name in ("nvidia-volta", "nvidia-ampere", "nvidia-ada", "nvidia-hopper")},
}
"""Legal variant -> the profile that names its arithmetic."""
TYPES = (("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("e4m3", "f32"), ("e5m2", "f32"), ("e5m2", "f16"))
DRAWS = {"moderate": moderate, "finite": finite, "subnormal": subnormal}


def any_code(rng: np.random.Generator, name: str, *shape: int) -> Bits:
    """A tenth NaN, infinities and zeros."""
    fmt = FORMATS[name]
    end = fmt.infinity_magnitude if fmt.infinities else fmt.largest_magnitude
    odd = rng.choice([fmt.nan_bits, end, end | fmt.sign_bit, 0], shape)
    return np.where(rng.random(shape) < 0.1, odd.astype(np.uint64), moderate(rng, name, *shape))


def covered(variant: str, types: tuple[str, str]) -> bool:
    """A Volta card has no bf16."""
    model, (operand, accumulator) = arithmetic(PAIRS[variant]), types
    return model is None or model.covers(FORMATS[operand], FORMATS[operand], FORMATS[accumulator])


CASES = [(variant, types) for variant in sorted(PAIRS) for types in TYPES if covered(variant, types)]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(
    ("variant", "types"), CASES, ids=lambda part: part if isinstance(part, str) else "-".join(part)
)
@pytest.mark.parametrize("data", [*DRAWS, "special"])
def test_unit_equals_model(variant: str, types: tuple[str, str], data: str) -> None:
    operand, accumulator = types
    draw = DRAWS.get(data, any_code)
    rng = np.random.default_rng(41)
    for depth in (5, 16, 40):
        a, b = draw(rng, operand, 4, 16, depth), draw(rng, operand, 4, depth, 16)
        c = draw(rng, accumulator, 4, 16, 16)
        got = LEGAL[variant].unit().multiply_add(operand, a, operand, b, accumulator, c)
        demanded = multiply_add(
            a_fmt=FORMATS[operand],
            a=a,
            b_fmt=FORMATS[operand],
            b=b,
            c=Legal.from_bits(FORMATS[accumulator], c),
            rules=float_rules(PAIRS[variant], FloatRules()),
        )
        assert (demanded.exact | (demanded.lo > demanded.hi)).all()
        assert not illegal(demanded, got).any()
