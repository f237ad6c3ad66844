"""The ``practice`` profile for floating-point products, on which the document is silent."""

from __future__ import annotations

from mmaspec.oracle.numerics.contract import FloatRules

FLOAT = FloatRules(flush_inputs=True, flush_results=True, nan="required", window="reported")
"""RDNA3-FP-ACC, RDNA3-FP-NAN, RDNA3-FP-MODE.

A mode register decides on subnormals, so they may be flushed. The exact window is only reported: a device of this
family was reported inexact on small integers whose terms have both signs. Into f16 and bf16 sums are as accurate as
any order of faithful additions in that format: their significands have 11 and 8 bits, so little is left to demand of
dense sums, and much of those with few terms.
"""
