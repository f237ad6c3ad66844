"""A program as a HIP kernel that a reader can compile for the architecture."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.amd_rdna3_wmma import assembly
from mmaspec.oracle.amd_rdna3_wmma.names import TAKEN
from mmaspec.oracle.register_kernels.kernel_text import body_text, index_text
from mmaspec.oracle.register_kernels.names import Names, names_of
from mmaspec.programs.amd_rdna3_wmma.caps import TARGETS, Caps
from mmaspec.programs.amd_rdna3_wmma.program import (
    Fill,
    Flag,
    Fragment,
    Load,
    Plain,
    Store,
    VWmma,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.base import FromBuffer

_SCALAR = {"half": "_Float16", "short": "short", "float": "float", "int": "int"}


def text(program: WmmaProgram, caps: Caps) -> str:
    """The kernel, its vector types, and how it is launched."""
    return "\n".join(_lines(program, caps)) + "\n"


def _lines(program: WmmaProgram, caps: Caps) -> Iterator[str]:
    mode = " -mwavefrontsize64" if program.wave_size == 64 else ""
    yield f"// hipcc --offload-arch={TARGETS[caps.architecture]}{mode}"
    yield "#include <hip/hip_runtime.h>"
    vectors = {(fragment.type_name, fragment.element, fragment.count) for fragment in program.fragments}
    for name, element, count in sorted(vectors):
        yield f"typedef {_SCALAR[element]} wmma_{name} __attribute__((ext_vector_type({count})));"
    yield ""
    yield f"// launched with one block of {program.waves * program.wave_size} threads"
    names = names_of(program, TAKEN, "wmma_")
    arguments = ", ".join(f"char* {names.buffers[buffer.name]}" for buffer in program.buffers)
    yield f'extern "C" __global__ void kernel({arguments})'
    yield "{"
    yield f"  const unsigned wave = threadIdx.x / {program.wave_size};"
    yield f"  const unsigned lane = threadIdx.x % {program.wave_size};"
    for fragment in program.fragments:
        start = "" if fragment.fill is None else f" = {_constant(fragment, fragment.fill)}"
        yield f"  wmma_{fragment.type_name} {names.fragments[fragment.name]}{start};"
    yield from body_text(program, "unsigned", lambda step: _statement(program, step, names))
    yield "}"


def _constant(fragment: Fragment, bits: int) -> str:
    if bits == 0:
        return f"(wmma_{fragment.type_name}){{}}"
    if fragment.use != "cd" and fragment.element == "int":
        bits *= 0xFFFFFFFF // ((1 << fragment.element_bits) - 1)
    width = {"half": "unsigned short", "short": "unsigned short"}.get(fragment.element, "unsigned")
    scalar = f"__builtin_bit_cast({_SCALAR[fragment.element]}, ({width}){bits:#x})"
    return f"(wmma_{fragment.type_name})({scalar})"


def _word(buffer: str, offset: int) -> str:
    return f"*(const unsigned*)({buffer} + {offset})"


def _vectors(program: WmmaProgram, fragment: Fragment, access: Load | Store, names: Names) -> str:
    block = index_text(access.block, names, _word)
    return f"((wmma_{fragment.type_name}*){names.buffers[access.buffer]})[({block}) * {program.wave_size} + lane]"


def _flag(flag: Flag, names: Names) -> str:
    if isinstance(flag, FromBuffer):
        return f"{_word(names.buffers[flag.buffer], flag.offset)} != 0"
    return "true" if flag else "false"


def _statement(program: WmmaProgram, step: Plain, names: Names) -> str:
    words = names.fragments
    if isinstance(step, Load):
        fragment = program.fragment(step.into)
        data = [" ".join(name.split()) for name in (step.data, step.high) if name]
        note = f"  // {', '.join(data)}" if data else ""
        return f"{words[step.into]} = {_vectors(program, fragment, step, names)};{note}"
    if isinstance(step, Fill):
        return f"{words[step.into]} = {_constant(program.fragment(step.into), step.bits)};"
    if isinstance(step, Store):
        fragment = program.fragment(step.fragment)
        return f"{_vectors(program, fragment, step, names)} = {words[step.fragment]};"
    if isinstance(step, VWmma):
        return assembly.statement(step, names)
    return f"{words[step.d]} = __builtin_amdgcn_wmma_{step.builtin}({', '.join(_arguments(program, step, names))});"


def _arguments(program: WmmaProgram, step: Wmma, names: Names) -> Iterator[str]:
    """In the order of the form: floats (A, B, C) and perhaps OPSEL, integers (A_sign, A, B_sign, B, C, clamp)."""
    a, b = names.fragments[step.a], names.fragments[step.b]
    c = f"(wmma_{program.fragment(step.d).type_name}){{}}" if step.c is None else names.fragments[step.c]
    ordered = ((step.a_sign, None), (None, a), (step.b_sign, None), (None, b), (None, c), (step.clamp, None))
    for flag, name in ordered:
        if name is not None:
            yield name
        elif flag is not None:
            yield _flag(flag, names)
    if step.opsel is not None:
        yield _flag(step.opsel, names)
