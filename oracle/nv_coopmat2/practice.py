"""The ``practice`` profile for floating-point products, where the documents leave freedom."""

from __future__ import annotations

from mmaspec.oracle.numerics.contract import FloatRules

PRACTICE_RULES = FloatRules(flush_inputs=True, flush_results=True, nan="reported", window="required")
"""For every component type: GLSL and Vulkan allow subnormals to be flushed, and the float controls that
could forbid it do not reach a product; NaN need not be produced. Sums of small integers are exact on every
known device (practice)."""
