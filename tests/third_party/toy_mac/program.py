"""The vocabulary: programs and caps."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Buffer

SIZE = 8
"""Rows and columns of every matrix."""

Kind = Literal["s8", "u8"]
Name = Literal["a", "b", "c"]


class Load(Struct, frozen=True, tag="load"):
    """A matrix from memory; ``data`` names its elements in the case."""

    matrix: Name
    buffer: str
    offset: int
    data: str


class Mac(Struct, frozen=True, tag="mac"):
    """c += a * b."""


class Store(Struct, frozen=True, tag="store"):
    """A matrix to memory."""

    matrix: Name
    buffer: str
    offset: int


class ToyProgram(Struct, frozen=True, forbid_unknown_fields=True):
    """Factors of one kind, c in s32."""

    kind: Kind
    buffers: tuple[Buffer, ...]
    body: tuple[Load | Mac | Store, ...]
    waves: Literal[1] = 1

    def element(self, matrix: Name) -> str:
        """The format of a matrix."""
        return "s32" if matrix == "c" else self.kind


class ToyCaps(Struct, frozen=True, forbid_unknown_fields=True):
    """Which kinds of factors there are."""

    kinds: tuple[Kind, ...] = ("s8", "u8")
