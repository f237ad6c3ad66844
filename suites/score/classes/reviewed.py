"""Class mutants that a person has judged to be no mistake, or to be about something that no program has."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec

from mmaspec.strategies.axes.reached import Class, classes_of
from mmaspec.suites.score.classes.mutant import Mutant

FILE = "equivalent.toml"


class Equivalent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Classes that nothing legal can tell. Whatever has them among others is no mistake either."""

    spec: str
    groups: tuple[str, ...]
    together: tuple[str, ...]
    """Each written ``axis=class``, or ``axis=one|other``."""
    why: str
    """Why nothing judged can depend on it: what the document leaves open."""

    @property
    def sides(self) -> tuple[frozenset[Class], ...]:
        """Of each of these a mutant has one."""
        return tuple(frozenset(classes_of(one)) for one in self.together)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    equivalent: tuple[Equivalent, ...] = ()


@cache
def equivalents() -> tuple[Equivalent, ...]:
    """All of them."""
    text = resources.files(__package__ or "").joinpath(FILE).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File).equivalent


def why_none(spec: str, mutant: Mutant) -> str:
    """Why a mutant is no mistake, where that was judged."""
    for one in equivalents():
        if one.spec == spec and mutant.group in one.groups and all(side & set(mutant.classes) for side in one.sides):
            return one.why
    return ""
