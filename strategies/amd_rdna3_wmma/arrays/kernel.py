"""Kernels of RDNA3 whose blocks lie where an array wants them."""

from __future__ import annotations

from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.register_kernels.arrays.kernel import Kernel


class WmmaKernel(Kernel, ProgramBuilder):
    """A kernel of RDNA3 under construction, of one wave unless given."""
