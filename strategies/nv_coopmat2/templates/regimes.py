"""How the data of a template are drawn: by a fixed regime, or by one that depends on the row."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.grammar import DrawContext

HARD = ("normal", "wild", "subnormal", "cancelling", "near-tie", "specials", "overflow-edge")
"""Regimes of floating-point products beyond the exact window."""

Regime = str | Callable[[DrawContext[CoopMatCaps]], str]
"""One regime, or how one is chosen."""


def chosen(regime: Regime, context: DrawContext[CoopMatCaps]) -> str:
    """The regime of one draw."""
    return regime if isinstance(regime, str) else regime(context)


def exact(context: DrawContext[CoopMatCaps]) -> str:
    """Sums that are exact for floats; bytes of both signs for integers."""
    return "window" if "float" in context.row.tags else "wild"


def mixed(context: DrawContext[CoopMatCaps]) -> str:
    """Mostly exact sums, some that round."""
    if "float" in context.row.tags:
        return context.choices.weighted([(3, "window"), (1, "normal"), (1, "cancelling")])
    return context.choices.one_of(("small", "wild"))


def plain(context: DrawContext[CoopMatCaps]) -> str:
    """Numbers with fractions, or integers that every conversion can hold."""
    return "normal" if "float" in context.row.tags else "small"


def combined(context: DrawContext[CoopMatCaps]) -> str:
    """Whole numbers whose sums are exact, or integers near both ends of their range, whose sums wrap."""
    return "whole" if "float" in context.row.tags else "overflow"


def any_size(context: DrawContext[CoopMatCaps]) -> str:
    """Numbers with fractions, or integers whose products wrap now and then."""
    return "normal" if "float" in context.row.tags else context.choices.one_of(("small", "wild"))
