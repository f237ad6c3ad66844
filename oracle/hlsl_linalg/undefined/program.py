"""All rules of undefined behaviour together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.undefined.memory import MEMORY_RULES
from mmaspec.oracle.hlsl_linalg.undefined.threads import THREAD_RULES, Rule
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.program import LinalgProgram

RULES: Mapping[str, Rule] = MappingProxyType({**THREAD_RULES, **MEMORY_RULES})
"""Clause -> whether a program crosses it."""


def undefined(program: LinalgProgram, caps: LinalgCaps) -> frozenset[str]:
    """Clauses by which a valid, resolved program has undefined behaviour."""
    return broken(RULES, Context(program, caps))
