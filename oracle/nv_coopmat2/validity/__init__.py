"""What must be refused: one function per clause."""

from mmaspec.oracle.nv_coopmat2.validity.program import rejected

__all__ = ["rejected"]
