"""What an ablation changed, in the words of the program's own text."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from mmaspec.oracle.spec import Ablation, AnySpec
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput

_NAMES = re.compile(r"[A-Za-z_]\w*")
_COPY = re.compile(r" = (\w+);$")
_NUMBERS = re.compile(r"[0-9]+(?!_t)")  # not those of types

MOVED = "moved"
"""How the names of buffers begin that variations add."""
LONGEST = 90
"""Characters of a line that is shown."""


def instead(spec: AnySpec, program: Program, caps: object, ablation: Ablation) -> str:
    """The first lines in which the text of the ablated program differs, or what was made of its data.

    "`X` instead of `Y`", and what the names in it mean that the program does not have, or what the ablation says of
    itself; empty where the texts are the same, or one of them cannot be written.
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
    replaced = [one for one in reversed(changes) if one[0] == "replace"]
    pairs = [pair for _, i, j, k, m in replaced for pair in _pairs(old[i:j], new[k:m])]
    if pairs:
        # What lies in another buffer only makes room for what changes, where something else does.
        told = (pair for skipped in (_moved, _renumbered) for pair in pairs if not skipped(*pair))
        before, after = next(told, pairs[0])
        same = next((i for i, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0)
        return f"`{_shown(after, same)}` instead of `{_shown(before, same)}`{_declared(old, new, before, after)}"
    for tag, _first, last, _start, end in changes:
        return f"`{_shown(new[end - 1])}` added" if tag == "insert" else f"`{_shown(old[last - 1])}` left out"
    return ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _pairs(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    """The lines that were replaced, each with what stands there instead, the last ones first: there calls stand.

    Where there are not as many of both: the last new line, and the one that is most like it.
    """
    if len(before) == len(after):
        return list(reversed(tuple(zip(before, after, strict=True))))
    return [(max(reversed(before), key=lambda line: _likeness(line, after[-1])), after[-1])]


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _renumbered(before: str, after: str) -> bool:
    """Whether lines differ in numbers alone, as where registers are numbered anew."""
    return _NUMBERS.sub("", before) == _NUMBERS.sub("", after)


def _moved(before: str, after: str) -> bool:
    """Whether a line tells no more than that, or that something lies in another buffer."""
    return _renumbered(before, after) or any(name.startswith(MOVED) for name in _NAMES.findall(after))


def _shown(line: str, at: int = 0) -> str:
    """A line, cut if it is long: what is to be seen begins ``at`` a place."""
    if len(line) <= LONGEST:
        return line
    start = 0 if at < LONGEST // 2 else min(at - LONGEST // 4, len(line) - LONGEST + len("..."))
    before = "..." if start else ""
    kept = line[start : start + LONGEST - len(before)]
    return before + (kept if start + len(kept) == len(line) else f"{kept[:-3]}...")


def _declared(old: list[str], new: list[str], before: str, after: str) -> str:
    """How what has a new name in a line is declared: how it differs from what stood in its place, or all of it."""
    known = set(_NAMES.findall("\n".join(old)))
    fresh = [pair for pair in zip(_NAMES.findall(after), _NAMES.findall(before), strict=False) if pair[0] not in known]
    for word, other in sorted(fresh, key=lambda pair: pair[0].startswith(MOVED)):
        if told := _explained(old, new, word, other):
            return f" ({told})"
    return ""


def _explained(old: list[str], new: list[str], word: str, other: str) -> str:
    """How a new name is declared, beside the one in whose place it stands; empty where nothing gives it a value."""
    if word.startswith(MOVED):
        return f"`{word}`: a buffer of its own"
    made, theirs = _made(new, word), _made(old, other)
    mine = [_renamed(line, word, other) for line in made]
    added, gone = [line for line in mine if line not in theirs], [line for line in theirs if line not in mine]
    if len(mine) < 2 or not (added or gone):
        return f"`{word}`: {_few(made)}" if made else ""
    replaced = f" instead of {_few(gone)}" if gone else ""
    return f"`{word}` is `{other}` " + (f"with {_few(added)}{replaced}" if added else f"without {_few(gone)}")


def _made(lines: list[str], name: str) -> list[str]:
    """The lines that give something a value, those of what it started as first, under its own name."""
    own = list(dict.fromkeys(line for line in lines if re.search(rf"\b{name} = ", line)))
    start = _COPY.search(own[0]) if own else None
    if start is None:
        return own
    return [*(_renamed(line, start[1], name) for line in _made(lines, start[1])), *own[1:]]


def _renamed(line: str, name: str, new: str) -> str:
    return re.sub(rf"\b{name}\b", new, line)


def _few(lines: list[str]) -> str:
    """The first lines, each as it is shown."""
    return " and ".join(f"`{_shown(line)}`" for line in lines[:2])
