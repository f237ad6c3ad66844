"""Which clause a failure breaks: programs that show every state, and programs with one circumstance less."""

from mmaspec.oracle.hlsl_linalg.blame.ablations import ablations
from mmaspec.oracle.hlsl_linalg.blame.instrument import (
    filled,
    instrumented,
    instrumented_in_other_layout,
    instrumented_otherwise,
)
from mmaspec.oracle.hlsl_linalg.blame.source import source_ablations

__all__ = [
    "ablations",
    "filled",
    "instrumented",
    "instrumented_in_other_layout",
    "instrumented_otherwise",
    "source_ablations",
]
