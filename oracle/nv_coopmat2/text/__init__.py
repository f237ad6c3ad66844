"""A program as a GLSL compute shader."""

from mmaspec.oracle.nv_coopmat2.text.program import text

__all__ = ["text"]
