"""All rules of undefined behaviour together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.revisions import by_revision
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.undefined.memory import MEMORY_RULES
from mmaspec.oracle.hlsl_linalg.undefined.same_vectors import SAME_RULES
from mmaspec.oracle.hlsl_linalg.undefined.source import SOURCE_RULES
from mmaspec.oracle.hlsl_linalg.undefined.threads import THREAD_RULES, Rule
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.program import LinalgProgram

RULES: Mapping[str, Rule] = MappingProxyType({**THREAD_RULES, **MEMORY_RULES, **SOURCE_RULES, **SAME_RULES})
"""Clause -> whether a program crosses it."""
IN_FORCE = by_revision(RULES)
"""The same for each revision of the text."""


def undefined(program: LinalgProgram, caps: LinalgCaps) -> frozenset[str]:
    """Clauses by which a valid, resolved program has undefined behaviour."""
    return broken(IN_FORCE[caps.revision], Context(program, caps))
