"""The arithmetic units of the numpy backend."""

from __future__ import annotations

from mmaspec.backends.numpy.exact import ExactUnit
from mmaspec.backends.numpy.sequential import SequentialUnit

__all__ = ["ExactUnit", "SequentialUnit"]
