"""Cases written out by hand, for the tests of what is seen in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.source import Source
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, Fragment, Instruction, Load, Store, Wmma, WmmaProgram
from mmaspec.programs.base import Word
from mmaspec.strategies.axes.observation import Seen, observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of

F16 = "f32_16x16x16_f16_w32"
IU8 = "i32_16x16x16_iu8_w32"
IU8_W64 = "i32_16x16x16_iu8_w64"
ROW = 1024
"""Bytes of a block of C or D, and of f16's A or B in wave32."""

A, B = Load("a", "in", 0, "A"), Load("b", "in", 1, "B")
C = Load("c", "addend", 0, "C")
SAVE = Store("d", "out", 0)


def call(builtin: str = F16, d: str = "d", c: str | None = "c", flags: tuple[bool, bool, bool] = (False,) * 3) -> Wmma:
    """``d = a * b + c``; the flags are those of integer forms: of A, of B, clamp."""
    if builtin == F16:
        return Wmma(builtin, d, "a", "b", c)
    return Wmma(builtin, d, "a", "b", c, *flags)


def program(
    *body: Instruction,
    builtin: str = F16,
    fills: Mapping[str, int] | None = None,
    waves: int = 1,
    extra: tuple[Fragment, ...] = (),
    buffers: tuple[Buffer, ...] = (),
) -> WmmaProgram:
    """A kernel with fragments a, b, c and d, and with buffers of 16 blocks for them unless given."""
    lanes = 64 if builtin.endswith("w64") else 32
    integer = builtin.startswith("i32")
    fills = fills or {}
    operand, slots = ("int", 4) if integer else ("half", 16)
    accumulator, rows = ("int" if integer else "float"), 256 // lanes
    kinds = (("a", "a", operand, slots), ("b", "b", operand, slots), ("c", "cd", accumulator, rows))
    fragments = [Fragment(n, u, e, s, fills.get(n)) for n, u, e, s in (*kinds, ("d", *kinds[2][1:]))]  # type: ignore[arg-type]
    known = {buffer.name for buffer in buffers}
    others = (Buffer(name, size) for name, size in (("in", 32 * ROW), ("addend", 16 * ROW), ("out", 16 * ROW)))
    return WmmaProgram(
        lanes,  # type: ignore[arg-type]
        (*buffers, *(buffer for buffer in others if buffer.name not in known)),
        (*fragments, *extra),
        body,
        waves,
    )


def case(
    of: WmmaProgram, values: Mapping[str, object] | None = None, batch: int = 1, words: tuple[Word, ...] = ()
) -> Case:
    """A case of a kernel; a matrix that is not given has elements that all differ."""
    given = values or {}
    found = {
        source.name: _matrix(source, given.get(source.name), batch, number)
        for number, source in enumerate(SPEC.sources(resolve(of, words)))
    }
    return Case(SPEC.name, "", "by hand", of, SPEC.default_caps, batch, found, words)


def _matrix(source: Source, given: object, batch: int, number: int) -> Bits:
    shape = (batch, *source.shape)
    if given is not None:
        return np.broadcast_to(np.asarray(given, np.uint64), shape).copy()
    step = {"f16": 0x3C00, "f32": 0x3F800000}.get(source.fmt.name, 0)
    count = int(np.prod(shape))
    return (
        step + (np.arange(count, dtype=np.uint64).reshape(shape) * np.uint64(2 * number + 1)) % np.uint64(256)
    ).astype(np.uint64)


@cache
def _seen(of: Case) -> tuple[Seen, ...]:
    return tuple(seen(of, observer_of(SPEC.name), space_of(SPEC.name)))


def shown(of: Case, group: str, axis: str) -> set[str]:
    """The classes of an axis that the things of a group have; no two classes of them contradict."""
    found = _seen(of)
    assert [rule.together for rule, _ in contradictions(space_of(SPEC.name), found)] == []
    return {one for thing in found if thing.thing.group == group for one in thing.classes.get(axis, ())}
