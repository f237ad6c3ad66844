"""Validity: one small function for each clause, all of which always run."""

from mmaspec.oracle.hlsl_linalg.validity.program import invalid_under, rejected

__all__ = ["invalid_under", "rejected"]
