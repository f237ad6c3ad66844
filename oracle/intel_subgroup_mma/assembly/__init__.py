"""A program as a SPIR-V module in assembly, for devices that take modules instead of OpenCL C (ISGMMA-SPIRV).

Read in this order: ``flags`` (what an instruction is told about its operands), ``types`` (the types of vectors),
``module`` (declarations and lines of a module), ``kernel`` (the statements of a program).
"""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.assembly.kernel import assembly

__all__ = ["assembly"]
