"""The arithmetic units of the numpy backend."""

from __future__ import annotations

from mmaspec.backends.numpy.sequential import SequentialUnit as SequentialUnit
