"""The text of a program with the numbers of its instructions, by which findings name them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput

MOST = 40
"""Instructions of a program that are numbered: each takes another text."""


def numbered(program: Program, text_of: Callable[[Program], str]) -> str:
    """The text of a program with the number of each instruction behind the line where it begins: ``// 2.3``.

    That line is told by leaving the instruction out. A long program stays without numbers.
    """
    text = text_of(program)
    paths = tree.paths(program)
    if len(paths) > MOST:
        return text
    lines = text.splitlines(keepends=True)
    for path in paths:
        line = _first_line(lines, program, path, text_of)
        if not line:
            continue
        # Of lines that are alike the first ones have their numbers already.
        places = [number for number, one in enumerate(lines) if one == line]
        if places:
            end = line[len(line.rstrip("\n")) :]
            name = ".".join(str(step + 1) for step in path)
            lines[places[0]] = f"{line.rstrip()}  // {name}{end}"
    return "".join(lines)


def _first_line(lines: list[str], program: Program, path: tree.Path, text_of: Callable[[Program], str]) -> str:
    """The line that is gone without an instruction, the first one in its place; empty where that cannot be told."""
    less = tree.drop(program, {path})
    if not less.body:
        return ""
    try:
        left = text_of(less).splitlines(keepends=True)
    except (BadInput, ValueError):
        return ""
    plainly = [_plain(line) for line in lines]
    gone = list(_gone(plainly, left))
    return plainly[gone[-1]] if gone else ""


def _gone(before: list[str], after: list[str]) -> Iterator[int]:
    """Where a run of lines begins that is left out; declarations that change along stand before the last one."""
    for code, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if code == "delete" or (code == "replace" and last - first > end - start):
            yield first


def _plain(line: str) -> str:
    """A line without the number that it has got."""
    body, mark, number = line.rstrip("\n").rpartition("  // ")
    return body + line[len(line.rstrip("\n")) :] if mark and number.replace(".", "").isdigit() else line
