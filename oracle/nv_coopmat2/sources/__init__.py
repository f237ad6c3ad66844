"""The data of loads, and where they lie in memory."""

from mmaspec.oracle.nv_coopmat2.sources.program import sources

__all__ = ["sources"]
