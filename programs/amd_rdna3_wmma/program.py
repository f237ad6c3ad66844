"""Programs of the RDNA3 matrix builtins: the instructions of a HIP kernel on fragments in registers.

A fragment is one vector variable of every lane. ``A[block * wave_size + lane]`` is how a kernel reads it, where
``A`` points to such vectors: a buffer is a sequence of *blocks*, each holding one fragment of one wave lane by lane.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, RunTime

Use = Literal["a", "b", "cd"]
"""What a fragment holds: a left factor, a right factor, or an accumulator.

The vectors of both factors are alike: lane i holds row i of A, or column i of B (RDNA3-AB-ROWCOL). So a call may take
either as the other, which then is the transposed matrix; one vector may be both.
"""

ElementType = Literal["half", "short", "float", "int"]

ELEMENT_BYTES: dict[ElementType, int] = {"half": 2, "short": 2, "float": 4, "int": 4}

Flag = bool | FromBuffer | None
"""An immediate, a value loaded at run time (which no builtin takes), or an argument that is not given."""


class Fragment(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A vector variable that every lane has: ``count`` slots of ``element``, such as ``half16``.

    ``fill`` gives every element these bits where it is declared (None: not initialised); an ``int`` fragment
    that holds A or B has four byte elements a slot.
    """

    name: str
    use: Use
    element: ElementType
    count: int
    fill: int | None = None

    @property
    def vector_bytes(self) -> int:
        """Bytes of one lane's vector."""
        return self.count * ELEMENT_BYTES[self.element]


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``into = buffer[block * wave_size + lane]``.

    ``data`` names the matrix that lies there (None: memory as it stands). ``replicas`` names other data for the
    second and later groups of sixteen lanes, where the copies of A or B are not equal.
    """

    into: str
    buffer: str
    block: Index = 0
    data: str | None = None
    replicas: tuple[str, ...] = ()


class Fill(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="fill"):
    """``into = {bits, bits, ...}``: every element of the fragment, in every lane.

    An ``int`` fragment that holds A or B has four elements of a byte in a slot: ``bits`` is that byte.
    """

    into: str
    bits: int = 0


class Wmma(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="wmma"):
    """``d = __builtin_amdgcn_wmma_<builtin>(...)``; ``c`` None is a vector literal of zeros.

    The integer forms take ``a_sign``, ``b_sign`` and ``clamp``; ``opsel`` belongs to the 16-bit forms.
    """

    builtin: str
    d: str
    a: str
    b: str
    c: str | None = None
    a_sign: Flag = None
    b_sign: Flag = None
    clamp: Flag = None
    opsel: bool | None = None


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``buffer[block * wave_size + lane] = fragment``."""

    fragment: str
    buffer: str
    block: Index = 0


Plain = Load | Fill | Wmma | Store


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """The body ``count`` times, as a loop over k does; not nested."""

    count: int
    body: tuple[Plain, ...]


Instruction = Plain | Repeat


class WmmaProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kernel: ``waves`` waves of ``wave_size`` lanes execute the body, each with its own fragments."""

    wave_size: Literal[32, 64]
    buffers: tuple[Buffer, ...]
    fragments: tuple[Fragment, ...]
    body: tuple[Instruction, ...]
    waves: int = 1

    def fragment(self, name: str) -> Fragment:
        """The fragment of that name; ``KeyError`` if none is declared."""
        for fragment in self.fragments:
            if fragment.name == name:
                return fragment
        raise KeyError(name)


__all__ = [
    "ELEMENT_BYTES",
    "Affine",
    "Buffer",
    "ElementType",
    "Fill",
    "Flag",
    "Fragment",
    "FromBuffer",
    "Index",
    "Instruction",
    "Load",
    "Plain",
    "Repeat",
    "RunTime",
    "Store",
    "Use",
    "Wmma",
    "WmmaProgram",
]
