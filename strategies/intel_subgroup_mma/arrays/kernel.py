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


class EightRowsKernel(MadKernel):
    """One of eight rows: as many as B's vector has components, so that every place of A and of a result is there."""

    weights: ClassVar[tuple[tuple[int, int], ...]] = ((1, 8),)
