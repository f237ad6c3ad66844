"""The parts of the grammar of a specification: templates, near misses, frames and free programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Word
from mmaspec.strategies.choices import Choices

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class DrawContext(Generic[C]):
    """The argument of every part of a grammar: how to choose, and the caps row for which a case is drawn."""

    choices: Choices
    row: Row[Any]
    """Its entry is what the specification's own caps have."""
    caps: C


@dataclass(frozen=True, slots=True)
class Draft:
    """The result of a template: a program, the words of its run-time arguments, and how to draw its data.

    ``regime`` names a data regime (``mmaspec.strategies.regimes.catalogue``); ``batch`` is the number of items.
    """

    program: Any
    regime: str
    batch: int
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """A family of programs about a few clauses; everything else is drawn.

    ``rows`` are tags, one of which a caps row must carry (none: every row). ``build`` returns None where
    the drawn combination has no program in this row.
    """

    name: str
    focus: tuple[str, ...]
    build: Callable[[DrawContext[Any]], Draft | None]
    rows: tuple[str, ...] = ()
    weight: int = 1
    """How many cases a row gets at the smoke tier."""


NearMiss = Callable[[DrawContext[Any], Draft], Draft | None]
"""(context, a valid draft) -> the draft with exactly one validity clause broken, or None."""


def drawing_nothing(change: Callable[[Draft], Draft]) -> NearMiss:
    """The near miss that makes the same change in every row and has nothing to choose."""

    def near_miss(_: DrawContext[Any], draft: Draft) -> Draft:
        return change(draft)

    return near_miss


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of one specification."""

    spec: str
    templates: tuple[Template, ...]
    near_misses: Mapping[str, NearMiss]
    """Validity clause -> how to break it in a draft of ``near_miss_base``."""
    near_miss_base: Callable[[DrawContext[Any]], Draft]
    """The valid draft that near misses start from."""
    frame: Callable[[DrawContext[Any], Draft], Draft]
    """Puts unrelated or overwriting instructions around and between those of a draft."""
    free: Callable[[DrawContext[Any]], Draft]
    """A random program."""
