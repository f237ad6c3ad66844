"""A program as an HLSL compute shader."""

from mmaspec.oracle.hlsl_linalg.text.program import text

__all__ = ["text"]
