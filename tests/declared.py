"""A scanner of shaders and kernels that knows no language: which words of a text nothing declares.

Whatever stands behind a type is declared, to the end of its block; what stands in the head of a loop or function,
in the statement or block that follows. Words of the languages themselves come out as undeclared too: those of listed
programs are known to be such.
"""

from __future__ import annotations

import re
from itertools import pairwise

TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|#[^\n]*|0[xX][0-9a-fA-F]+\w*|\d[\w.]*|\w+|[^\w\s]", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
NO_TYPE = frozenset({"return", "else", "in", "require"})


def tokens(text: str) -> list[str]:
    """Words, numbers and signs; comments and directives left out."""
    return [found for found in TOKEN.findall(text) if not found.startswith(("//", "/*", "#"))]


def undeclared(text: str) -> frozenset[str]:
    """The words that are used and not declared before, in a block that is still open."""
    found = set[str]()
    blocks: list[set[str]] = [set()]
    head = set[str]()  # declared between parentheses, for the statement or block that follows
    depth = 0
    words = [*tokens(text), ""]
    for number, (word, after) in enumerate(pairwise(words)):
        before = words[number - 1] if number else ""
        if word in "()":
            depth += 1 if word == "(" else -1
        elif word == "{":
            blocks.append(head)
            head = set()
        elif word == "}":
            members = blocks.pop()
            blocks[-1] |= members if after == ";" else set()  # of an interface, as good as outside
        elif word == ";" and not depth:
            head = set()
        elif WORD.fullmatch(word) and before != ".":
            typed = WORD.fullmatch(before) is not None and before not in NO_TYPE
            pointer = before == "*" and words[number - 2] == "char"
            if typed or pointer or before == ">":
                (head if depth else blocks[-1]).add(word)
            elif not any(word in block for block in (head, *blocks)):
                found.add(word)
    return frozenset(found)
