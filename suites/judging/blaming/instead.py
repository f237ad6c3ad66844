"""What an ablation changed, in the words of the program's own text."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from mmaspec.oracle.spec import Ablation, AnySpec
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput

_NUMBERS = re.compile(r"[0-9]+")

LONGEST = 90
"""Characters of a line that is shown."""


def instead(spec: AnySpec, program: Program, caps: object, ablation: Ablation) -> str:
    """The first lines in which the text of the ablated program differs, or what was made of its data.

    "`X` instead of `Y`", or what the ablation says of itself; empty where the texts are the same, or one of them
    cannot be written.
    """
    if ablation.says:
        return ablation.says
    if ablation.data:
        return f"other data ({ablation.data})"
    try:
        old, new = (_lines(spec.text(one, caps)) for one in (program, ablation.program))
    except (BadInput, ValueError):
        return ""
    changes = [code for code in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if code[0] != "equal"]
    # Declarations change along with the call that they are for, which stands further down.
    for tag, first, last, start, end in reversed(changes):
        if tag == "replace":
            before, after = _pair(old[first:last], new[start:end])
            return f"`{_shown(after)}` instead of `{_shown(before)}`"
    for tag, _first, last, _start, end in changes:
        return f"`{_shown(new[end - 1])}` added" if tag == "insert" else f"`{_shown(old[last - 1])}` left out"
    return ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _pair(before: list[str], after: list[str]) -> tuple[str, str]:
    """The lines to show of those that were replaced: the last ones, where calls stand.

    Of as many lines rather the last ones that differ in more than numbers: registers are numbered anew.
    """
    if len(before) == len(after):
        for pair in reversed(tuple(zip(before, after, strict=True))):
            if _NUMBERS.sub("", pair[0]) != _NUMBERS.sub("", pair[1]):
                return pair
    return before[-1], after[-1]


def _shown(line: str) -> str:
    """A line, cut if it is long."""
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
