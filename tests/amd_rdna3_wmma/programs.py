"""Programs written out by hand, for the tests of this specification."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.program import Buffer, Fragment, Load, Store, Wmma, WmmaProgram


def product(builtin: str = "f32_16x16x16_f16_w32") -> WmmaProgram:
    """D = A*B + C in one wave, each fragment loaded from its own block."""
    lanes = 64 if builtin.endswith("w64") else 32
    integer = builtin.startswith("i32")
    operand, slots = ("int", 4) if integer else ("half", 16)
    accumulator, rows = ("int" if integer else "float"), 256 // lanes
    block = lanes * slots * (4 if integer else 2)
    flags = {"a_sign": True, "b_sign": False, "clamp": False} if integer else {}
    return WmmaProgram(
        wave_size=lanes,  # type: ignore[arg-type]
        buffers=(Buffer("in", 2 * block), Buffer("addend", 1024), Buffer("out", 1024)),
        fragments=(
            Fragment("a", "a", operand, slots),  # type: ignore[arg-type]
            Fragment("b", "b", operand, slots),  # type: ignore[arg-type]
            Fragment("c", "cd", accumulator, rows),  # type: ignore[arg-type]
            Fragment("d", "cd", accumulator, rows),  # type: ignore[arg-type]
        ),
        body=(
            Load("a", "in", 0, "A"),
            Load("b", "in", 1, "B"),
            Load("c", "addend", 0, "C"),
            Wmma(builtin, "d", "a", "b", "c", **flags),  # type: ignore[arg-type]
            Store("d", "out", 0),
        ),
    )
