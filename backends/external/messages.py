"""Messages between mmaspec and an adapter that is an external program.

A message is one line of JSON and, where that has a ``body``, so many raw bytes. mmaspec asks, the adapter answers;
``docs/external.md`` is for those who write one.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from mmaspec.backends.protocol import Role
from mmaspec.programs.profile import PRACTICE, Profile

PROTOCOL = 2
"""Version of the protocol that mmaspec speaks."""
OLDER = (1,)
"""Versions that adapters may speak as well. 1: no buffer is sparse."""

Size = Annotated[int, Meta(ge=0, le=1 << 40)]
Least1 = Annotated[int, Meta(ge=1, le=1 << 40)]


class Hello(Struct, frozen=True, forbid_unknown_fields=True, tag="hello"):
    """First request to every process: who are you? Answered by ``hello``."""

    protocol: int
    mmaspec: str
    """Version of mmaspec, for the adapter's log."""


class Extent(Struct, frozen=True, forbid_unknown_fields=True):
    """A buffer in a body: ``batch`` times ``bytes`` bytes, first all of the first item: its allocation, or windows."""

    name: str
    bytes: Size


class Run(Struct, frozen=True, forbid_unknown_fields=True, tag="run"):
    """To the full level: run a program on every item of a batch. The body holds the buffers, in order."""

    id: int
    spec: str
    program: msgspec.Raw
    batch: int
    buffers: tuple[Extent, ...]
    body: Size


class Mma(Struct, frozen=True, forbid_unknown_fields=True, tag="mma"):
    """To the arithmetic-only level: D = A B + C, ``batch`` times. The body holds all A, then all B, then all C.

    Matrices are row-major, without gaps; ``types`` are the formats of A, B and C.
    """

    id: int
    m: int
    n: int
    k: int
    types: tuple[str, str, str]
    batch: int
    body: Size


class Introduction(Struct, frozen=True, forbid_unknown_fields=True, tag="hello"):
    """Answer to ``hello``: what the adapter is and supports."""

    protocol: int
    name: str
    version: str
    level: Literal["full", "mma"] = "full"
    """``full`` gets ``run``, ``mma`` gets ``mma``."""
    byte_order: Literal["little", "big"] = "little"
    """Level ``mma``: of the elements of A, B, C and D. Buffers of ``run`` are bytes of memory, as the device has it."""
    caps: dict[str, msgspec.Raw] = {}
    """Level ``full``: specification -> the caps that the device reports for it."""
    types: tuple[tuple[str, str, str], ...] = ()
    """Level ``mma``: the formats of A, B and C that there is arithmetic for; D has that of C."""
    roles: tuple[Role, ...] = ("executes",)
    """Level ``full``: what it does. At the level ``mma`` it executes."""
    enforces: Literal["compile", "all"] = "compile"
    """Level ``full``, for one that validates: which rules it checks, those that a compiler can see or all."""
    borrowed: tuple[str, ...] = ()
    """Level ``full``: clauses carried out by code that is not the device's own."""
    profile: Profile = PRACTICE
    """What it declares, and is held to, where the specification leaves freedom."""
    sparse: Size = 0
    """Level ``full``: bytes of the largest view of which it takes the windows alone; 0: whole buffers only."""
    max_batch: Least1 | None = None
    """Most items of one request; larger batches are sent in parts."""
    max_body: Least1 | None = None
    """Most bytes of one request's body; larger batches are sent in parts."""
    max_requests: Least1 = 1
    """Level ``full``, in files: most requests that one file may hold."""


class Ran(Struct, frozen=True, forbid_unknown_fields=True, tag="ran"):
    """Answer to ``run``: every buffer after the program ran, in the body."""

    id: int
    buffers: tuple[Extent, ...]
    body: Size


class Product(Struct, frozen=True, forbid_unknown_fields=True, tag="product"):
    """Answer to ``mma``: all D in the body, in the format of C."""

    id: int
    body: Size


class Refusal(Struct, frozen=True, forbid_unknown_fields=True, tag="refused"):
    """Answer to ``run`` or ``mma``: not accepted; ``clauses`` names the broken rules, if the adapter can tell."""

    id: int
    reason: str
    clauses: tuple[str, ...] = ()


class Failure(Struct, frozen=True, forbid_unknown_fields=True, tag="error"):
    """Answer to anything: the adapter failed, and goes on."""

    text: str
    id: int = 0


Request = Hello | Run | Mma
Reply = Introduction | Ran | Product | Refusal | Failure
