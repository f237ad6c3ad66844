"""Mutants that a person has judged to be no mistake: no legal program can tell them from the device as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

from mmaspec.suites.score.mutants.drawing import Mutant
from mmaspec.suites.score.mutants.planting import HOME

FILE = "equivalent.toml"


class Equivalent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One such mutant. Line numbers are not part of it, so it is found again while its line is as it was."""

    module: str
    """Below ``mmaspec.backends.numpy``."""
    function: str
    """With its class; the name of a module's constant."""
    line: str
    """The text of the line, without indentation."""
    operator: str
    before: str
    after: str
    specs: tuple[str, ...] = ()
    """The specifications for which it was judged, where others might tell; none: all."""
    why: str
    """Why nothing can tell it from the device as it is, or why the document allows what it does."""

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.module, self.function, self.line, self.operator, self.before, self.after


Key = tuple[str, str, str, str, str, str]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    equivalent: list[Equivalent] = []


def key_of(mutant: Mutant) -> Key:
    """What the entry of a mutant would be found by."""
    change = mutant.mutation
    module = mutant.module.removeprefix(f"{HOME}.")
    return module, change.function, mutant.text, change.operator, change.before, change.after


@cache
def equivalents() -> Mapping[Key, Equivalent]:
    """All of them. Raises ``ValueError`` for two entries of one mutant."""
    text = resources.files(__name__.rpartition(".")[0]).joinpath(FILE).read_text(encoding="utf-8")
    found: dict[Key, Equivalent] = {}
    for entry in msgspec.convert(tomllib.loads(text), _File).equivalent:
        if entry.key in found:
            raise ValueError(f"{FILE}: two entries for {entry.before} -> {entry.after} in {entry.function}")
        found[entry.key] = entry
    return found
