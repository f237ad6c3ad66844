"""Programs of sub-group matrix functions: the statements of an OpenCL C kernel on vectors that every work-item has.

A matrix is spread over the work-items of a sub-group. ``buffer[block * size + id]`` is how a kernel reads or writes a
vector, where ``id`` is the work-item's number in its sub-group: a buffer is a sequence of *blocks*, each holding one
vector of every work-item of a sub-group.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, RunTime

Use = Literal["a", "b", "acc"]
"""What a variable holds: part of A, part of B, or part of an accumulator or result."""

ElementFormat = Literal["s8", "u8", "s4", "u4", "f16", "bf16", "s32", "f32"]
"""Formats of matrix elements."""

Component = Literal["int", "uint", "short", "ushort", "float", "half"]
"""Types of a vector's components, as the language calls them."""

COMPONENT_BYTES: dict[Component, int] = {"int": 4, "uint": 4, "short": 2, "ushort": 2, "float": 4, "half": 2}


class Variable(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A vector variable that every work-item has: ``count`` components, such as ``int8``; one is a scalar.

    ``holds`` says what the elements of the matrix are that is packed in it. ``fill`` gives every element these bits
    where it is declared (None: not initialised).
    """

    name: str
    use: Use
    holds: ElementFormat
    component: Component
    count: int
    fill: int | None = None

    @property
    def vector_bytes(self) -> int:
        """Bytes of one work-item's vector."""
        return self.count * COMPONENT_BYTES[self.component]

    @property
    def type_name(self) -> str:
        """As the language spells it: ``int8``, or ``int`` for one component."""
        return self.component if self.count == 1 else f"{self.component}{self.count}"


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``into = buffer[block * size + id]``; ``data`` names the matrix that lies there (None: memory as it stands)."""

    into: str
    buffer: str
    block: Index = 0
    data: str | None = None


class Fill(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="fill"):
    """``into = (bits, bits, ...)``: every element of the matrix gets these bits, in every work-item."""

    into: str
    bits: int = 0


class Mad(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="mad"):
    """``d = intel_sub_group_<function>(a, b, acc)``; ``acc`` None is a vector literal of zeros.

    Where ``converged`` is False only the first work-item of each sub-group reaches the call.
    """

    function: str
    d: str
    a: str
    b: str
    acc: str | None = None
    converged: bool = True


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``buffer[block * size + id] = variable``."""

    variable: str
    buffer: str
    block: Index = 0


Plain = Load | Fill | Mad | Store


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """The body ``count`` times, as a loop over k does; not nested."""

    count: int
    body: tuple[Plain, ...]


Instruction = Plain | Repeat


class MadProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kernel: ``waves`` sub-groups of ``sub_group_size`` work-items execute the body, each with its own variables.

    The sub-group size is required of the kernel. ``last`` is the number of work-items of the last sub-group, where the
    size of the work-group is no multiple of it (None: it is whole).
    """

    sub_group_size: int
    buffers: tuple[Buffer, ...]
    variables: tuple[Variable, ...]
    body: tuple[Instruction, ...]
    waves: int = 1
    last: int | None = None

    def variable(self, name: str) -> Variable:
        """The variable of that name; ``KeyError`` if none is declared."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(name)


__all__ = [
    "COMPONENT_BYTES",
    "Affine",
    "Buffer",
    "Component",
    "ElementFormat",
    "Fill",
    "FromBuffer",
    "Index",
    "Instruction",
    "Load",
    "Mad",
    "MadProgram",
    "Plain",
    "Repeat",
    "RunTime",
    "Store",
    "Use",
    "Variable",
]
