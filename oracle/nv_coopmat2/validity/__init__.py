"""Validity: one function for each clause."""

from mmaspec.oracle.nv_coopmat2.validity.program import invalid_under, rejected

__all__ = ["invalid_under", "rejected"]
