"""Undefined behaviour: one function for each clause."""

from mmaspec.oracle.nv_coopmat2.undefined.program import undefined

__all__ = ["undefined"]
