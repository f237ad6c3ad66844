"""The product as an instruction: its opcode, operands and modifiers, as an assembler for gfx11 writes them."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

Opcode = Literal[
    "v_wmma_f32_16x16x16_f16",
    "v_wmma_f32_16x16x16_bf16",
    "v_wmma_f16_16x16x16_f16",
    "v_wmma_bf16_16x16x16_bf16",
    "v_wmma_i32_16x16x16_iu8",
    "v_wmma_i32_16x16x16_iu4",
]
"""The six instructions; one opcode serves both wave sizes."""
OPCODES: tuple[Opcode, ...] = get_args(Opcode)

InlineFloat = Literal["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "1/(2*pi)"]
"""The numbers that an operand can be without a register, integers from -16 to 64 apart."""
INLINE_FLOATS: tuple[InlineFloat, ...] = get_args(InlineFloat)

LEAST_INLINE, MOST_INLINE = -16, 64
"""The integers that an operand can be."""

Inline = int | InlineFloat
"""An inline constant: the bits of an integer, or a number in the format of C."""

Bits3 = tuple[bool, bool, bool]
"""A modifier's bits for A, B and C, in this order, as ``neg_lo:[1,0,0]`` has them."""

NO_BITS: Bits3 = (False, False, False)


class VWmma(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="v_wmma"):
    """``<opcode> d, a, b, c <modifiers>`` in waves of the program's size; ``c`` None is the constant ``inline``.

    In the float forms ``neg_lo`` negates the low halves of the registers of A and B, which hold the even k, and
    ``neg_hi`` the high ones; of C ``neg_hi`` takes the absolute value, and then ``neg_lo`` negates. In the integer
    forms ``neg_lo`` of A and of B says that the operand is signed. The third bit of ``op_sel`` says which halves of
    their registers C and D of 16 bits are in. What of all this an opcode does not have is not set in valid programs.
    """

    opcode: Opcode
    d: str
    a: str
    b: str
    c: str | None = None
    inline: Inline = 0
    op_sel: Bits3 = NO_BITS
    neg_lo: Bits3 = NO_BITS
    neg_hi: Bits3 = NO_BITS
    clamp: bool = False

    @property
    def result(self) -> str:
        """The format of C and D."""
        return self.opcode.split("_")[2]

    @property
    def operands(self) -> str:
        """The format of A and B."""
        return self.opcode.split("_")[4]

    @property
    def integer(self) -> bool:
        """Whether it adds up integers."""
        return self.result == "i32"

    @property
    def halves(self) -> bool:
        """Whether C and D have 16 bits an element."""
        return self.result in ("f16", "bf16")

    @property
    def a_sign(self) -> bool | None:
        """Whether integers of A are signed; None of floats."""
        return self.neg_lo[0] if self.integer else None

    @property
    def b_sign(self) -> bool | None:
        """Whether integers of B are signed; None of floats."""
        return self.neg_lo[1] if self.integer else None

    @property
    def opsel(self) -> bool | None:
        """Whether C and D of 16 bits are in the high halves; None of other formats."""
        return self.op_sel[2] if self.halves else None
