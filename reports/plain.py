"""Making text safe and short for a report, before mark-up is added."""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\n\t")
_LONGEST = 600
_LONGEST_WORD = 40
"""Characters that are given up at most so that no word is cut."""


def visible(text: str) -> str:
    """``text`` with every character written out (``U+202E`` as backslash, u, 202e) that hides or reorders others.

    Controls, format characters (bidirectional overrides, zero-width ones), lone surrogates, private use and
    unassigned code points are written out; line feed and tab stay. What is left may stand in XML 1.0.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter if letter in _KEPT or unicodedata.category(letter)[0] != "C" else _escape(letter) for letter in text
    )


def _escape(letter: str) -> str:
    code = ord(letter)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def shorten(text: str, longest: int = _LONGEST) -> str:
    """``text`` cut to ``longest`` characters, between words if it can be, with a mark where something is missing."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    if not text[longest - 1].isspace() and (space := kept.rfind(" ")) > max(0, longest - _LONGEST_WORD):
        kept = kept[:space]
    return kept.rstrip() + "…"


def shorten_lines(text: str, lines: int, longest: int) -> tuple[str, bool]:
    """At most ``lines`` lines and ``longest`` characters of ``text``, and whether something is missing."""
    kept = "\n".join(text.split("\n")[:lines])[:longest]
    return kept, len(kept) < len(text)


def single_line(text: str) -> str:
    """``text`` with every run of white space turned into one space."""
    return " ".join(text.split())


def thousands(number: int) -> str:
    """``1234567`` as ``1,234,567``."""
    return f"{number:,}"


def compact(number: int) -> str:
    """A count in at most four characters: ``999``, ``16k``, ``1.2M``; rounded down, so that nothing is claimed."""
    for unit, suffix in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= unit:
            whole, tenths = divmod(number * 10 // unit, 10)
            return f"{whole}.{tenths}{suffix}" if whole < 10 and tenths else f"{whole}{suffix}"
    return str(number)


def plural(number: int, singular: str, many: str = "") -> str:
    """``1 clause``, ``2 clauses``."""
    return f"{thousands(number)} {singular if number == 1 else many or singular + 's'}"
