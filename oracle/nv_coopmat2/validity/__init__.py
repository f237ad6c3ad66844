"""Validity: one function for each clause."""

from mmaspec.oracle.nv_coopmat2.validity.program import rejected

__all__ = ["rejected"]
