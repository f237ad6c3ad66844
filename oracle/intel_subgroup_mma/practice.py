"""The ``practice`` profile for floating-point products, on which the document is silent."""

from __future__ import annotations

from mmaspec.oracle.numerics.contract import FloatRules

FLOAT = FloatRules(flush_inputs=True, flush_results=True, nan="required", window="required")
"""ISGMMA-FP-ORDER: precision and order are the implementation's. OpenCL C lets a device flush subnormals of half and
single precision, and has it produce NaN; sums of small integers are exact on every known device."""
