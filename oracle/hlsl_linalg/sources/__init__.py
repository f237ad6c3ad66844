"""The data that the loads of a program find."""

from mmaspec.oracle.hlsl_linalg.sources.program import sources

__all__ = ["sources"]
