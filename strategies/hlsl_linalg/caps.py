"""Random caps of devices that follow either text of the proposal."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.hlsl_linalg.earlier_caps import random_earlier_caps
from mmaspec.strategies.hlsl_linalg.later_caps import random_later_caps

EARLIER = 30
"""Percent of the devices that follow the text of 2025-09-19."""


def random_caps(choices: Choices) -> LinalgCaps:
    """What a device could report, and which text it follows."""
    return random_earlier_caps(choices) if choices.chance(EARLIER) else random_later_caps(choices)
