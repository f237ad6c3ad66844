"""FP8 as an NVIDIA H100 multiplied it, by wgmma and by mma.sync, and the exponent floor of its f16 sums."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.oracle.demands import float_rules
from mmaspec.oracle.numerics.contract import FloatRules
from mmaspec.programs.profile import PROFILES, Profile
from tests.core.tensor_cores import FP8, Words, illegal_results, practice, unlike_emulation, unlike_profile

FILE = Path(__file__).parents[1] / "data" / "h100_fp8.npz"
TYPES = [(operand, accumulator) for operand in FP8 for accumulator in ("f32", "f16")]


@cache
def recorded(instruction: str, operand: str, accumulator: str) -> dict[str, tuple[Words, Words, Words, Words]]:
    """Regime -> a, b, c and d of one tile."""
    start = f"{instruction}/{operand}_{accumulator}/"
    with np.load(FILE) as data:
        regimes = sorted({name.split("/")[2] for name in data if name.startswith(start)})
        whole = {name: data[name].astype(np.uint64) for name in data if name.startswith(start)}
    return {regime: _tiles(whole, f"{start}{regime}/") for regime in regimes}


def _tiles(whole: dict[str, Words], at: str) -> tuple[Words, Words, Words, Words]:
    return whole[f"{at}a"], whole[f"{at}b"], whole[f"{at}c"], whole[f"{at}d"]


@pytest.mark.parametrize("types", TYPES, ids="-".join)
@pytest.mark.parametrize("instruction", ["wgmma", "mma"])
def test_fp8_on_an_h100_is_legal_under_practice(instruction: str, types: tuple[str, str]) -> None:
    found = recorded(instruction, *types)
    assert len(found) == 16
    for regime, tiles in found.items():
        assert tiles[3].shape == (1, 16, 8)
        assert not illegal_results(*types, tiles, practice(*types)).any(), regime


@pytest.mark.parametrize("types", TYPES, ids="-".join)
def test_wgmma_equals_its_profile(types: tuple[str, str]) -> None:
    for regime, tiles in recorded("wgmma", *types).items():
        assert not unlike_profile("nvidia-hopper-wgmma", *types, tiles).any(), regime


@pytest.mark.parametrize("types", TYPES, ids="-".join)
def test_mma_multiplies_fp8_in_f16(types: tuple[str, str]) -> None:
    for regime, tiles in recorded("mma", *types).items():
        assert not unlike_emulation("nvidia-hopper", *types, tiles).any(), regime
    assert sum(unlike_profile("nvidia-hopper-wgmma", *types, tiles).sum() for tiles in recorded("mma", *types).values())


@pytest.mark.parametrize(
    "change",
    [
        {"kept_fraction_bits": 12},
        {"kept_fraction_bits": 14},
        {"result_fraction_bits": 12},
        {"result_fraction_bits": 14},
        {"result_fraction_bits": None},
        {"products": 16},
        {"zero_products": "aligned"},
        {"addend": "last"},
        {"rounding": {"f32": "nearest-even", "f16": "toward-zero"}},
    ],
    ids=lambda change: "-".join(map(str, next(iter(change.items())))) if "rounding" not in change else "rounding",
)
def test_wgmma_tells_its_model_from_its_neighbours(change: dict[str, Any]) -> None:
    block = msgspec.structs.replace(PROFILES["nvidia-hopper-wgmma"].blocks[2], **change)
    rules = float_rules(Profile(model=block), FloatRules())
    wrong = [illegal_results(*types, tiles, rules) for types in TYPES for tiles in recorded("wgmma", *types).values()]
    assert np.stack(wrong).sum() > 10


@pytest.mark.parametrize(("floor", "same"), [(-133, False), (-22, False), (-21, True), (-20, False)])
def test_sums_of_f16_are_aligned_on_this_exponent_at_least(floor: int, same: bool) -> None:
    """2^-25 and one smaller product: what is cut off decides a tie."""
    tiles = recorded("mma", "f16", "f16")["tie"]
    assert not illegal_results("f16", "f16", tiles, FloatRules()).any()
    assert not unlike_profile("nvidia-hopper", "f16", "f16", tiles).any()
    block = msgspec.structs.replace(PROFILES["nvidia-hopper"].blocks[1], exponent_floor=floor)
    other = illegal_results("f16", "f16", tiles, float_rules(Profile(model=block), FloatRules()))
    assert bool(other.any()) is not same
