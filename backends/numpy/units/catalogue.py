"""The arithmetic units of the numpy backend."""

from __future__ import annotations

from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.sequential import SequentialUnit

__all__ = ["ExactUnit", "SequentialUnit"]
