"""The values that an argument takes over waves and passes, whatever it is used for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmaspec.programs.base import Affine, Index, RunTime, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.loading_fields import loading_fields


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

    def visit(node: Any) -> None:
        if isinstance(node, tuple):
            for item in node:
                visit(item)
        elif isinstance(node, RunTime):
            found[node] = None
        else:
            kind: Any = type(node)
            for name in loading_fields(kind):
                visit(getattr(node, name))

    visit(program)
    return tuple(found)
