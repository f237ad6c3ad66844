"""The catalogue, and which of its rules hold in a revision of the text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from mmaspec.oracle.clauses import load_catalogue
from mmaspec.programs.hlsl_linalg.components import Revision

T = TypeVar("T")

CATALOGUE = load_catalogue("mmaspec.oracle.hlsl_linalg")
"""Every clause of both revisions."""

REVISIONS: tuple[Revision, ...] = ("later", "2025-09-19")


def by_revision(rules: Mapping[str, T]) -> Mapping[Revision, Mapping[str, T]]:
    """Revision -> those of the rules, by their clauses, that it has."""
    return MappingProxyType(
        {
            revision: MappingProxyType(
                {name: rule for name, rule in rules.items() if CATALOGUE.clause[name].revision in ("", revision)}
            )
            for revision in REVISIONS
        }
    )
