"""Parts of a kernel's text that HIP and OpenCL C write alike: block numbers, loops, words loaded at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mmaspec.oracle.register_kernels.names import Names
from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.outside import outside_loops
from mmaspec.programs.register_kernels import RegisterProgram, Repeat

Loaded = Callable[[str, int], str]
"""The word of a buffer, byte offset in it -> the word that a kernel loads there."""


def index_text(index: Index, names: Names, loaded: Loaded) -> str:
    """A block number, of the variables ``wave`` and ``i``."""
    if isinstance(index, RunTime):
        return loaded(names.buffers[index.buffer], index.offset)
    if isinstance(index, int):
        return str(index)
    return _affine(index)


def _affine(index: Affine) -> str:
    across, down = (f"(wave % {index.grid})", f"(wave / {index.grid})") if index.grid else ("wave", "0")
    parts = ((index.wave, across), (index.row, down), (index.loop, "i"))
    terms = [f"{factor} * {name}" for factor, name in parts if factor and name != "0"]
    return " + ".join([str(index.base), *terms])


def body_text(program: RegisterProgram, counter: str, statement: Callable[[Any], str]) -> Iterator[str]:
    """The lines of a kernel's body, indented; ``counter`` is the type of what counts passes."""
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            yield f"  for ({counter} i = 0; i < {instruction.count}; ++i) {{"
            for plain in instruction.body:
                yield f"    {statement(plain)}"
            yield "  }"
        else:
            yield f"  {statement(outside_loops(instruction))}"
