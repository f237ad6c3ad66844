"""Frames and free programs of the sub-group matrix functions: those of every kernel on registers, with its builder."""

from __future__ import annotations

from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.intel_subgroup_mma.builder import ProgramBuilder
from mmaspec.strategies.register_kernels import frames


def frame(context: DrawContext[Caps], draft: Draft) -> Draft:
    """Vectors overwritten before they are loaded and after their last use; products of no consequence between."""
    return frames.frame(ProgramBuilder, context, draft)


def free(context: DrawContext[Caps]) -> Draft:
    """Up to ten statements on a few vectors, each reading only what was written; results are stored."""
    return frames.free(ProgramBuilder, context)
