"""The values that an argument takes over waves and passes, whatever it is used for."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mmaspec.programs.base import Affine, Index, RunTime, at
from mmaspec.programs.errors import BadInput


def argument_values(index: Index, waves: int, passes: int) -> Iterator[int]:
    """Every value of a resolved argument, wave by wave; once where it does not depend on wave or pass."""
    if isinstance(index, RunTime):
        raise BadInput(f"program: argument read from {index.buffer} is not resolved")
    if not isinstance(index, Affine):
        yield index
        return
    if index.grid < 0:
        raise BadInput(f"program: a grid {index.grid} waves wide; expected 0 or more")
    for wave in range(waves if index.wave or index.row else 1):
        for loop in range(passes if index.loop else 1):
            yield at(index, wave, loop)


def extremes(index: Index, waves: int, passes: int) -> tuple[int, int]:
    """The least and the greatest value of a resolved argument: in one wave the passes go one way only."""
    ends = argument_values(index, waves, min(passes, 1)), argument_values(_last_pass(index, passes), waves, 1)
    found = [value for values in ends for value in values]
    return min(found), max(found)


def _last_pass(index: Index, passes: int) -> Index:
    """The argument as the last pass has it in place of the first."""
    if not isinstance(index, Affine):
        return index
    return Affine(index.base + index.loop * (max(passes, 1) - 1), index.wave, 0, index.grid, index.row, index.lane)


def loaded_arguments(program: object) -> tuple[RunTime, ...]:
    """Every argument of a program, or of a part of it, that it loads at run time, each once, in the text's order."""
    found: dict[RunTime, None] = {}
    _visit((program,), found)
    return tuple(found)


_PLAIN = frozenset({int, str, float, bool, type(None)})
"""Types of what has no parts, which most fields are."""


def _visit(parts: tuple[object, ...], found: dict[RunTime, None]) -> None:
    for part in parts:
        kind = type(part)
        if kind in _PLAIN:
            continue
        if isinstance(part, RunTime):
            found[part] = None
        elif isinstance(part, tuple):
            _visit(part, found)
        elif isinstance(part, msgspec.Struct):
            _visit(msgspec.structs.astuple(part), found)
