"""Programs of sub-group matrix functions: the statements of an OpenCL C kernel on vectors that every work-item has.

Fragments and blocks are those of ``mmaspec.programs.register_kernels``: a wave is a sub-group, a lane a work-item by
its number in the sub-group.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs import register_kernels
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, RunTime
from mmaspec.programs.register_kernels import Fill, Load, Store, Use

ElementFormat = Literal["s8", "u8", "s4", "u4", "f16", "bf16", "s32", "f32"]
"""Formats of matrix elements."""

Component = Literal["int", "uint", "short", "ushort", "float", "half"]
"""Types of a vector's components, as the language calls them."""

COMPONENT_BYTES: dict[Component, int] = {"int": 4, "uint": 4, "short": 2, "ushort": 2, "float": 4, "half": 2}


class Fragment(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
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


class Mad(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="mad"):
    """``d = intel_sub_group_<function>(a, b, c)``; ``c`` None is a vector literal of zeros.

    Where ``converged`` is False only the first work-item of each sub-group reaches the call.
    """

    function: str
    d: str
    a: str
    b: str
    c: str | None = None
    converged: bool = True


Plain = Load | Fill | Mad | Store


class Repeat(register_kernels.Repeat, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """The body ``count`` times, as a loop over k does; not nested."""

    body: tuple[Plain, ...]


Instruction = Plain | Repeat


class MadProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kernel: ``waves`` sub-groups of ``sub_group_size`` work-items execute the body, each with its own fragments.

    The sub-group size is required of the kernel. ``last`` is the number of work-items of the last sub-group, where the
    size of the work-group is no multiple of it (None: it is whole).
    """

    sub_group_size: int
    buffers: tuple[Buffer, ...]
    fragments: tuple[Fragment, ...]
    body: tuple[Instruction, ...]
    waves: int = 1
    last: int | None = None

    @property
    def lanes(self) -> int:
        """Work-items of a sub-group."""
        return self.sub_group_size

    def fragment(self, name: str) -> Fragment:
        """The fragment of that name; ``KeyError`` if none is declared."""
        for fragment in self.fragments:
            if fragment.name == name:
                return fragment
        raise KeyError(name)


__all__ = [
    "COMPONENT_BYTES",
    "Affine",
    "Buffer",
    "Component",
    "ElementFormat",
    "Fill",
    "Fragment",
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
]
