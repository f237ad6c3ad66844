"""Kernels of sub-group matrix functions whose blocks lie where an array wants them."""

from __future__ import annotations

from typing import ClassVar

from mmaspec.strategies.intel_subgroup_mma.builder import ProgramBuilder
from mmaspec.strategies.register_kernels.arrays.kernel import Kernel


class MadKernel(Kernel, ProgramBuilder):
    """A kernel under construction, of one sub-group and any number of rows unless given."""


class TallKernel(MadKernel):
    """One of many rows, whose accumulators fill registers soon."""

    weights: ClassVar[tuple[tuple[int, int], ...]] = ((1, 4), (3, 8))


class SameVectorsKernel(MadKernel):
    """One of as many rows as B's vector has components."""

    weights: ClassVar[tuple[tuple[int, int], ...]] = ((1, 8),)
