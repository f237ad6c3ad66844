"""Block numbers: what they address, what they depend on, and the words that some of them come from."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.register_kernels import Load, Repeat, Store
from mmaspec.programs.tree import at, walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.touched import block_start

FAR = 4096
"""Bytes that an immediate offset reaches."""


def written_block(subject: Subject, event: Event) -> Index:
    """The block number as the program has it, a run-time word included."""
    found: Index = at(subject.case.program, event.place).block
    return found


def affine(index: Index) -> Affine:
    """The same as a formula; a word is a number like any other."""
    return index if isinstance(index, Affine) else Affine(index if isinstance(index, int) else 0)


def resolved_block(thing: Thing) -> Affine:
    """The block number with every word in its place."""
    step = thing.of.step
    assert isinstance(step, (Load, Store))
    return affine(step.block)


def _kind(subject: Subject, thing: Thing) -> Answer:
    index = written_block(subject, thing.of)
    if isinstance(index, RunTime):
        return "run-time"
    block = affine(index)
    if block.lane:
        return "per-lane"
    if block.grid and (block.wave or block.row):
        return "per-place"
    if block.wave and block.loop:
        return "per-wave-and-pass"
    return "per-wave" if block.wave else "per-pass" if block.loop else "literal"


def _of(subject: Subject, thing: Thing) -> Answer:
    step = thing.of.step
    if isinstance(step, Load):
        return {"a": "load-a", "b": "load-b", "cd": "load-c"}[subject.program.fragment(step.into).use]
    held = thing.of.reads["store"]
    return "store-d" if held is not None and held.product is not None else "store-operand"


def grid(subject: Subject, block: Affine) -> str:
    """How the waves stand for one block number."""
    width, waves = block.grid, subject.program.waves
    if not width:
        return "none"
    if width == 1:
        return "one"
    if width >= waves:
        return "all" if width == waves else "wider"
    if waves % width:
        return "ragged"
    return "even" if width & (width - 1) == 0 else "odd"


def _byte_offset(subject: Subject, thing: Thing) -> Answer:
    step, program = thing.of.step, subject.program
    passes = subject.program.body[thing.of.loop].count if thing.of.loop is not None else 1
    ends = {0, passes - 1}
    return [block_start(program, step, wave, loop) for wave in range(program.waves) for loop in ends]


def words(subject: Subject) -> Iterator[RunTime]:
    """Every word that the program loads, once for each place."""
    found = [
        step.block
        for _, step, _ in walk(subject.case.program)
        if isinstance(step, (Load, Store)) and isinstance(step.block, RunTime)
    ]
    yield from dict.fromkeys(found)


def _word_offset(subject: Subject, thing: Thing) -> Answer:
    offset = thing.of.offset
    size = next(buffer.size for buffer in subject.program.buffers if buffer.name == thing.of.buffer)
    found = [name for name, here in {"last": offset + 4 == size, "far": offset > FAR}.items() if here]
    near = {0: "zero", 4: "four", 8: "eight-or-twelve", 12: "eight-or-twelve"}
    return [*found, near.get(offset, "sixteen-or-more")]


def _word_buffer(subject: Subject, thing: Thing) -> Answer:
    steps = [step for _, step, _ in walk(subject.case.program) if isinstance(step, (Load, Store))]
    mine = [step for step in steps if step.buffer == thing.of.buffer]
    shared = ["shared-word"] if sum(step.block == thing.of for step in steps) > 1 else []
    if any(isinstance(step, Store) for step in mine):
        return [*shared, "with-stored-matrix"]
    return [*shared, "with-loaded-matrix" if mine else "own"]


def _word_value(subject: Subject, thing: Thing) -> Answer:
    return next(w.value for w in subject.case.words if (w.buffer, w.offset) == (thing.of.buffer, thing.of.offset))


def loop_strides(subject: Subject, number: int) -> set[int]:
    """What the block numbers in a loop add for every pass; 0 alone where none uses the index."""
    loop = subject.program.body[number]
    assert isinstance(loop, Repeat)
    blocks = [affine(step.block) for step in loop.body if isinstance(step, (Load, Store))]
    return {block.loop for block in blocks if block.loop} or {0}


def _loop(subject: Subject, thing: Thing) -> Answer:
    return loop_strides(subject, thing.of) if thing.group == "loop" else resolved_block(thing).loop


def _grid(subject: Subject, thing: Thing) -> Answer:
    """Of a tiling by those of its moves that have a grid, if any has."""
    if thing.group == "tiling":
        return {grid(subject, affine(event.step.block)) for event in thing.of.moves} - {"none"} or "none"
    return grid(subject, resolved_block(thing))


def _row(_: Subject, thing: Thing) -> Answer:
    if thing.group == "tiling":
        blocks = [affine(event.step.block) for event in thing.of.moves]
        return {block.row for block in blocks if block.grid} or 0
    return resolved_block(thing).row


def things(subject: Subject) -> Iterator[Thing]:
    """Every block number, and every word."""
    for event in flow_of(subject).events:
        if isinstance(event.step, (Load, Store)) and event.place.loop == 0:
            yield Thing("argument", event, event.place)
    for word in words(subject):
        yield Thing("word", word)


LOOKS: dict[str, Look] = {
    "argument-of": _of,
    "argument-kind": _kind,
    "argument-base": lambda _, thing: resolved_block(thing).base,
    "argument-wave": lambda _, thing: resolved_block(thing).wave,
    "argument-loop": _loop,
    "argument-grid": _grid,
    "argument-row": _row,
    "argument-lane": lambda _, thing: resolved_block(thing).lane,
    "byte-offset": _byte_offset,
    "word-offset": _word_offset,
    "word-buffer": _word_buffer,
    "word-value": _word_value,
}
