"""Findings of whole matrices, from those of their elements: ``(..., rows, cols)`` -> ``(...)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags

_BOTH = (-2, -1)


def every(here: Flags) -> Flags:
    """Where it holds for all elements."""
    found: Any = here.all(axis=_BOTH)
    return np.asarray(found)


def some(here: Flags) -> Flags:
    """Where it holds for any element."""
    found: Any = here.any(axis=_BOTH)
    return np.asarray(found)
