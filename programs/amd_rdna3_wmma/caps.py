"""The caps of an RDNA3 device: its architecture, and the builtins and instructions that it supports."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from msgspec import Struct

BuiltinName = Literal[
    "f32_16x16x16_f16_w32",
    "f32_16x16x16_f16_w64",
    "f32_16x16x16_bf16_w32",
    "f32_16x16x16_bf16_w64",
    "f16_16x16x16_f16_w32",
    "f16_16x16x16_f16_w64",
    "f16_16x16x16_f16_tied_w32",
    "f16_16x16x16_f16_tied_w64",
    "bf16_16x16x16_bf16_w32",
    "bf16_16x16x16_bf16_w64",
    "bf16_16x16x16_bf16_tied_w32",
    "bf16_16x16x16_bf16_tied_w64",
    "i32_16x16x16_iu8_w32",
    "i32_16x16x16_iu8_w64",
    "i32_16x16x16_iu4_w32",
    "i32_16x16x16_iu4_w64",
]
"""The builtins, without their common prefix ``__builtin_amdgcn_wmma_``."""

InstructionName = Literal[
    "v_wmma_f32_16x16x16_f16_w32",
    "v_wmma_f32_16x16x16_f16_w64",
    "v_wmma_f32_16x16x16_bf16_w32",
    "v_wmma_f32_16x16x16_bf16_w64",
    "v_wmma_f16_16x16x16_f16_w32",
    "v_wmma_f16_16x16x16_f16_w64",
    "v_wmma_bf16_16x16x16_bf16_w32",
    "v_wmma_bf16_16x16x16_bf16_w64",
    "v_wmma_i32_16x16x16_iu8_w32",
    "v_wmma_i32_16x16x16_iu8_w64",
    "v_wmma_i32_16x16x16_iu4_w32",
    "v_wmma_i32_16x16x16_iu4_w64",
]
"""The instructions by opcode and wave size: what an emulator or a circuit takes, where builtins are a compiler's."""

Architecture = Literal["rdna3", "rdna3.5"]
"""Generations that have these builtins and instructions with these layouts."""


class Form(NamedTuple):
    """The parts of the name of a builtin or of an instruction beside 16x16x16.

    The format of C and D, that of A and B, the wave size, and whether a builtin is tied: whether it copies from C the
    half of each register of D that it does not write. An instruction is written with all of its modifiers.
    """

    result: str
    operands: str
    wave: str
    tied: bool = False
    instruction: bool = False

    @property
    def integer(self) -> bool:
        """Whether it takes sign flags and clamp."""
        return self.result == "i32"

    @property
    def halves(self) -> bool:
        """Whether C and D have 16 bits an element, so that OPSEL says which half of a register holds one."""
        return self.result in ("f16", "bf16")

    @property
    def opcode(self) -> str:
        """The instruction's mnemonic, which is one for both wave sizes."""
        return f"v_wmma_{self.result}_16x16x16_{self.operands}"

    @property
    def name(self) -> str:
        """The name in the caps."""
        if self.instruction:
            return f"{self.opcode}_{self.wave}"
        tied = "tied_" if self.tied else ""
        return f"{self.result}_16x16x16_{self.operands}_{tied}{self.wave}"


