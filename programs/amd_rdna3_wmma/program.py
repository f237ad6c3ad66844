"""Programs of the RDNA3 matrix builtins: the statements of a HIP kernel on fragments in registers.

Fragments and blocks are those of ``mmaspec.programs.register_kernels``; the lanes of a wave are ``wave_size``.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs import register_kernels
from mmaspec.programs.amd_rdna3_wmma.instruction import VWmma
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, RunTime
from mmaspec.programs.register_kernels import Fill, Store, Use

ElementType = Literal["half", "short", "float", "int"]

ELEMENT_BYTES: dict[ElementType, int] = {"half": 2, "short": 2, "float": 4, "int": 4}

_NIBBLE_SLOTS = 2
"""Slots of ``int`` in which sixteen elements of four bits are packed; as many of a byte fill four."""

Flag = bool | FromBuffer | None
"""An immediate, a value loaded at run time (which no builtin takes), or an argument that is not given."""


class Fragment(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A vector variable that every lane has: ``count`` slots of ``element``, such as ``half16``.

    ``fill`` gives every element these bits where it is declared (None: not initialised). A slot ``short`` is the bits
    of a bf16. An ``int`` fragment that holds A or B has four elements of a byte in each slot, or eight of four bits if
    there are two slots.

    A fragment of 16-bit slots for C or D has two slots in each register, and holds a matrix in the low halves of its
    registers and another one in the high halves.

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
    def halves(self) -> bool:
        """Whether it holds two matrices, in the low and in the high halves of its registers."""
        return self.use == "cd" and ELEMENT_BYTES[self.element] == 2

    @property
    def element_bits(self) -> int:
        """Bits of an element of the matrix that it holds."""
        if self.use != "cd" and self.element == "int":
            return 4 if self.count == _NIBBLE_SLOTS else 8
        return 8 * ELEMENT_BYTES[self.element]

    @property
    def type_name(self) -> str:
        """Element and slots: ``half16``."""
        return f"{self.element}{self.count}"


class Load(register_kernels.Load, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``into = buffer[block * lanes + lane]``; ``data`` names the matrix that lies there (None: as memory stands).

    ``replicas`` names other data for the second and later groups of sixteen lanes, where the copies of A or B are not
    equal. Of a fragment that holds two matrices, ``data`` names the one in the low halves and ``high`` the one in the
    high halves; they may have one name, and hold the same.
    """

    replicas: tuple[str, ...] = ()
    high: str | None = None


class Wmma(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="wmma"):
    """``d = __builtin_amdgcn_wmma_<builtin>(...)``; ``c`` None is a vector literal of zeros.

    The integer forms take ``a_sign``, ``b_sign`` and ``clamp``; ``opsel`` belongs to the forms with 16-bit C and D.
    """

    builtin: str
    d: str
    a: str
    b: str
    c: str | None = None
    a_sign: Flag = None
    b_sign: Flag = None
    clamp: Flag = None
    opsel: Flag = None


AnyWmma = Wmma | VWmma
"""A product: of a builtin, or as the instruction itself."""

Plain = Load | Fill | AnyWmma | Store


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
    "AnyWmma",
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
    "VWmma",
    "Wmma",
    "WmmaProgram",
]
