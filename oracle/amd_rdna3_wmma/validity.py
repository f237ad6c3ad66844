"""What the document and the compiler refuse: one function a clause."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.amd_rdna3_wmma.builtins import COMBINATIONS, Builtin, parse
from mmaspec.oracle.amd_rdna3_wmma.caps_support import check_in_reach
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Wmma, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.tree import unrolled

Call = tuple[Wmma, Builtin | None]


def _shape(call: Call, _: WmmaProgram) -> bool:
    """RDNA3-SHAPE: M, N and K are 16, and a wave has 32 or 64 lanes; no builtin has any other size."""
    builtin = call[1]
    return builtin is not None and (builtin.shape != (16, 16, 16) or builtin.wave_size not in (32, 64))


def _ops(call: Call, _: WmmaProgram) -> bool:
    """RDNA3-OPS: six pairs of an accumulator format and an operand format exist, nothing else."""
    builtin = call[1]
    return builtin is None or (builtin.accumulator, builtin.operand) not in COMBINATIONS


def _wave_size(call: Call, program: WmmaProgram) -> bool:
    """RDNA3-WAVE-SIZE: the w32 forms exist in kernels of wave32 mode, the w64 forms in those of wave64 mode."""
    builtin = call[1]
    return builtin is not None and builtin.wave_size in (32, 64) and builtin.wave_size != program.wave_size


def _signature(call: Call, program: WmmaProgram) -> bool:
    """RDNA3-SIG: the arguments are vectors of fixed element and length; integer forms, and only they, take flags."""
    wmma, builtin = call
    if builtin is None or _ops(call, program) or builtin.wave_size not in (32, 64):
        return False
    operands = [program.fragment(name) for name in (wmma.a, wmma.b)]
    accumulators = [program.fragment(name) for name in (wmma.c, wmma.d) if name is not None]
    flags = [flag is not None for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp)]
    return (
        any((fragment.element, fragment.count) != builtin.operand_vector for fragment in operands)
        or any((fragment.element, fragment.count) != builtin.accumulator_vector for fragment in accumulators)
        or any(given != builtin.integer for given in flags)
    )


def _opsel(call: Call, program: WmmaProgram) -> bool:
    """RDNA3-OPSEL-ONLY16: OPSEL is an argument of the forms with 16-bit C and D only."""
    wmma, builtin = call
    sixteen = builtin is not None and not _ops(call, program) and builtin.accumulator in ("f16", "bf16")
    return wmma.opsel is not None and not sixteen


def _immediate(call: Call, _: WmmaProgram) -> bool:
    """RDNA3-IU-IMMEDIATE: sign flags and clamp are constants of the instruction, not values of the kernel."""
    wmma = call[0]
    return any(isinstance(flag, FromBuffer) for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp))


_REJECTED: dict[str, Callable[[Call, WmmaProgram], bool]] = {
    "RDNA3-SHAPE": _shape,
    "RDNA3-OPS": _ops,
    "RDNA3-WAVE-SIZE": _wave_size,
    "RDNA3-SIG": _signature,
    "RDNA3-OPSEL-ONLY16": _opsel,
    "RDNA3-IU-IMMEDIATE": _immediate,
}


def rejected(program: WmmaProgram, caps: Caps) -> frozenset[str]:
    """Every validity clause that the program breaks."""
    check_well_formed(program, caps)
    check_in_reach(program, caps)
    calls = [(step, parse(step.builtin)) for _, step in unrolled(program) if isinstance(step, Wmma)]
    return frozenset(clause for clause, broken in _REJECTED.items() if any(broken(call, program) for call in calls))
