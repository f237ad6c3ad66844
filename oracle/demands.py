"""The demands of a profile on floating-point sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.models import BlocksByFormat, Model
from mmaspec.programs.profile import CHAINS, Profile, Shorter
from mmaspec.programs.rounding_mode import Mode

SHORTER: Mapping[Shorter, int] = MappingProxyType({"tf32": 11, "bf16": FORMATS["bf16"].precision})
"""Shorter format that has the exponents of f32 -> its significand bits."""


def float_rules(profile: Profile, practice: FloatRules) -> FloatRules:
    """The float rules of a specification's practice, sharpened by what ``profile`` declares."""
    blocks = profile.blocks
    kept = blocks[0].kept_fraction_bits if blocks else profile.kept_fraction_bits
    aligned = "aligned" in (profile.zero_terms, blocks[0].zero_products if blocks else None)
    flush = profile.subnormals
    return replace(
        practice,
        accumulator_precision=profile.accumulator_precision or practice.accumulator_precision,
        kept_fraction_bits=kept or practice.kept_fraction_bits,
        zero_exponent=aligned or (profile.zero_terms is None and practice.zero_exponent),
        flush_inputs=flush in ("may-flush", "may-flush-inputs") if flush else practice.flush_inputs,
        flush_results=flush in ("may-flush", "may-flush-results") if flush else practice.flush_results,
        f32_bits=SHORTER[profile.f32_operands] if profile.f32_operands else practice.f32_bits,
        nan=profile.nan or practice.nan,
        window=profile.window or practice.window,
        rounding=Mode(profile.rounding) if profile.rounding else practice.rounding,
        final_rounding=Mode(profile.final_rounding) if profile.final_rounding else practice.final_rounding,
        model=arithmetic(profile) or practice.model,
    )


def arithmetic(profile: Profile) -> Model | None:
    """The arithmetic that the profile's ``model`` names."""
    if profile.model is None:
        return None
    if isinstance(profile.model, str):
        return CHAINS[profile.model]
    blocks = tuple(block.model() for block in profile.blocks)
    return blocks[0] if len(blocks) == 1 else BlocksByFormat(blocks)


def operation_rules(profile: Profile, practice: FloatRules) -> FloatRules:
    """The rules of operations other than products where a profile is about products, but for its precision of f64."""
    return replace(practice, f64_bits=FORMATS["f32"].precision) if profile.f64 == "single" else practice


def rounded_quotients(profile: Profile) -> bool:
    """Whether quotients of integers that are not exact are judged."""
    return profile.integer_quotients != "reported"


def may_widen_apart(profile: Profile) -> bool:
    """Whether what clauses that are ``apart`` demand may be less than under practice."""
    return profile.f64 == "single" or profile.integer_quotients == "reported"


def may_widen(profile: Profile) -> bool:
    """Whether legal sets may be larger than under practice, so that a case may detect less under this profile."""
    return (
        bool(profile.blocks)
        or profile.zero_terms == "aligned"
        or profile.f32_operands is not None
        or profile.subnormals not in (None, "kept")
        or "reported" in (profile.nan, profile.window)
        or profile.accumulator_precision is not None
        or profile.kept_fraction_bits is not None
    )
