"""What a device says it supports: the builtins."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

BuiltinName = Literal[
    "f32_16x16x16_f16_w32",
    "f32_16x16x16_f16_w64",
    "i32_16x16x16_iu8_w32",
    "i32_16x16x16_iu8_w64",
]
"""The builtins in reach, without their common prefix ``__builtin_amdgcn_wmma_``."""


class Caps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An architecture and the builtins that are held to the document on it.

    The architecture is explicit because later ones keep the names and change the layouts.
    """

    architecture: Literal["rdna3"] = "rdna3"
    builtins: tuple[BuiltinName, ...] = (
        "f32_16x16x16_f16_w32",
        "f32_16x16x16_f16_w64",
        "i32_16x16x16_iu8_w32",
        "i32_16x16x16_iu8_w64",
    )


DEFAULT_CAPS = Caps()
