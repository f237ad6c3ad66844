"""The parts of a program that tell each other nothing: matrices and vectors of some threads, and the bytes they touch.

A device may check bounds in one way in one wave, or for one matrix, and in another way for the next (LINALG-OOB-LOAD,
LINALG-OOB-STORE). What each part leaves is judged by itself then, and only choices within a part have to be combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_linalg.addresses import array_bytes
from mmaspec.oracle.hlsl_linalg.participants import Threads, executed
from mmaspec.oracle.hlsl_linalg.touches import Touch, touches_of
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS, SOURCE_CAPS
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Scope,
    Simple,
    Store,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)
from mmaspec.programs.windows import image_places, within

Node = tuple[str, int]
"""A matrix or vector and its number among those of its name; or a memory, or an instruction."""

_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Parts:
    """``bytes``: for each byte of a buffer its part, from 0; those that no part has written are in part 0."""

    numbers: Mapping[Node, int]
    bytes: Mapping[str, NDArray[np.int64]]

    def of(self, name: str, instance: int) -> int:
        """The part of a matrix or of a thread's vector."""
        return self.numbers[name, instance]


def parts_of(program: LinalgProgram, revision: Revision) -> Parts:
    """Everything that an instruction names belongs together, and whatever touches what something else has written."""
    found = _Together(program)
    caps = DEFAULT_CAPS if revision == "later" else SOURCE_CAPS  # no more than the revision matters here
    for place, instruction, taken in executed(program):
        found.named(instruction, taken)
        if isinstance(instruction, CountElements | AccumulatorLayout):
            continue  # what these store is the same whatever was chosen
        for touch in touches_of(program, caps, place, instruction, taken):
            found.touched(touch, taken)
    return found.parts()


def words(one: Struct) -> tuple[str, ...]:
    """Every text in an instruction and its operands, each once: names are among them."""
    return tuple(dict.fromkeys(_words(one)))


def _words(one: Struct) -> Iterator[str]:
    for name in one.__struct_fields__:
        value = getattr(one, name)
        if isinstance(value, Struct):
            yield from _words(value)
        elif isinstance(value, str):
            yield value


class _Together:
    """Which matrices and vectors belong together so far, and who has written each byte."""

    def __init__(self, program: LinalgProgram) -> None:
        self._program = program
        self._scopes: dict[str, Scope] = {one.name: "Thread" for one in program.vectors}
        self._scopes |= {one.name: one.scope for one in program.matrices}
        self._nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self._above: list[int] = []
        sizes = {array.name: array_bytes(array) for array in program.arrays}
        sizes |= {buffer.name: buffer.total for buffer in program.buffers}
        self._owners = {name: np.full(size, _NOBODY, np.int64) for name, size in sizes.items()}
        for name, scope in self._scopes.items():
            for instance in range(program.instances(scope)):
                self._number((name, instance))

    def named(self, instruction: Simple, taken: Threads) -> None:
        """What one instruction names, of the threads that execute it."""
        names = [name for name in words(instruction) if name in self._scopes]
        every = [self._instances(name, taken) for name in names]
        for others in every[1:]:
            for one, other in set(zip(every[0], others, strict=True)):
                self._join(one, other)

    def touched(self, touch: Touch, taken: Threads) -> None:
        """What one instruction touches of a memory."""
        for node, row in zip(self._rows(touch, taken), self._bytes(touch), strict=True):
            owners = self._owners[touch.memory]
            met = np.unique(owners[row])
            for other in met[met != _NOBODY].tolist():
                self._join(node, other)
            if touch.effect != "load":
                owners[row] = node

    def parts(self) -> Parts:
        """The parts, numbered."""
        roots = np.array([self._root(number) for number in range(len(self._nodes))], np.int64)
        _, numbers = np.unique(roots, return_inverse=True)
        of = {node: int(number) for node, number in zip(self._nodes, numbers, strict=True)}
        every = {
            buffer.name: np.where(owners == _NOBODY, 0, numbers[owners])
            for buffer in self._program.buffers
            for owners in [self._owners[buffer.name]]
        }
        return Parts(of, every)

    def _rows(self, touch: Touch, taken: Threads) -> Iterable[int]:
        """Who touches each row: a matrix, a thread's vector; or the instruction, with all that it names."""
        one = touch.instruction
        if isinstance(one, Load | Store | InterlockedAccumulate):
            if not touch.regions:
                return list(dict.fromkeys(self._instances(one.matrix, taken)))
        elif isinstance(one, VectorLoad | VectorStore | VectorAccumulate):
            return self._instances(one.vector, taken)
        node = self._number((str(touch.place), 0))
        for name in words(one):
            if name in self._scopes:
                for instance in self._instances(name, taken):
                    self._join(node, instance)
        return [node] * len(touch.starts)

    def _bytes(self, touch: Touch) -> Iterator[NDArray[np.int64]]:
        """Where the bytes of each row lie, those in the memory; of an optimal layout it is all of the memory."""
        size = len(self._owners[touch.memory])
        buffer = next((one for one in self._program.buffers if one.name == touch.memory), None)
        for row in touch.bytes:
            if touch.regions:
                yield np.arange(size)
                continue
            inside = (row >= 0) & (row < (size if buffer is None else buffer.size))
            if buffer is not None and buffer.windows:
                inside &= within(buffer, row)
            yield row[inside] if buffer is None else image_places(buffer, row[inside])

    def _instances(self, name: str, taken: Threads) -> list[int]:
        """The instance of a name that each thread has which executes an instruction."""
        scope, threads = self._scopes[name], np.flatnonzero(taken)
        which = threads // {"Thread": 1, "Wave": self._program.wave_size, "ThreadGroup": len(taken)}[scope]
        return [self._numbers[name, instance] for instance in which.tolist()]

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
            self._above.append(len(self._above))
        return self._numbers[node]

    def _root(self, number: int) -> int:
        while self._above[number] != number:
            self._above[number] = number = self._above[self._above[number]]
        return number

    def _join(self, one: int, other: int) -> None:
        self._above[self._root(one)] = self._root(other)
