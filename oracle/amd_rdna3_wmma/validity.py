"""Validity, by the document and the compiler: one function for each clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin
from mmaspec.oracle.amd_rdna3_wmma.caps_support import check_in_reach
from mmaspec.oracle.amd_rdna3_wmma.rule_context import Context
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Wmma, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed
from mmaspec.programs.base import FromBuffer

WAVE_SIZES = (32, 64)


def shape(context: Context) -> bool:
    """RDNA3-SHAPE: M, N and K are 16, and a wave has 32 or 64 lanes; no builtin has any other size."""
    return any(
        builtin is not None and (builtin.shape != (16, 16, 16) or builtin.wave_size not in WAVE_SIZES)
        for _, builtin in context.calls
    )


def ops(context: Context) -> bool:
    """RDNA3-OPS: six pairs of an accumulator format and an operand format exist, nothing else; two also tied."""
    return any(builtin is None or not builtin.joined for _, builtin in context.calls)


def wave_size(context: Context) -> bool:
    """RDNA3-WAVE-SIZE: the w32 forms exist in kernels of wave32 mode, the w64 forms in those of wave64 mode."""
    return any(
        builtin is not None and builtin.wave_size in WAVE_SIZES and builtin.wave_size != context.program.wave_size
        for _, builtin in context.calls
    )


def signature(context: Context) -> bool:
    """RDNA3-SIG: the arguments are vectors of fixed element and length, and the flags of the form, all of them.

    Integer forms, and only they, take signs and clamp. Forms with 16-bit C and D take OPSEL; that no other one does is
    RDNA3-OPSEL-ONLY16.
    """
    return any(
        builtin is not None
        and builtin.joined
        and builtin.wave_size in WAVE_SIZES
        and _other_signature(context.program, wmma, builtin)
        for wmma, builtin in context.calls
    )


def _other_signature(program: WmmaProgram, wmma: Wmma, builtin: Builtin) -> bool:
    operands = [program.fragment(name) for name in (wmma.a, wmma.b)]
    accumulators = [program.fragment(name) for name in (wmma.c, wmma.d) if name is not None]
    flags = [flag is not None for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp)]
    return (
        any((fragment.element, fragment.count) != builtin.operand_vector for fragment in operands)
        or any((fragment.element, fragment.count) != builtin.accumulator_vector for fragment in accumulators)
        or any(given != builtin.integer for given in flags)
        or (builtin.halves and wmma.opsel is None)
    )


def opsel(context: Context) -> bool:
    """RDNA3-OPSEL-ONLY16: OPSEL is an argument of the forms with 16-bit C and D only."""
    return any(
        wmma.opsel is not None and builtin is not None and builtin.joined and not builtin.halves
        for wmma, builtin in context.calls
    )


def opsel_immediate(context: Context) -> bool:
    """RDNA3-OPSEL-IMMEDIATE: where OPSEL is an argument, it is a constant of the instruction."""
    return any(
        isinstance(wmma.opsel, FromBuffer) and builtin is not None and builtin.halves for wmma, builtin in context.calls
    )


def immediate(context: Context) -> bool:
    """RDNA3-IU-IMMEDIATE: sign flags and clamp are constants of the instruction, not values of the kernel."""
    return any(
        isinstance(flag, FromBuffer) for wmma, _ in context.calls for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp)
    )


def opsel_bits(context: Context) -> bool:
    """RDNA3-OPSEL-BITS: of an instruction's OPSEL bits there is only the third one, and only with 16-bit C and D."""
    return any(any(step.op_sel[:2]) or (step.op_sel[2] and not step.halves) for step in context.instructions)


def float_clamp(context: Context) -> bool:
    """RDNA3-FP-CLAMP: instructions on floats have no clamp."""
    return any(step.clamp and not step.integer for step in context.instructions)


def integer_neg(context: Context) -> bool:
    """RDNA3-IU-NEG-ZERO: in instructions on integers the NEG bit of C and all of NEG_HI are zero."""
    return any(step.integer and (step.neg_lo[2] or any(step.neg_hi)) for step in context.instructions)


RULES: Mapping[str, Callable[[Context], bool]] = MappingProxyType(
    {
        "RDNA3-SHAPE": shape,
        "RDNA3-OPS": ops,
        "RDNA3-WAVE-SIZE": wave_size,
        "RDNA3-SIG": signature,
        "RDNA3-OPSEL-ONLY16": opsel,
        "RDNA3-OPSEL-IMMEDIATE": opsel_immediate,
        "RDNA3-IU-IMMEDIATE": immediate,
        "RDNA3-OPSEL-BITS": opsel_bits,
        "RDNA3-FP-CLAMP": float_clamp,
        "RDNA3-IU-NEG-ZERO": integer_neg,
    }
)
"""Clause -> whether a program breaks it."""


def rejected(program: WmmaProgram, caps: Caps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks; ``BadInput`` if it is no program."""
    check_well_formed(program)
    check_in_reach(program, caps)
    return broken(RULES, Context(program, caps))
