"""What an ablation changed, in the words of the program's own text."""

from __future__ import annotations

from difflib import SequenceMatcher

from mmaspec.oracle.spec import Ablation, AnySpec
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput

LONGEST = 90
"""Characters of a line that is shown."""


def instead(spec: AnySpec, program: Program, caps: object, ablation: Ablation) -> str:
    """The first lines in which the text of the ablated program differs, or what was made of its data.

    "`X` instead of `Y`"; empty where the texts are the same, or one of them cannot be written.
    """
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
            return f"`{_shown(new[start:end])}` instead of `{_shown(old[first:last])}`"
    for tag, first, last, start, end in changes:
        return f"`{_shown(new[start:end])}` added" if tag == "insert" else f"`{_shown(old[first:last])}` left out"
    return ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _shown(lines: list[str]) -> str:
    """The last of some lines, where a call stands, cut if it is long."""
    line = lines[-1]
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
