"""What follows from a program alone, whatever its data, worked out once for programs that are asked about again.

A failing case is: under other profiles, item by item, and with simpler data. Programs are told apart as objects, since
none is ever changed; equal ones that were made apart are not compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import AnySpec
from mmaspec.programs.base import Program, RunTime, Word
from mmaspec.programs.errors import BadInput

P = TypeVar("P")

KEPT = 8
"""So many programs are remembered, the latest ones."""


def resolve(program: P, words: tuple[Word, ...], keep: Collection[RunTime] = ()) -> P:
    """The program with every ``RunTime`` argument that is not in ``keep`` replaced by the word that it will load."""
    found = {(word.buffer, word.offset): word.value for word in words}

    def visit(node: Any) -> Any:
        if isinstance(node, RunTime):
            if node in keep:
                return node
            if (node.buffer, node.offset) not in found:
                raise BadInput(f"case: no word for the argument at byte {node.offset} of buffer {node.buffer}")
            return found[node.buffer, node.offset]
        if isinstance(node, msgspec.Struct):
            changed = {}
            for name, old in zip(node.__struct_fields__, msgspec.structs.astuple(node), strict=True):
                if isinstance(old, (msgspec.Struct, tuple)) and (new := visit(old)) is not old:
                    changed[name] = new
            return msgspec.structs.replace(node, **changed) if changed else node
        if isinstance(node, tuple):
            new = tuple(visit(item) for item in node)
            return node if all(a is b for a, b in zip(new, node, strict=True)) else new
        return node

    resolved: P = visit(program)
    return resolved


@dataclass(frozen=True)
class ProgramFacts:
    """A program with the words that its arguments load, under the caps of a device. Raises ``BadInput`` when asked."""

    spec: AnySpec
    program: Program
    words: tuple[Word, ...]
    caps: object

    @cached_property
    def resolved(self) -> Program:
        """The program with literal arguments."""
        return resolve(self.program, self.words)

    @cached_property
    def rejected(self) -> frozenset[str]:
        """Every validity clause that it breaks."""
        return self.spec.rejected(self.resolved, self.caps)

    @cached_property
    def undefined(self) -> frozenset[str]:
        """Every clause by which it has undefined behaviour; for a valid program."""
        return self.spec.undefined(self.resolved, self.caps)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The data that it loads."""
        return self.spec.sources(self.resolved)

    def of(self, spec: AnySpec, program: Program, words: tuple[Word, ...], caps: object) -> bool:
        """Whether these are its own."""
        return self.program is program and self.words is words and self.caps is caps and self.spec is spec


_latest: deque[ProgramFacts] = deque(maxlen=KEPT)


def facts_of(spec: AnySpec, program: Program, words: tuple[Word, ...], caps: object) -> ProgramFacts:
    """The facts of a program; the same for the same program, if it was asked about lately."""
    for known in tuple(_latest):
        if known.of(spec, program, words, caps):
            return known
    found = ProgramFacts(spec, program, words, caps)
    _latest.appendleft(found)
    return found
