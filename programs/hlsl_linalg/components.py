"""The component types of a matrix as rows of data: their codes, and the HLSL scalars that hold them in vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from mmaspec.programs.formats import FORMATS, Format

Revision = Literal["later", "2025-09-19"]
"""Which text of the proposal: the head of 2026-08, or the one of that day."""

ComponentType = Literal[
    "Invalid", "I1", "I16", "U16", "I32", "U32", "I64", "U64", "F16", "F32", "F64",
    "SNormF16", "UNormF16", "SNormF32", "UNormF32", "SNormF64", "UNormF64", "PackedS8x32", "PackedU8x32",
    "I8", "U8", "F8_E4M3FN", "F8_E5M2", "BFloat16",
]  # fmt: skip
"""Every name that an enumeration of component types has in either text, in the order of their codes (from 0)."""

ScalarType = Literal[
    "int16_t", "uint16_t", "int", "uint", "int64_t", "uint64_t", "half", "float", "double",
]  # fmt: skip
"""The arithmetic types of HLSL (LINALG-ARITH-TYPES); those of 16 bits need 16-bit types enabled."""

ArrayType = Literal[
    "int16_t", "uint16_t", "int", "uint", "int64_t", "uint64_t", "half", "float", "double", "uint8_t4_packed",
]  # fmt: skip
"""The elements that a groupshared array may have: arithmetic types, and words of four packed bytes."""

SCALARS: Mapping[str, str] = MappingProxyType(
    {
        "int16_t": "s16",
        "uint16_t": "u16",
        "int": "s32",
        "uint": "u32",
        "int64_t": "s64",
        "uint64_t": "u64",
        "half": "f16",
        "float": "f32",
        "double": "f64",
        "uint8_t4_packed": "u32",
    }
)
"""HLSL type -> the format of its bits."""


@dataclass(frozen=True, slots=True)
class Component:
    """One component type.

    ``fmt`` names the format of one component, empty where no text says what its bits mean. ``scalar`` is the HLSL
    type that holds ``packed`` of them in a vector, the first one in the lowest bits.
    """

    name: str
    code: int
    fmt: str = ""
    scalar: str = "uint"
    packed: int = 1
    revisions: tuple[Revision, ...] = ()
    """The texts in which a matrix may have it and the text says what that means."""

    @property
    def native(self) -> bool:
        """Whether HLSL has a scalar type for one component (``IsNativeScalar``)."""
        return self.packed == 1

    @property
    def format(self) -> Format:
        """The format of one component; ``KeyError`` where it has none."""
        return FORMATS[self.fmt]


_BOTH: tuple[Revision, ...] = ("later", "2025-09-19")
_LATER: tuple[Revision, ...] = ("later",)
_SOURCE: tuple[Revision, ...] = ("2025-09-19",)

_ROWS = (
    Component("Invalid", 0),
    Component("I1", 1),
    Component("I16", 2, "s16", "int16_t", 1, _BOTH),
    Component("U16", 3, "u16", "uint16_t", 1, _BOTH),
    Component("I32", 4, "s32", "int", 1, _BOTH),
    Component("U32", 5, "u32", "uint", 1, _BOTH),
    Component("I64", 6, "s64", "int64_t", 1, _BOTH),
    Component("U64", 7, "u64", "uint64_t", 1, _BOTH),
    Component("F16", 8, "f16", "half", 1, _BOTH),
    Component("F32", 9, "f32", "float", 1, _BOTH),
    Component("F64", 10, "f64", "double", 1, _BOTH),
    Component("SNormF16", 11),
    Component("UNormF16", 12),
    Component("SNormF32", 13),
    Component("UNormF32", 14),
    Component("SNormF64", 15),
    Component("UNormF64", 16),
    Component("PackedS8x32", 17, "s8", "uint", 4, _SOURCE),
    Component("PackedU8x32", 18, "u8", "uint", 4, _SOURCE),
    Component("I8", 19, "s8", "uint", 4, _LATER),
    Component("U8", 20, "u8", "uint", 4, _LATER),
    Component("F8_E4M3FN", 21, "e4m3", "uint", 4, _LATER),
    Component("F8_E5M2", 22, "e5m2", "uint", 4, _LATER),
    Component("BFloat16", 23, "bf16", "uint", 2, _LATER),
)

COMPONENTS: Mapping[str, Component] = MappingProxyType({row.name: row for row in _ROWS})
"""Every component type by name (LINALG-COMP-ENUM); LINALG-PACK-COUNT says how many share a scalar."""

NATIVE: Mapping[str, str] = MappingProxyType({row.scalar: row.name for row in _ROWS if row.fmt and row.native})
"""HLSL arithmetic type -> the component type that it is by itself."""


def scalars(component: Component, count: int) -> int:
    """LINALG-PACK-COUNT: the HLSL scalars that hold so many components, the last perhaps in part."""
    return -(-count // component.packed)


def components_of(revision: Revision) -> tuple[Component, ...]:
    """The component types with a meaning in a text, in the order of their codes."""
    return tuple(row for row in _ROWS if revision in row.revisions)
