"""Profiles: what they declare, how they are read, and that the recorded silicon meets its own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.oracle.demands import float_rules, may_widen
from mmaspec.oracle.hlsl_wave_matrix.practice import PRACTICE_RULES as HLSL
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES as NV
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.models import BlocksByFormat, Chain, FusedBlock
from mmaspec.programs.profile import PRACTICE, PROFILES, Profile, decode_profile
from mmaspec.programs.rounding_mode import Mode
from tests.damage import damaged, refusal

DATA = Path(__file__).parents[1] / "data"
TINY = 8192
"""Results whose largest product is a subnormal of f32."""
TYPES = (("f16", "f32"), ("bf16", "f32"), ("f16", "f16"))

Recording = dict[str, np.ndarray]


@cache
def recording() -> Recording:
    found: Recording = {}
    for file in ("h100_wmma.npz", "h200_wmma_tiny.npz"):
        with np.load(DATA / file) as data:
            found.update((name, data[name].astype(np.uint64)) for name in data)
    return found


def batches(types: tuple[str, str]) -> list[tuple[str, Recording]]:
    """The recorded tiles of one pair of formats, by regime."""
    found: dict[str, Recording] = {}
    for name, bits in recording().items():
        kind, regime, matrix = name.split("/")
        if kind == "_".join(types):
            found.setdefault(regime, {})[matrix] = bits
    return sorted(found.items())


def legal(types: tuple[str, str], tiles: Recording, rules: FloatRules) -> Legal:
    operand, accumulator = (FORMATS[name] for name in types)
    c = Legal.from_bits(accumulator, tiles["c"])
    return multiply_add(a_fmt=operand, a=tiles["a"], b_fmt=operand, b=tiles["b"], c=c, rules=rules)


def wrong(types: tuple[str, str], rules: FloatRules) -> int:
    """How many recorded results these rules do not allow."""
    return sum(int(illegal(legal(types, tiles, rules), tiles["d"]).sum()) for _, tiles in batches(types))


def test_the_recording_is_whole() -> None:
    counts = {types: sum(tiles["d"].size for _, tiles in batches(types)) for types in TYPES}
    assert counts == {("f16", "f32"): 36864, ("bf16", "f32"): 36864 + TINY, ("f16", "f16"): 28672}


@pytest.mark.parametrize("types", TYPES, ids="-".join)
@pytest.mark.parametrize("practice", [HLSL, NV, FloatRules()], ids=["hlsl", "nv", "strictest"])
def test_silicon_raises_no_alarm_under_practice(types: tuple[str, str], practice: FloatRules) -> None:
    assert wrong(types, float_rules(PRACTICE, practice)) == 0


@pytest.mark.parametrize("types", TYPES, ids="-".join)
def test_silicon_equals_its_profile_to_the_bit(types: tuple[str, str]) -> None:
    rules = float_rules(PROFILES["nvidia-hopper"], NV)
    for regime, tiles in batches(types):
        demanded = legal(types, tiles, rules)
        assert (demanded.exact | (demanded.lo > demanded.hi)).all(), regime  # one value or NaN
        assert not illegal(demanded, tiles["d"]).any(), regime


@pytest.mark.parametrize(
    "change",
    [
        {"kept_fraction_bits": 24},
        {"kept_fraction_bits": 26},
        {"products": 8},
        {"zero_products": "aligned"},
        {"addend": "last"},
        {"exponent_floor": -132},
        {"exponent_floor": -134},
        {"rounding": {"f32": "nearest-even", "f16": "toward-zero"}},
    ],
    ids=lambda change: "-".join(map(str, next(iter(change.items())))) if "rounding" not in change else "rounding",
)
def test_silicon_tells_this_model_from_its_neighbours(change: dict[str, object]) -> None:
    """Every parameter of the profile is decided by the recording, but for the floor of sums in f16."""
    into_f32, into_f16 = PROFILES["nvidia-hopper"].blocks
    roundings: Any = change.get("rounding", {**into_f32.rounding, **into_f16.rounding})
    blocks = tuple(
        msgspec.structs.replace(block, **{**change, "rounding": {name: roundings[name] for name in block.rounding}})
        for block in (into_f32, into_f16)
        if "exponent_floor" not in change or block is into_f32
    )
    other = float_rules(Profile(model=blocks), NV)
    covered = [types for types in TYPES if any(types[1] in block.rounding for block in blocks)]
    assert sum(wrong(types, other) for types in covered) > 10


@pytest.mark.parametrize("name", ["ieee-sequential", "ieee-fma-chain", "correctly-rounded"])
def test_silicon_is_none_of_the_others(name: str) -> None:
    assert wrong(("f16", "f32"), float_rules(PROFILES[name], NV)) > 100


def test_every_field_reaches_the_rules() -> None:
    practice = FloatRules(flush_inputs=True, flush_results=True, nan="reported", window="reported")
    assert float_rules(PRACTICE, practice) == practice
    declared = Profile(
        accumulator_precision=14, kept_fraction_bits=13, zero_terms="aligned", subnormals="may-flush-results",
        final_rounding="down", nan="required", window="required",
    )  # fmt: skip
    assert float_rules(declared, practice) == FloatRules(
        accumulator_precision=14,
        kept_fraction_bits=13,
        zero_exponent=True,
        flush_results=True,
        final_rounding=Mode.DOWN,
    )
    assert float_rules(Profile(subnormals="kept"), practice) == FloatRules(nan="reported", window="reported")
    assert float_rules(Profile(subnormals="may-flush-inputs"), FloatRules()) == FloatRules(flush_inputs=True)
    assert float_rules(Profile(rounding="toward-zero"), practice).rounding is Mode.TOWARD_ZERO
    assert float_rules(Profile(model="sequential"), practice).model == Chain(fused=False)
    assert float_rules(Profile(model="fma-chain"), practice).model == Chain(fused=True)
    assert float_rules(Profile(model="fma-chain-f32"), practice).model == Chain(fused=True, running="f32")
    hopper = float_rules(PROFILES["nvidia-hopper"], practice)
    assert hopper.kept_fraction_bits == 25
    assert isinstance(hopper.model, BlocksByFormat)
    assert [block.exponent_floor for block in hopper.model.blocks] == [-133, -21]


def test_shipped_profiles_say_what_they_rest_on() -> None:
    assert set(PROFILES) >= {"practice", "nvidia-hopper", "ieee-sequential", "ieee-fma-chain", "correctly-rounded"}
    for name, profile in PROFILES.items():
        assert profile.name == name
        assert name == "practice" or (profile.about and profile.evidence)
        assert msgspec.json.decode(msgspec.json.encode(profile), type=Profile) == profile


BLOCK = """
[model]
arithmetic = "fused-block"
products = 8
kept_fraction_bits = 24
operands = ["f16"]
rounding = { f32 = "toward-zero" }
"""
MISTAKES = {
    "precision-too-small": ("accumulator_precision = 1", "accumulator_precision"),
    "bits-too-many": ("kept_fraction_bits = 61", "kept_fraction_bits"),
    "bits-no-number": ('kept_fraction_bits = "13"', "kept_fraction_bits"),
    "unknown-rounding": ('rounding = "to-odd"', "to-odd"),
    "unknown-model": ('model = "fused"', "model"),
    "model-and-rounding": ('model = "sequential"\nrounding = "nearest-even"', "declare one"),
    "two-roundings": ('rounding = "up"\nfinal_rounding = "up"', "final_rounding"),
    "unknown-arithmetic": (BLOCK.replace("fused-block", "fused-tree"), "fused-tree"),
    "unknown-parameter": (BLOCK.replace("products", "blocks"), "blocks"),
    "no-products": (BLOCK.replace("8", "0"), "products"),
    "too-many-bits": (BLOCK.replace("24", "41"), "kept_fraction_bits"),
    "unknown-format": (BLOCK.replace("f16", "f17"), "f17"),
    "integer-format": (BLOCK.replace("f16", "s8"), "s8"),
    "unknown-block-rounding": (BLOCK.replace("toward-zero", "nearest-away"), "nearest-away"),
    "bits-beside-a-model": (f"kept_fraction_bits = 24\n{BLOCK}", "kept_fraction_bits"),
    "precision-beside-a-rounding": ('rounding = "up"\naccumulator_precision = 24', "accumulator_precision"),
    "flushing-beside-a-model": ('model = "sequential"\nsubnormals = "may-flush"', "subnormals"),
    "nan-beside-a-model": ('model = "sequential"\nnan = "reported"', "nan"),
    "no-operands": (BLOCK.replace('["f16"]', "[]"), "operands"),
    "no-results": (BLOCK.replace('{ f32 = "toward-zero" }', "{}"), "rounding"),
    "results-without-infinities": (BLOCK.replace("f32", "e4m3"), "e4m3"),
    "floor-too-high": (f"{BLOCK}exponent_floor = -100", "smallest normal"),
    "no-blocks": ("model = []", "no fused block"),
    "blocks-of-the-same-formats": (
        BLOCK.replace("[model]", "[[model]]") * 2,
        "two fused blocks for f16 x f16 into f32",
    ),
    "one-of-two-without-arithmetic": (
        BLOCK.replace("[model]", "[[model]]") + BLOCK.replace("[model]", "[[model]]").replace("arithmetic", "about"),
        "arithmetic",
    ),
    "result-bits-none": (f"{BLOCK}result_fraction_bits = 0", "result_fraction_bits"),
    "result-bits-too-many": (f"{BLOCK}result_fraction_bits = 53", "result_fraction_bits"),
    "no-arithmetic": (BLOCK.replace('arithmetic = "fused-block"', ""), "arithmetic"),
    "digits": (f"accumulator_precision = {'9' * 5000}", "digits"),
    "nested": (f"about = {'[' * 5000}", "nested"),
    "short-operands-unknown": ('f32_operands = "f16"', "f32_operands"),
    "short-operands-of-a-model": (f'f32_operands = "tf32"\n{BLOCK}', "f32_operands"),
    "short-operands-rounded": ('f32_operands = "tf32"\nrounding = "nearest-even"', "f32_operands"),
    "f64-of-any-size": ('f64 = "half"', "f64"),
    "quotients-unknown": ('integer_quotients = "down"', "integer_quotients"),
    "pinned-twice": (
        "\n".join(f'[[pins]]\nambiguity = "WM-AMB-07"\nreading = "{way}"' for way in ("wrap", "saturate")),
        "more than once",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_file_is_one_line(name: str) -> None:
    text, says = MISTAKES[name]
    with pytest.raises(BadInput) as told:
        decode_profile(f'name = "mine"\n{text}\n'.encode(), "mine.toml")
    message = str(told.value)
    assert message.startswith("mine.toml: not a profile: ")
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "no name"),
        (b'name = ""', "empty"),
        (b'name = "a\\nb"', "printable"),
        (b"\xff", "decode"),
        (b"[", "end of document"),
    ],
    ids=["empty", "nameless", "newline", "no-text", "cut-off"],
)
def test_what_is_no_profile_at_all_is_one_line(text: bytes, says: str) -> None:
    with pytest.raises(BadInput) as told:
        decode_profile(text, "mine.toml")
    assert str(told.value).startswith("mine.toml: not a profile: ")
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def test_a_damaged_profile_is_read_or_refused(times: int) -> None:
    draw = Random(4)  # noqa: S311 - the same mutations every time
    good = f'name = "mine"\nabout = "known"\nsubnormals = "kept"\n{BLOCK}'.encode()
    said = [refusal(lambda: decode_profile(damaged(good, draw), "p.toml")) for _ in range(600 * times)]
    assert {bool(line) for line in said} == {True, False}
    assert all(line.startswith("p.toml: ") for line in said if line)


def test_a_set_beside_a_model_that_aligns_zeros_holds_what_the_model_gives() -> None:
    """C is one of two values, so the model's one answer is not known; either has to be allowed."""
    bf16, f32 = FORMATS["bf16"], FORMATS["f32"]
    text = BLOCK.replace('"f16"', '"bf16"') + 'zero_products = "aligned"\n'
    rules = float_rules(decode_profile(f'name = "mine"\n{text}'.encode(), "mine.toml"), FloatRules())
    a, b = np.array([[[0, 0x3800]]], np.uint64), np.array([[[0x7F00], [0x3800]]], np.uint64)  # 0, 2^-15; 2^127, 2^-15
    either = Legal.interval(f32, *(np.full((1, 1, 1), end, np.int64) for end in (0, 1)))
    found = multiply_add(a_fmt=bf16, a=a, b_fmt=bf16, b=b, c=either, rules=rules)
    assert found.lo.item() <= 0 <= found.hi.item()


