"""What a specification's grammar consists of: templates, frames, free programs and breakers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Word
from mmaspec.strategies.choices import Choices


@dataclass(frozen=True, slots=True)
class Draft:
    """What a template draws: the program, the words of its run-time arguments, and how to draw its data.

    ``regime`` names a data regime (``mmaspec.strategies.regimes.catalogue``); ``batch`` is the number of items.
    """

    program: Any
    regime: str
    batch: int
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """A family of programs about a few clauses, with everything in it drawn.

    ``rows`` are tags, one of which a caps row must carry (none: every row). ``build`` returns None where
    the drawn combination has no program in this row.
    """

    name: str
    focus: tuple[str, ...]
    build: Callable[[Choices, Row, Any], Draft | None]
    rows: tuple[str, ...] = ()
    weight: int = 1
    """How many cases a row gets at the smoke tier."""


Breaker = Callable[[Choices, Row, Any, Draft], Draft | None]
"""(choices, row, caps, a valid draft) -> the draft with exactly one validity clause broken, or None."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of one specification."""

    spec: str
    templates: tuple[Template, ...]
    breakers: Mapping[str, Breaker]
    """Validity clause -> how to break it in a draft of the near-miss template."""
    near_miss_base: Callable[[Choices, Row, Any], Draft]
    """The valid draft that breakers start from."""
    frame: Callable[[Choices, Row, Any, Draft], Draft]
    """Puts unrelated or overwriting instructions around and between those of a draft."""
    free: Callable[[Choices, Row, Any], Draft]
    """A random program."""
