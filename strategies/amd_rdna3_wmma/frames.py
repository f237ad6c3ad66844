"""Frames and free programs of RDNA3: those of every kernel on fragments, with its builder."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels import frames


def frame(context: DrawContext[Caps], draft: Draft) -> Draft:
    """Fragments overwritten before they are loaded and after their last use; products of no consequence between."""
    return frames.frame(ProgramBuilder, context, draft)


def free(context: DrawContext[Caps]) -> Draft:
    """Up to ten instructions on a few fragments, each reading only what was written; results are stored."""
    return frames.free(ProgramBuilder, context)
