"""Programs of the RDNA3 matrix builtins: the instructions of a HIP kernel on fragments in registers.

Fragments and blocks are those of ``mmaspec.programs.register_kernels``; the lanes of a wave are ``wave_size``.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs import register_kernels
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, RunTime
from mmaspec.programs.register_kernels import Fill, Store, Use

ElementType = Literal["half", "short", "float", "int"]

ELEMENT_BYTES: dict[ElementType, int] = {"half": 2, "short": 2, "float": 4, "int": 4}

Flag = bool | FromBuffer | None
"""An immediate, a value loaded at run time (which no builtin takes), or an argument that is not given."""


class Fragment(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A vector variable that every lane has: ``count`` slots of ``element``, such as ``half16``.

    ``fill`` gives every element these bits where it is declared (None: not initialised); an ``int`` fragment
    that holds A or B has four byte elements a slot.

    The vectors of both factors are alike: lane i holds row i of A, or column i of B (RDNA3-AB-ROWCOL). So a call may
    take either as the other, which then is the transposed matrix; one vector may be both.
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

    @property
    def type_name(self) -> str:
        """Element and slots: ``half16``."""
        return f"{self.element}{self.count}"


class Load(register_kernels.Load, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``into = buffer[block * lanes + lane]``; ``data`` names the matrix that lies there (None: as memory stands).

    ``replicas`` names other data for the second and later groups of sixteen lanes, where the copies of A or B are not
    equal.
    """

    replicas: tuple[str, ...] = ()


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


Plain = Load | Fill | Wmma | Store


class Repeat(register_kernels.Repeat, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """The body ``count`` times, as a loop over k does; not nested."""

    body: tuple[Plain, ...]


Instruction = Plain | Repeat


class WmmaProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kernel: ``waves`` waves of ``wave_size`` lanes execute the body, each with its own fragments."""

    wave_size: Literal[32, 64]
    buffers: tuple[Buffer, ...]
    fragments: tuple[Fragment, ...]
    body: tuple[Instruction, ...]
    waves: int = 1

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        return self.wave_size

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
