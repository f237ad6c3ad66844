"""The data of loads, and where they lie."""

from mmaspec.oracle.nv_coopmat2.sources.program import sources

__all__ = ["sources"]
