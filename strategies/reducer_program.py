"""Smaller programs of any specification: loops, waves and declarations removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mmaspec.programs.base import Place, RunTime, Word
from mmaspec.programs.outside import in_one_wave, outside_loops, with_waves
from mmaspec.programs.tree import Path, at, nested, replace, walk


def simpler_loops(program: Any) -> Iterator[Any]:
    """Programs with one loop unrolled once, or with fewer passes."""
    for outer, instruction in enumerate(program.body):
        body = nested(instruction)
        if body is None:
            continue
        before, after = program.body[:outer], program.body[outer + 1 :]
        yield msgspec.structs.replace(program, body=(*before, *outside_loops(body), *after))
        for count in sorted({1, 2, instruction.count // 2, instruction.count - 1}):
            if 0 < count < instruction.count:
                fewer = msgspec.structs.replace(instruction, count=count)
                yield msgspec.structs.replace(program, body=(*before, fewer, *after))


def fewer_waves(program: Any) -> Iterator[Any]:
    """Programs that fewer waves execute."""
    for waves in sorted({1, 2, program.waves // 2, program.waves - 1}):
        if 0 < waves < program.waves:
            body = program.body if waves > 1 else in_one_wave(program.body)
            yield msgspec.structs.replace(with_waves(program, waves), body=body)


def leading_to(program: Any, path: Path) -> frozenset[Path]:
    """The instructions from which the one at ``path`` takes what it has, itself included, by the names they share.

    Buffers are not followed: what was stored and loaded again is left out, and too much may be in.
    """
    buffers = {buffer.name for buffer in program.buffers}
    chosen: set[Path] = set()
    wanted: set[str] = set()
    for place, instruction, _ in reversed(tuple(walk(program))):
        own = _named(instruction)[0] - buffers
        if place.path == path or (chosen and not wanted.isdisjoint(own)):
            chosen.add(place.path)
            wanted |= own
    return frozenset(chosen)


def without_flags(program: Any, path: tuple[int, ...]) -> Iterator[Any]:
    """Programs in which the instruction at ``path`` lacks one of its flags."""
    place = Place(path)
    instruction = at(program, place)
    for name in instruction.__struct_fields__:
        if getattr(instruction, name) is True:
            yield replace(program, place, msgspec.structs.replace(instruction, **{name: False}))


def pruned(program: Any, words: tuple[Word, ...]) -> tuple[Any, tuple[Word, ...]]:
    """The program without declarations that nothing in its body leads to, and the words that it still loads.

    A declaration is an item with a ``name`` in any tuple of the program; a tuple of plain names loses those
    of dropped declarations.
    """
    texts, arguments = _named(program.body)
    changed: dict[str, Any] = {}
    dropped: set[str] = set()
    fields = {field: getattr(program, field) for field in program.__struct_fields__ if field != "body"}
    declared = [item for value in fields.values() if isinstance(value, tuple) for item in value]
    known = 0
    while known < len(texts):
        # What is named names what it starts from, and loads the words of its arguments.
        known = len(texts)
        for item in declared:
            if getattr(item, "name", None) in texts:
                more, found = _named(item)
                texts |= more
                arguments |= found
    for field, value in fields.items():
        if isinstance(value, tuple) and value and all(isinstance(item, msgspec.Struct) for item in value):
            changed[field] = tuple(item for item in value if getattr(item, "name", None) in texts | {None})
            dropped |= {item.name for item in value if item not in changed[field]}
    for field, value in fields.items():
        if isinstance(value, tuple) and value and all(isinstance(item, str) for item in value):
            changed[field] = tuple(name for name in value if name not in dropped)
    kept = tuple(word for word in words if (word.buffer, word.offset) in arguments)
    return msgspec.structs.replace(program, **changed), kept


def _named(node: Any) -> tuple[set[str], set[tuple[str, int]]]:
    """Every text below a node, and every run-time argument."""
    if isinstance(node, str):
        return {node}, set()
    texts: set[str] = set()
    arguments: set[tuple[str, int]] = set()
    if isinstance(node, RunTime):
        arguments.add((node.buffer, node.offset))
    below: Iterable[Any] = ()
    if isinstance(node, msgspec.Struct):
        below = (getattr(node, name) for name in node.__struct_fields__)
    elif isinstance(node, tuple):
        below = node
    for part in below:
        more, found = _named(part)
        texts |= more
        arguments |= found
    return texts, arguments
