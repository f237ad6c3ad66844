"""The programs that the linear algebra device refuses: all tables of checks, by the text alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks
from mmaspec.backends.numpy.hlsl_linalg.validity_arrays import ARRAY_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_caps import CAPS_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_layouts import LAYOUT_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_memory import MEMORY_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_types import TYPE_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_vectors import VECTOR_CHECKS

CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {**TYPE_CHECKS, **VECTOR_CHECKS, **MEMORY_CHECKS, **ARRAY_CHECKS, **LAYOUT_CHECKS, **CAPS_CHECKS}
)
"""Clause -> whether a program breaks it."""
