"""Buffers: their place and size, what types a kernel sees in them, and how reads and writes of them follow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.programs.base import Buffer
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.argument import words
from mmaspec.strategies.register_kernels.observations.touched import Touch, block_bytes, touched_of

_BASES = ((256, "whole-256"), (128, "odd-128"), (64, "odd-64"), (32, "odd-32"), (16, "odd-16"), (8, "odd-8"))


def buffer_of(subject: Subject, thing: Thing) -> Buffer:
    """The buffer of a thing: itself, or where a load, store or word lies."""
    name = thing.of.buffer if thing.group == "word" else None
    if thing.group in ("load", "store"):
        name = thing.of.step.buffer
    if name is None:
        found: Buffer = thing.of
        return found
    buffers: tuple[Buffer, ...] = subject.program.buffers
    return next(buffer for buffer in buffers if buffer.name == name)


def _base(subject: Subject, thing: Thing) -> Answer:
    base = buffer_of(subject, thing).base
    if base == 0:
        return "zero"
    return next((name for step, name in _BASES if base % step == 0), "odd-4")


def _fit(subject: Subject, thing: Thing) -> Answer:
    """By the last vector used; only words have no vectors."""
    touches = touched_of(subject).by_buffer[thing.of.name]
    if not touches:
        return None
    last = max(touches, key=lambda touch: touch.end)
    slack = thing.of.size - last.end
    block = block_bytes(subject.program, last.fragment)
    vector = last.fragment.vector_bytes
    if thing.of.size % vector:
        return "unaligned-end"
    if slack in (0, vector, block):
        return {0: "exact", vector: "one-vector-more", block: "whole-block"}[slack]
    return "part-of-block" if slack < block else "much"


def _vectors(subject: Subject, thing: Thing) -> Answer:
    kinds = {t.fragment.type_name for t in touched_of(subject).by_buffer[thing.of.name]}
    sizes = {touch.fragment.vector_bytes for touch in touched_of(subject).by_buffer[thing.of.name]}
    found = []
    if any(word.buffer == thing.of.name for word in words(subject)):
        found.append("words-too" if kinds else "words-only")
    if len(kinds) > 1:
        found.append("same-width" if len(sizes) == 1 else "other-width")
    elif kinds and not found:
        found.append("one-type")
    return found


def flow_in(touches: list[Touch], around: Touch | None = None) -> set[str]:
    """How reads and writes of one buffer follow, in all of it or where they meet one block."""
    found: set[str] = set()
    pairs = (
        product(touches, touches) if around is None else chain(product([around], touches), product(touches, [around]))
    )
    for first, then in pairs:
        if first.event.turn < then.event.turn and first.meets(then):
            if first.writes and then.writes:
                found.add("write-twice")
            elif first.writes:
                found.add("read-back")
            elif then.writes:
                found.add("in-place")
                if any(not t.writes and t.event.turn > then.event.turn and t.meets(then) for t in touches):
                    found.add("read-write-read")
    kinds = {touch.writes for touch in touches}
    if len(kinds) == 1:
        found.add("write-only" if True in kinds else "read-only")
    elif not found & {"in-place", "read-back"}:
        found.add("other-blocks")
    return found


def _memory_flow(subject: Subject, thing: Thing) -> Answer:
    touched = touched_of(subject)
    if thing.group == "program":
        return {name for touches in list(touched.by_buffer.values()) for name in flow_in(touches)}
    if thing.group == "buffer":
        return flow_in(touched.by_buffer[thing.of.name]) if touched.by_buffer[thing.of.name] else ()
    mine = touched.of[thing.of.turn][0]
    return flow_in(touched.by_buffer[mine.buffer], mine)


def _background(subject: Subject, thing: Thing) -> Answer:
    """Bytes of the allocation that no load finds: what they hold at first."""
    expected = subject.expectation
    assert isinstance(expected, Defined)
    buffer = buffer_of(subject, thing)
    rest = expected.images[buffer.name][:, ~expected.known[buffer.name]]
    if not rest.size:
        return None
    if not rest.any():
        return "zeros"
    if (rest == 0xFF).all():
        return "ones"
    whole = np.ascontiguousarray(expected.images[buffer.name][0][: buffer.total // 4 * 4]).view("<u4")
    known = expected.known[buffer.name][: buffer.total // 4 * 4].reshape(-1, 4).any(axis=1)
    free = whole[~known]
    nan = ((free & 0x7F800000) == 0x7F800000) & ((free & 0x7FFFFF) != 0)
    if free.size and nan.all():
        return "nan"
    if free.size > 1 and (np.diff(free.astype(np.int64)) == 1).all():
        return "counting"
    return "random"


def things(subject: Subject) -> Iterator[Thing]:
    """Every buffer."""
    for buffer in subject.program.buffers:
        yield Thing("buffer", buffer)


LOOKS: dict[str, Look] = {
    "buffer-base": _base,
    "buffer-fit": _fit,
    "buffer-bytes": lambda _, thing: thing.of.size or None,
    "buffer-vectors": _vectors,
    "memory-flow": _memory_flow,
    "background": _background,
}
