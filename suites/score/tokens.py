"""The tokens of a Python file without comments, docstrings and layout, the same on every version of Python.

The standard library's own tokens will not do: they are other ones from Python 3.12 on, where f-strings come in parts.
Here every string, f-strings too, is one token, spelt as in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\n]* )
    | (?P<string> [A-Za-z]{0,2} (?: \"{3}(?:\\.|[^\\])*?\"{3} | '{3}(?:\\.|[^\\])*?'{3}
                                  | "(?:\\.|[^\\"\n])*" | '(?:\\.|[^\\'\n])*' ) )
    | (?P<word> \w+ )
    | (?P<joined> \\\r?\n )
    | (?P<end> \n )
    | (?P<space> [^\S\n]+ )
    | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_OPEN, _SHUT = "([{", ")]}"

Line = tuple[str, ...]
"""The tokens of a logical line, after its depth of indentation in levels."""


def logical_lines(source: str) -> Iterator[Line]:
    """The logical line of every statement, except of those that are only strings, such as docstrings."""
    levels = [0]
    tokens: list[str] = []
    code = False
    margin = inside = 0
    fresh = True
    for found in _TOKEN.finditer(source):
        kind, text = found.lastgroup, found[0]
        if kind == "end":
            if not inside:
                if code:
                    yield (str(_level(levels, margin)), *tokens)
                tokens, code, margin, fresh = [], False, 0, True
        elif kind == "space":
            if fresh:
                margin = len(text.expandtabs())
        elif kind not in {"comment", "joined"}:
            inside += (text in _OPEN) - (text in _SHUT) if kind == "mark" else 0
            code |= kind != "string"
            tokens.append(text)
        fresh &= kind == "end"
    if code:
        yield (str(_level(levels, margin)), *tokens)


def _level(levels: list[int], margin: int) -> int:
    """The nesting depth of a line with this indentation; ``levels`` are the indentations around it."""
    while levels[-1] > margin:
        levels.pop()
    if levels[-1] < margin:
        levels.append(margin)
    return len(levels) - 1
