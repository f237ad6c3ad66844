"""Statements of kernels on fragments: loads, fills, stores and loops are alike everywhere, products are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol

from msgspec import Struct

from mmaspec.programs.base import Index, Place, Program
from mmaspec.programs.tree import walk

Use = Literal["a", "b", "cd"]
"""What a fragment holds: a left factor, a right factor, or an addend or result."""


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``into = buffer[block * lanes + lane]``; ``data`` names the matrix that lies there (None: as memory stands)."""

    into: str
    buffer: str
    block: Index = 0
    data: str | None = None


class Fill(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="fill"):
    """``into = {bits, bits, ...}``: every element of the fragment's matrix gets these bits, in every lane.

    Where several elements are packed in one component of the vector, each of them does.
    """

    into: str
    bits: int = 0


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``buffer[block * lanes + lane] = fragment``."""

    fragment: str
    buffer: str
    block: Index = 0


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """The body ``count`` times, as a loop over k does; not nested. A specification narrows the statements in it."""

    count: int
    body: tuple[Any, ...]


class Fragment(Protocol):
    """A vector variable that every lane has."""

    @property
    def name(self) -> str:
        """Its own among the fragments."""
        ...

    @property
    def use(self) -> Use:
        """The matrix that it holds a part of."""
        ...

    @property
    def count(self) -> int:
        """Components of the vector."""
        ...

    @property
    def fill(self) -> int | None:
        """The bits of every element where it is declared; None: not initialised."""
        ...

    @property
    def vector_bytes(self) -> int:
        """Bytes of one lane's vector."""
        ...

    @property
    def type_name(self) -> str:
        """The vector's type, such as ``int8``."""
        ...


class Product(Protocol):
    """A call that multiplies and adds: ``d = a * b + c``, all of them fragments; ``c`` None is a vector of zeros."""

    @property
    def d(self) -> str:
        """The result."""
        ...

    @property
    def a(self) -> str:
        """The left factor."""
        ...

    @property
    def b(self) -> str:
        """The right factor."""
        ...

    @property
    def c(self) -> str | None:
        """The addend."""
        ...


class RegisterProgram(Program, Protocol):
    """A kernel: ``waves`` waves of ``lanes`` lanes execute the body, each with its own fragments.

    Statements of the body are ``Load``, ``Fill``, ``Store``, products of the specification, and ``Repeat`` of those.
    """

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        ...

    @property
    def fragments(self) -> tuple[Any, ...]:
        """Every ``Fragment``."""
        ...

    def fragment(self, name: str) -> Any:
        """The fragment of that name; ``KeyError`` if none is declared."""
        ...


def writes(instruction: Load | Fill | Store | Product) -> str | None:
    """The fragment that an instruction writes; None for a store."""
    if isinstance(instruction, Store):
        return None
    return instruction.into if isinstance(instruction, (Load, Fill)) else instruction.d


def is_product(step: object) -> bool:
    """Whether an instruction is one that a specification multiplies with."""
    return not isinstance(step, (Load, Fill, Store, Repeat))


def products(program: RegisterProgram) -> Iterator[tuple[Place, Any, int]]:
    """Every product of a program, as ``mmaspec.programs.tree.walk`` lists it."""
    return (found for found in walk(program) if is_product(found[1]))
