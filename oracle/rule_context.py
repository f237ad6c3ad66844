"""The argument of every rule of validity or undefined behaviour: a program and caps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")
C = TypeVar("C")
Asked = TypeVar("Asked")


@dataclass(frozen=True)
class RuleContext(Generic[P, C]):
    """A resolved program under a device's caps.

    A specification's own context adds, as cached properties, what several of its rules derive from both.
    """

    program: P
    caps: C


def broken(rules: Mapping[str, Callable[[Asked], bool]], context: Asked) -> frozenset[str]:
    """The clauses whose rule says so; all rules always run, in order."""
    return frozenset(clause for clause, rule in rules.items() if rule(context))
