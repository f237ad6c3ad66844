"""The ``practice`` profile for floating-point products, on which the document is silent."""

from __future__ import annotations

from mmaspec.oracle.numerics.contract import FloatRules

PRACTICE_RULES = FloatRules(flush_inputs=True, flush_results=True, nan="required", window="required")
"""WM-FP-SUM, WM-FP-NAN.

Every datatype: sums in the precision of the accumulator, in any order, with any faithful rounding. Subnormals
may be flushed: Direct3D flushes them for f32, and nothing says that f16 keeps them. NaN and infinities behave
as in Direct3D's rules for floats; sums of small integers are exact on every known device.
"""
