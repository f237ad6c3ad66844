"""The programs that a compiler or assembler for RDNA3 refuses: unknown builtins, wrong arguments and modifiers."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.amd_rdna3_wmma.program import FromBuffer, Repeat, VWmma, Wmma, WmmaProgram

_CALLS = {
    ("f32", "f16"): ("half16", {"w32": "float8", "w64": "float4"}),
    ("f32", "bf16"): ("short16", {"w32": "float8", "w64": "float4"}),
    ("f16", "f16"): ("half16", {"w32": "half16", "w64": "half8"}),
    ("bf16", "bf16"): ("short16", {"w32": "short16", "w64": "short8"}),
    ("i32", "iu8"): ("int4", {"w32": "int8", "w64": "int4"}),
    ("i32", "iu4"): ("int2", {"w32": "int8", "w64": "int4"}),
}
"""Formats of results and operands -> vector of A and B, and vector of C and D by wave size."""

_NARROW = (("f16", "f16"), ("bf16", "bf16"))
"""Those that take OPSEL, and have tied forms."""


def broken(program: WmmaProgram) -> set[str]:
    """The clauses that any call of the program breaks."""
    found: set[str] = set()
    for instruction in program.body:
        for step in instruction.body if isinstance(instruction, Repeat) else (instruction,):
            if isinstance(step, Wmma):
                found.update(_call(step, program))
            elif isinstance(step, VWmma):
                found.update(_modifiers(step))
    return found


def _call(call: Wmma, program: WmmaProgram) -> Iterator[str]:
    parts = call.builtin.split("_")
    tied = parts[3:4] == ["tied"]
    if tied:
        del parts[3]
    formats = (parts[0], parts[2]) if len(parts) == 4 else ("", "")
    known = formats in _CALLS and (formats in _NARROW or not tied)
    if not known:
        yield "RDNA3-OPS"
    if len(parts) == 4:
        yield from _sizes(parts[1], parts[3], program.wave_size)
        if known and parts[3] in ("w32", "w64"):
            yield from _arguments(call, program, formats, parts[3])
    if known and call.opsel is not None and formats not in _NARROW:
        yield "RDNA3-OPSEL-ONLY16"
    if known and isinstance(call.opsel, FromBuffer) and formats in _NARROW:
        yield "RDNA3-OPSEL-IMMEDIATE"
    if any(isinstance(flag, FromBuffer) for flag in (call.a_sign, call.b_sign, call.clamp)):
        yield "RDNA3-IU-IMMEDIATE"


def _modifiers(step: VWmma) -> Iterator[str]:
    result = step.opcode.split("_")[2]
    narrow, integer = result in ("f16", "bf16"), result == "i32"
    if step.op_sel not in ((False, False, False), (False, False, narrow)):
        yield "RDNA3-OPSEL-BITS"
    if step.clamp and not integer:
        yield "RDNA3-FP-CLAMP"
    if integer and True in (step.neg_lo[2], *step.neg_hi):
        yield "RDNA3-IU-NEG-ZERO"


def _sizes(shape: str, wave: str, compiled_for: int) -> Iterator[str]:
    if shape != "16x16x16" or wave not in ("w32", "w64"):
        yield "RDNA3-SHAPE"
    if wave in ("w32", "w64") and wave != f"w{compiled_for}":
        yield "RDNA3-WAVE-SIZE"


def _arguments(call: Wmma, program: WmmaProgram, formats: tuple[str, str], wave: str) -> Iterator[str]:
    declared = {fragment.name: f"{fragment.element}{fragment.count}" for fragment in program.fragments}
    operand, accumulators = _CALLS[formats]
    wanted = {call.a: operand, call.b: operand, call.d: accumulators[wave]}
    if call.c is not None:
        wanted[call.c] = accumulators[wave]
    given = [flag is not None for flag in (call.a_sign, call.b_sign, call.clamp)]
    flags = given == [formats[0] == "i32"] * 3 and (call.opsel is not None or formats not in _NARROW)
    if not flags or any(declared[name] != vector for name, vector in wanted.items()):
        yield "RDNA3-SIG"
