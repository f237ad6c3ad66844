"""The caps of an RDNA3 device: the builtins that it supports."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from msgspec import Struct

BuiltinName = Literal[
    "f32_16x16x16_f16_w32",
    "f32_16x16x16_f16_w64",
    "i32_16x16x16_iu8_w32",
    "i32_16x16x16_iu8_w64",
]
"""The builtins in reach, without their common prefix ``__builtin_amdgcn_wmma_``."""

OtherBuiltinName = Literal[
    "f32_16x16x16_bf16_w32",
    "f32_16x16x16_bf16_w64",
    "f16_16x16x16_f16_w32",
    "f16_16x16x16_f16_w64",
    "bf16_16x16x16_bf16_w32",
    "bf16_16x16x16_bf16_w64",
    "i32_16x16x16_iu4_w32",
    "i32_16x16x16_iu4_w64",
    "f16_16x16x16_f16_tied_w32",
    "f16_16x16x16_f16_tied_w64",
    "bf16_16x16x16_bf16_tied_w32",
    "bf16_16x16x16_bf16_tied_w64",
]
"""The other builtins of such a device: it may report them, and no program has them."""


class Form(NamedTuple):
    """The parts of a builtin's name beside 16x16x16: the format of C and D, that of A and B, and the wave size."""

    result: str
    operands: str
    wave: str


FORMS: Mapping[BuiltinName, Form] = MappingProxyType(
    {
        "f32_16x16x16_f16_w32": Form("f32", "f16", "w32"),
        "f32_16x16x16_f16_w64": Form("f32", "f16", "w64"),
        "i32_16x16x16_iu8_w32": Form("i32", "iu8", "w32"),
        "i32_16x16x16_iu8_w64": Form("i32", "iu8", "w64"),
    }
)
"""Each builtin's name taken apart."""


class Caps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An architecture and the builtins of a device; those in reach are held to the document on it.

    The architecture is explicit because later ones keep the names and change the layouts.
    """

    architecture: Literal["rdna3"] = "rdna3"
    builtins: tuple[BuiltinName | OtherBuiltinName, ...] = (
        "f32_16x16x16_f16_w32",
        "f32_16x16x16_f16_w64",
        "i32_16x16x16_iu8_w32",
        "i32_16x16x16_iu8_w64",
    )

    @property
    def in_reach(self) -> tuple[BuiltinName, ...]:
        """The builtins that programs can have, each once."""
        return tuple(dict.fromkeys(known for name in self.builtins for known in FORMS if known == name))


DEFAULT_CAPS = Caps()
