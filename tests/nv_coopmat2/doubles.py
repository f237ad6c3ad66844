"""Caps with matrices of f64, which the default caps lack: no compiler and no known device takes these."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.numpy.nv_coopmat2.variants import DOUBLES
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS

WITH_DOUBLES = replace(DEFAULT_CAPS, fixed=(*DEFAULT_CAPS.fixed, *DOUBLES.fixed))
"""The default rows and one of f64."""
