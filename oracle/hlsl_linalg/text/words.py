"""Names, types, arguments and scalars in HLSL."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_letters, digits
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.text.names import is_taken
from mmaspec.programs.base import Affine, Index, Literal, RunTime, Scalar
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType, scalars
from mmaspec.programs.hlsl_linalg.program import Matrix, Vector

_NAMES: Mapping[str, str] = MappingProxyType({"half": "float16_t"})
"""HLSL type of the tables -> the name that has 16 bits whatever the compiler is told; others are called the same."""

_BITS: Mapping[str, str] = MappingProxyType(
    {
        "int16_t": "int16_t({})",
        "uint16_t": "{}",
        "int": "asint({})",
        "uint": "{}",
        "int64_t": "int64_t({})",
        "uint64_t": "{}",
        "half": "asfloat16({})",
        "float": "asfloat({})",
        "double": "asdouble(uint({0}), uint({0} >> 32))",
    }
)
"""HLSL type -> a value of it, from an expression for its bits as an unsigned integer of the same width."""

_WORD = frozenset(ascii_letters + digits + "_")


def identifier(name: str) -> str:
    """The name of a matrix, vector, array or buffer as HLSL can have it."""
    plain = "".join(letter if letter in _WORD else f"_{ord(letter):x}_" for letter in name)
    word = plain if plain[:1].isalpha() else f"x{plain}"
    return f"{word}_" if is_taken(word) else word


def type_of(scalar: str) -> str:
    """A scalar type of HLSL as it is written."""
    return _NAMES.get(scalar, scalar)


def type_name(matrix: Matrix) -> str:
    """The name that a matrix's type has in the text."""
    return f"{identifier(matrix.name)}Type"


def component(name: ComponentType) -> str:
    """A component type."""
    return f"ComponentType::{name}"


def vector_type(vector: Vector) -> str:
    """The type of a vector's variable: of scalars, or of the words that hold packed components."""
    row = COMPONENTS[vector.component]
    return f"vector<{type_of(row.scalar)}, {scalars(row, vector.length)}>"


def interpreted(vector: Vector) -> str:
    """A vector as an argument: of packed components together with how its words are understood."""
    name = identifier(vector.name)
    if COMPONENTS[vector.component].native:
        return name
    return f"MakeInterpretedVector<{component(vector.component)}>({name})"


def argument(index: Index, loop: str) -> str:
    """An argument; ``loop`` is the variable of the enclosing loop, or 0."""
    if isinstance(index, RunTime):
        return f"{identifier(index.buffer)}.Load({index.offset})"
    if not isinstance(index, Affine):
        return str(index)
    across, down = (f"(wave % {index.grid})", f"(wave / {index.grid})") if index.grid else ("wave", "0")
    named = ((index.wave, across), (index.row, down), (index.loop, loop), (index.lane, "lane"))
    terms = [f"{factor} * {name}" for factor, name in named if factor and name != "0"]
    return " + ".join([*([str(index.base)] if index.base or not terms else []), *terms])


def scalar(value: Scalar, kind: str, lane: int = 0, wave: int = 0) -> str:
    """A scalar of an HLSL type from its bits, to which each further lane and wave add."""
    width = FORMATS[SCALARS[kind]].bits
    unsigned = {16: "uint16_t", 32: "uint", 64: "uint64_t"}[width]
    if isinstance(value, Literal):
        bits = f"{unsigned}(0x{value.bits:x}{'ull' if width == 64 else 'u' if width == 32 else ''})"
    else:
        bits = f"{identifier(value.buffer)}.Load<{unsigned}>({value.offset})"
    more = [f"{factor} * {name}" for factor, name in ((lane, "lane"), (wave, "wave")) if factor]
    if more:
        bits = f"{unsigned}({' + '.join([bits, *more])})"  # operators make 32 bits of 16
    return _BITS[kind].format(bits)
