"""The caps of a device with sub-group matrix functions: its minimum sub-group size, and the functions that it has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from msgspec import Struct

FormName = Literal[
    "i8_i8_i32",
    "i8_u8_i32",
    "u8_i8_i32",
    "u8_u8_i32",
    "i4_i4_i32",
    "i4_u4_i32",
    "u4_i4_i32",
    "u4_u4_i32",
    "bf16_bf16_f32",
    "f16_f16_f32",
    "bf16_bf16_bf16",
    "f16_f16_f16",
]
"""Elements of A, of B, and of the accumulator: four functions each, one for every number of rows."""

SubGroupSize = Literal[8, 16]
"""N: the minimum sub-group size of a device decides which set of functions it has."""


class Form(NamedTuple):
    """What the functions of a form multiply and add, as their names spell it; the accumulator's element last."""

    a: str
    b: str
    acc: str

    @property
    def bits(self) -> int:
        """Bits of an element of A or B: both have as many."""
        return int(self.a.strip("iubf"))

    @property
    def k(self) -> int:
        """Columns of A: a column of B fills eight words of 32 bits, whatever its elements."""
        return 256 // self.bits

    @property
    def integer(self) -> bool:
        """Whether the elements are integers."""
        return self.acc == "i32"

    @property
    def function(self) -> str:
        """The name that the form's functions share, without their prefix ``intel_sub_group_``."""
        return f"{self.a}_{self.b}_matrix_mad_k{self.k}"


ROWS: tuple[int, ...] = (1, 2, 4, 8)
"""M: every form has a function for each of these numbers of rows."""

FORMS: Mapping[FormName, Form] = MappingProxyType(
    {
        "i8_i8_i32": Form("i8", "i8", "i32"),
        "i8_u8_i32": Form("i8", "u8", "i32"),
        "u8_i8_i32": Form("u8", "i8", "i32"),
        "u8_u8_i32": Form("u8", "u8", "i32"),
        "i4_i4_i32": Form("i4", "i4", "i32"),
        "i4_u4_i32": Form("i4", "u4", "i32"),
        "u4_i4_i32": Form("u4", "i4", "i32"),
        "u4_u4_i32": Form("u4", "u4", "i32"),
        "bf16_bf16_f32": Form("bf16", "bf16", "f32"),
        "f16_f16_f32": Form("f16", "f16", "f32"),
        "bf16_bf16_bf16": Form("bf16", "bf16", "bf16"),
        "f16_f16_f16": Form("f16", "f16", "f16"),
    }
)
"""Each form's name taken apart."""

_WIDE: tuple[FormName, ...] = tuple(name for name, form in FORMS.items() if form.acc in ("i32", "f32"))
"""The ten forms of devices with sub-groups of 8: their accumulators have 32 bits."""

FORMS_OF: Mapping[SubGroupSize, tuple[FormName, ...]] = MappingProxyType({8: _WIDE, 16: tuple(FORMS)})
"""Minimum sub-group size -> the forms that such a device has: ten, or twelve."""


class Caps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A device's minimum sub-group size, which of the forms it is held to, and whether it has halves.

    A device that supports the extension has every form of its sub-group size; fewer may be asked about. Functions with
    arguments of the type ``half`` need ``cl_khr_fp16``.
    """

    sub_group_size: SubGroupSize = 8
    forms: tuple[FormName, ...] = _WIDE
    fp16: bool = True

    @property
    def in_reach(self) -> tuple[FormName, ...]:
        """The forms that programs can have, each once, in the order of the table."""
        return tuple(
            name
            for name in FORMS_OF[self.sub_group_size]
            if name in self.forms and (self.fp16 or FORMS[name].acc != "f16")
        )


DEFAULT_CAPS = Caps()
