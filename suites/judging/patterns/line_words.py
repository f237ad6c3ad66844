"""Maps of rows, columns or waves in words."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.found import Kind
from mmaspec.suites.judging.patterns.maps import Name
from mmaspec.suites.judging.patterns.region import NOUNS, NUMBERS, line_words, listed, period
from mmaspec.suites.judging.patterns.tile import Positions

Said = tuple[Kind, str] | None
_LETTERS = "wrc"
_HALVES = ("", "the upper and lower halves", "the left and right halves")
_HALF = (("", ""), ("the upper half", "the lower half"), ("the left half", "the right half"))
_FORWARD = ("", "down ", "right ")
_BACK = ("back ", "up ", "left ")


def words(name: Name, numbers: tuple[int, ...], to: Positions, axis: int, lines: Flags) -> Said:
    """A map that applies to some lines of an axis: its kind, and what it says; None where it has no words for these."""
    kept = to == np.arange(len(to))
    if name == "xor":
        lines = lines & ~kept
    elif (lines | kept).all():
        lines = np.ones_like(lines)
    said = _WORDS[name](numbers, axis, lines)
    return ("wave", said[1]) if said is not None and axis == 0 else said


def _reversed(_: tuple[int, ...], axis: int, lines: Flags) -> Said:
    return ("reversal", f"{NOUNS[axis][1]} are in reverse order") if lines.all() else None


def _xor(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    one, several = NOUNS[axis]
    (mask,) = numbers
    found = np.flatnonzero(lines).tolist()
    if len(found) == 1:
        return "repetition", f"{one} {found[0]} holds {one} {found[0] ^ mask}"
    if len(found) == 2:
        return "exchange", f"{several} {listed(found)} are exchanged"
    if lines.all() and 2 * mask == len(lines) and axis:
        return "half", f"{_HALVES[axis]} are exchanged"
    starts = [line for line in found if line - 1 not in found]
    if len(starts) == 2 and starts[1] - starts[0] == mask:
        return "exchange", f"{line_words(lines, axis)} are exchanged"
    letter = _LETTERS[axis]
    every = period(lines)
    pair = np.flatnonzero(lines[:every]).tolist()
    if len(pair) == 2 and pair[0] ^ pair[1] == mask and not lines.all():
        return "exchange", f"{several} {listed(pair)} of every {NUMBERS[every]} are exchanged"
    return "exchange", f"{several} {letter} and {letter} xor {mask} are exchanged" + _among(lines, axis)


def _rotated(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    by = numbers[0]
    if 2 * by == len(lines) and axis and lines.all():
        return "half", f"{_HALVES[axis]} are exchanged"
    if 2 * by > len(lines):
        by -= len(lines)
    return ("shift", f"{_shifted(axis, by)}, cyclically") if lines.all() else None


def _rotated_in_groups(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    size, by = numbers
    if 2 * by > size:
        by -= size
    several = NOUNS[axis][1]
    return "shift", f"{_shifted(axis, by)}, cyclically in groups of {size} {several}" + _among(lines, axis)


def _slid(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    return ("shift", _shifted(axis, numbers[0])) if lines.all() else None


def _shifted(axis: int, by: int) -> str:
    return f"{NOUNS[axis][1]} are shifted {(_FORWARD if by > 0 else _BACK)[axis]}by {abs(by)}"


def _one(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    one, several = NOUNS[axis]
    (line,) = numbers
    held = lines.copy()
    held[line] = False
    if axis == 0:
        which = "every wave" if lines.all() and len(lines) > 2 else line_words(held, 0)
        return "repetition", f"every element of {which} is that of wave {line}"
    if lines.all():
        return "repetition", f"every {one} holds {one} {line}"
    hold = "holds" if int(held.sum()) == 1 else "hold"
    return "repetition", f"{line_words(held, axis) or several} {hold} {one} {line}"


def _repeated(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    size, start = numbers
    if 2 * size == len(lines) and axis:
        first, second = _HALF[axis]
        held, holder = (second, first) if start else (first, second)
        return "repetition", f"{holder} repeats {held}" + _among(lines, axis)
    several = NOUNS[axis][1]
    return "repetition", f"{several} {start} to {start + size - 1} stand in every {size}" + _among(lines, axis)


def _one_of_each_group(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    size, which = numbers
    several = NOUNS[axis][1]
    if size == 2:
        odd, even = ("odd", "even") if which == 0 else ("even", "odd")
        return "repetition", f"{odd} {several} repeat {even} {several}" + _among(lines, axis)
    one, letter = NOUNS[axis][0], _LETTERS[axis]
    held = f"{size}({letter} div {size})" + (f" + {which}" if which else "")
    return "repetition", f"{one} {letter} holds {one} {held}" + _among(lines, axis)


def _stretched(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    one, letter = NOUNS[axis][0], _LETTERS[axis]
    says = f"{one} {letter} holds {one} {letter} div {numbers[0]}"
    return ("repetition", says) if lines.all() else None


def _multiplied(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    one, letter = NOUNS[axis][0], _LETTERS[axis]
    says = f"{one} {letter} holds {one} {numbers[0]}{letter} mod {len(lines)}"
    return ("repetition", says) if lines.all() else None


def _dealt(numbers: tuple[int, ...], axis: int, lines: Flags) -> Said:
    one, letter = NOUNS[axis][0], _LETTERS[axis]
    (size,) = numbers
    step = len(lines) // size
    says = f"{one} {letter} holds {one} {step}({letter} mod {size}) + {letter} div {size}"
    return ("permutation", says) if lines.all() else None


def _among(lines: Flags, axis: int) -> str:
    told = line_words(lines, axis)
    return f", in {told}" if told else ""


_WORDS = {
    "reversed": _reversed,
    "xor": _xor,
    "rotated": _rotated,
    "slid": _slid,
    "one": _one,
    "rotated in groups": _rotated_in_groups,
    "repeated": _repeated,
    "one of each group": _one_of_each_group,
    "stretched": _stretched,
    "multiplied": _multiplied,
    "dealt": _dealt,
}