def test_what_may_widen_a_set_says_so() -> None:
    assert not any(may_widen(PROFILES[name]) for name in ("practice", "ieee-subnormals", "correctly-rounded"))
    assert not any(may_widen(PROFILES[name]) for name in ("ieee-sequential", "ieee-fma-chain"))
    wide: tuple[dict[str, Any], ...] = (
        {"nan": "reported"},
        {"window": "reported"},
        {"subnormals": "may-flush"},
        {"accumulator_precision": 14},
        {"kept_fraction_bits": 13},
        {"zero_terms": "aligned"},
        {"f32_operands": "tf32"},
        {"model": PROFILES["nvidia-hopper"].model},
    )
    assert all(may_widen(Profile(**declared)) for declared in wide)


def test_a_block_model_in_a_file_is_read() -> None:
    profile = decode_profile(f'name = "mine"\n{BLOCK}'.encode(), "mine.toml")
    assert float_rules(profile, FloatRules()).model == FusedBlock(
        products=8, kept_fraction_bits=24, operands=("f16",), roundings=(("f32", Mode.TOWARD_ZERO),)
    )


def test_blocks_that_differ_by_format_are_read() -> None:
    half = BLOCK.replace("[model]", "[[model]]")
    short = half.replace("f16", "e4m3").replace("24", "13") + "result_fraction_bits = 13\n"
    model = float_rules(decode_profile(f'name = "mine"\n{half}{short}'.encode(), "mine.toml"), FloatRules()).model
    first = FusedBlock(products=8, kept_fraction_bits=24, operands=("f16",), roundings=(("f32", Mode.TOWARD_ZERO),))
    second = replace(first, kept_fraction_bits=13, operands=("e4m3",), result_fraction_bits=13)
    assert model == BlocksByFormat((first, second))
