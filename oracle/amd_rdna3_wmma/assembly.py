"""An instruction as a line of assembly, and as the statement of a HIP kernel that has just that line in it."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.register_kernels.names import Names
from mmaspec.programs.amd_rdna3_wmma.instruction import Bits3, VWmma

INVERSE_2PI = "0.15915494309189532"
"""1/(2*pi) in as many digits as an assembler wants to know it by."""


def statement(step: VWmma, names: Names) -> str:
    """The instruction for a compiler to put registers into; D is written while A and B are read."""
    a, b, d = (names.fragments[name] for name in (step.a, step.b, step.d))
    factors = f'"v"({a}), "v"({b})'
    if step.c == step.d:
        return f'asm volatile("{line(step, "%0")}" : "+&v"({d}) : {factors});'
    if step.c is None:
        constant = INVERSE_2PI if step.inline == "1/(2*pi)" else str(step.inline)
        return f'asm volatile("{line(step, constant)}" : "=&v"({d}) : {factors});'
    return f'asm volatile("{line(step, "%3")}" : "=&v"({d}) : {factors}, "v"({names.fragments[step.c]}));'


def line(step: VWmma, c: str) -> str:
    """The line with places for D, A and B; modifiers that are not set are left out."""
    return " ".join((f"{step.opcode} %0, %1, %2, {c}", *modifiers(step)))


def modifiers(step: VWmma) -> Iterator[str]:
    """Those that are set, as an assembler takes them."""
    bits: tuple[tuple[str, Bits3], ...] = (
        ("op_sel", step.op_sel),
        ("neg_lo", step.neg_lo),
        ("neg_hi", step.neg_hi),
    )
    for name, (a, b, c) in bits:
        if a or b or c:
            yield f"{name}:[{a:d},{b:d},{c:d}]"
    if step.clamp:
        yield "clamp"