FORMS: Mapping[BuiltinName, Form] = MappingProxyType(
    {
        "f32_16x16x16_f16_w32": Form("f32", "f16", "w32"),
        "f32_16x16x16_f16_w64": Form("f32", "f16", "w64"),
        "f32_16x16x16_bf16_w32": Form("f32", "bf16", "w32"),
        "f32_16x16x16_bf16_w64": Form("f32", "bf16", "w64"),
        "f16_16x16x16_f16_w32": Form("f16", "f16", "w32"),
        "f16_16x16x16_f16_w64": Form("f16", "f16", "w64"),
        "f16_16x16x16_f16_tied_w32": Form("f16", "f16", "w32", tied=True),
        "f16_16x16x16_f16_tied_w64": Form("f16", "f16", "w64", tied=True),
        "bf16_16x16x16_bf16_w32": Form("bf16", "bf16", "w32"),
        "bf16_16x16x16_bf16_w64": Form("bf16", "bf16", "w64"),
        "bf16_16x16x16_bf16_tied_w32": Form("bf16", "bf16", "w32", tied=True),
        "bf16_16x16x16_bf16_tied_w64": Form("bf16", "bf16", "w64", tied=True),
        "i32_16x16x16_iu8_w32": Form("i32", "iu8", "w32"),
        "i32_16x16x16_iu8_w64": Form("i32", "iu8", "w64"),
        "i32_16x16x16_iu4_w32": Form("i32", "iu4", "w32"),
        "i32_16x16x16_iu4_w64": Form("i32", "iu4", "w64"),
    }
)
"""Each builtin's name taken apart."""

INSTRUCTIONS: Mapping[InstructionName, Form] = MappingProxyType(
    {
        "v_wmma_f32_16x16x16_f16_w32": Form("f32", "f16", "w32", instruction=True),
        "v_wmma_f32_16x16x16_f16_w64": Form("f32", "f16", "w64", instruction=True),
        "v_wmma_f32_16x16x16_bf16_w32": Form("f32", "bf16", "w32", instruction=True),
        "v_wmma_f32_16x16x16_bf16_w64": Form("f32", "bf16", "w64", instruction=True),
        "v_wmma_f16_16x16x16_f16_w32": Form("f16", "f16", "w32", instruction=True),
        "v_wmma_f16_16x16x16_f16_w64": Form("f16", "f16", "w64", instruction=True),
        "v_wmma_bf16_16x16x16_bf16_w32": Form("bf16", "bf16", "w32", instruction=True),
        "v_wmma_bf16_16x16x16_bf16_w64": Form("bf16", "bf16", "w64", instruction=True),
        "v_wmma_i32_16x16x16_iu8_w32": Form("i32", "iu8", "w32", instruction=True),
        "v_wmma_i32_16x16x16_iu8_w64": Form("i32", "iu8", "w64", instruction=True),
        "v_wmma_i32_16x16x16_iu4_w32": Form("i32", "iu4", "w32", instruction=True),
        "v_wmma_i32_16x16x16_iu4_w64": Form("i32", "iu4", "w64", instruction=True),
    }
)
"""Each instruction's name taken apart."""

TARGETS: Mapping[Architecture, str] = MappingProxyType({"rdna3": "gfx1100", "rdna3.5": "gfx1150"})
"""Architecture -> a target of it, as compilers call it."""


class Caps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An architecture, and the builtins and instructions of a device, which is held to the document on them.

    Instructions are for devices that execute them as they are written, such as emulators and circuits under
    simulation; of a device behind a compiler, whose kernels have builtins, there are none.

    The architecture is explicit because later ones keep the names and change the layouts, and because what clamp does
    may hang on it (RDNA3-AMB-04).
    """

    architecture: Architecture = "rdna3"
    builtins: tuple[BuiltinName, ...] = tuple(FORMS)
    instructions: tuple[InstructionName, ...] = ()

    @property
    def in_reach(self) -> tuple[BuiltinName, ...]:
        """The builtins that programs can have, each once."""
        return tuple(dict.fromkeys(self.builtins))

    @property
    def instructions_in_reach(self) -> tuple[InstructionName, ...]:
        """The instructions that programs can have, each once."""
        return tuple(dict.fromkeys(self.instructions))

    @property
    def forms(self) -> tuple[Form, ...]:
        """The builtins that programs can have, then the instructions, taken apart."""
        builtins = tuple(FORMS[name] for name in self.in_reach)
        return (*builtins, *(INSTRUCTIONS[name] for name in self.instructions_in_reach))


DEFAULT_CAPS = Caps()
"""Those of a device behind a compiler: every builtin, and no instruction."""

BELOW_COMPILERS = Caps(builtins=(), instructions=tuple(INSTRUCTIONS))
"""Those of an emulator or a circuit: every instruction, and no builtin."""
