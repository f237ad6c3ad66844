"""Undefined behaviour of valid programs, one function a clause; such programs are never sent to a backend."""

from mmaspec.oracle.hlsl_linalg.undefined.program import undefined

__all__ = ["undefined"]
