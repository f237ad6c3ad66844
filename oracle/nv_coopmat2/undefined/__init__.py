"""What has no defined result: one function per clause."""

from mmaspec.oracle.nv_coopmat2.undefined.program import undefined

__all__ = ["undefined"]
