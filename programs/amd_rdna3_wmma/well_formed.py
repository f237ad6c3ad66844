"""Whether a program can be read at all: names, counts and uses. What fails here is a user's to mend."""

from __future__ import annotations

from collections.abc import Iterable

from mmaspec.oracle.amd_rdna3_wmma.builtins import parse
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import (
    ELEMENT_BYTES,
    Fill,
    Fragment,
    Load,
    Plain,
    Repeat,
    Store,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.base import Affine, FromBuffer, Index
from mmaspec.programs.errors import BadInput

MAX_WAVES = 16
MAX_PASSES = 64
MAX_INSTRUCTIONS = 1024
MAX_BLOCK = 1 << 20
VECTOR_ALIGNMENT = 32
"""Bytes of the widest vector; a kernel may only read vectors at multiples of their size."""


def check_names(program: WmmaProgram, caps: Caps) -> None:
    """Raise ``BadInput`` with one line for a program that names what is not there or counts what cannot be."""
    _unique("buffer", [buffer.name for buffer in program.buffers])
    _unique("fragment", [fragment.name for fragment in program.fragments])
    _within("waves", program.waves, 1, MAX_WAVES)
    for buffer in program.buffers:
        _within(f"buffer {buffer.name}: size", buffer.size, 0, 1 << 30)
        _within(f"buffer {buffer.name}: base", buffer.base, 0, 1 << 20)
        if buffer.base % VECTOR_ALIGNMENT:
            raise BadInput(f"buffer {buffer.name}: base {buffer.base}; expected a multiple of {VECTOR_ALIGNMENT}")
    for fragment in program.fragments:
        _check_fragment(fragment)
    steps = 0
    for instruction in program.body:
        repeated = isinstance(instruction, Repeat)
        body = instruction.body if isinstance(instruction, Repeat) else (instruction,)
        count = instruction.count if isinstance(instruction, Repeat) else 1
        _within("repeat: count", count, 1, MAX_PASSES)
        steps += len(body) * count
        for plain in body:
            _check_instruction(plain, program, caps, passes=count if repeated else 1)
    _within("executed instructions", steps, 0, MAX_INSTRUCTIONS)


def _unique(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"program: more than one {what} named {name!r}")


def _within(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise BadInput(f"program: {what} {value}; expected {low} to {high}")


def _check_fragment(fragment: Fragment) -> None:
    if fragment.count not in (2, 4, 8, 16):
        raise BadInput(f"fragment {fragment.name}: {fragment.count} slots; expected 2, 4, 8 or 16")
    if fragment.fill is not None:
        _check_bits(fragment, fragment.fill)


def _check_bits(fragment: Fragment, bits: int) -> None:
    packed = fragment.use != "cd" and fragment.element == "int"
    width = 8 if packed else 8 * ELEMENT_BYTES[fragment.element]
    if not 0 <= bits < 1 << width:
        raise BadInput(f"fragment {fragment.name}: {bits:#x} is not an element of {width} bits")


def _named(what: str, name: str, known: Iterable[str]) -> None:
    names = sorted(known)
    if name not in names:
        raise BadInput(f"program: no {what} named {name!r}; there are {', '.join(names) or 'none'}")


def _check_instruction(instruction: Plain, program: WmmaProgram, caps: Caps, passes: int) -> None:
    fragments = {fragment.name: fragment for fragment in program.fragments}
    buffers = [buffer.name for buffer in program.buffers]
    if isinstance(instruction, Wmma):
        _check_wmma(instruction, fragments, buffers, caps)
        return
    name = instruction.fragment if isinstance(instruction, Store) else instruction.into
    _named("fragment", name, fragments)
    if isinstance(instruction, Fill):
        _check_bits(fragments[name], instruction.bits)
        return
    _named("buffer", instruction.buffer, buffers)
    _check_block(instruction.block, program.waves, passes)
    if isinstance(instruction, Load) and instruction.replicas:
        copies = program.wave_size // 16
        if fragments[name].use == "cd" or instruction.data is None or len(instruction.replicas) != copies - 1:
            raise BadInput(f"load of {name}: replicas name the data of {copies - 1} further copies of A or B")


def _check_block(block: Index, waves: int, passes: int) -> None:
    if isinstance(block, int):
        lowest = highest = block
    elif isinstance(block, Affine):
        corners = [block.base + block.wave * w + block.loop * i for w in (0, waves - 1) for i in (0, passes - 1)]
        lowest, highest = min(corners), max(corners)
    else:
        raise BadInput(f"program: the block read from {block.buffer} has no value yet")
    if lowest < 0 or highest > MAX_BLOCK:
        raise BadInput(f"program: blocks {lowest} to {highest}; expected 0 to {MAX_BLOCK}")


def _check_wmma(wmma: Wmma, fragments: dict[str, Fragment], buffers: list[str], caps: Caps) -> None:
    for name, use in ((wmma.a, "a"), (wmma.b, "b"), (wmma.c, "cd"), (wmma.d, "cd")):
        if name is None:
            continue
        _named("fragment", name, fragments)
        if fragments[name].use != use:
            raise BadInput(f"fragment {name}: declared to hold {fragments[name].use!r}, used as {use!r}")
    for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp):
        if isinstance(flag, FromBuffer):
            _named("buffer", flag.buffer, buffers)
    builtin = parse(wmma.builtin)
    if builtin is not None and builtin.exists and wmma.builtin not in caps.builtins:
        raise BadInput(f"builtin {wmma.builtin}: not among those in reach: {', '.join(caps.builtins)}")
