"""The programs that the linear algebra device refuses: all tables of checks, by the text alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.earlier.checks import SOURCE_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.facts import Checks
from mmaspec.backends.numpy.hlsl_linalg.validity_arrays import ARRAY_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_caps import CAPS_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_layouts import LAYOUT_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_memory import MEMORY_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_types import TYPE_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity_vectors import VECTOR_CHECKS
from mmaspec.programs.hlsl_linalg.components import Revision

Check = Callable[[Checks], bool]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {**TYPE_CHECKS, **VECTOR_CHECKS, **MEMORY_CHECKS, **ARRAY_CHECKS, **LAYOUT_CHECKS, **CAPS_CHECKS}
)
"""Clause -> whether a program of the later text breaks it."""

LATER_ALONE = frozenset(
    {
        "LINALG-ELEM-NATIVE",
        "LINALG-ACCUMULATE-USES",
        "LINALG-ACCUMULATE-SHAPE",
        "LINALG-BIAS-SOURCE",
        "LINALG-CONVERT-LEN",
        "LINALG-LOAD-USE",
        "LINALG-STRIDE-16",
        "LINALG-BASE-ALIGN",
        "LINALG-ALIGN",
        "LINALG-ACC-BASE",
        "LINALG-VEC-ACC-ALIGN",
        "LINALG-GS-TYPE",
        "LINALG-GS-ALIGN",
        "LINALG-ACC-GS-TARGET",
        "LINALG-FP8-OPTIMAL",
        "LINALG-TRANSPOSE-CAPS",
        "LINALG-LAYOUT-KINDS",
    }
)
"""Clauses that the text of 2025-09-19 does not have."""

CHECKS_OF: Mapping[Revision, Mapping[str, Check]] = MappingProxyType(
    {
        "later": CHECKS,
        "2025-09-19": MappingProxyType(
            {**{clause: check for clause, check in CHECKS.items() if clause not in LATER_ALONE}, **SOURCE_CHECKS}
        ),
    }
)
"""Text -> clause -> whether a program of that text breaks it."""
