"""A program as a kernel in OpenCL C."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.intel_subgroup_mma.functions import PREFIX
from mmaspec.oracle.intel_subgroup_mma.names import TAKEN
from mmaspec.oracle.intel_subgroup_mma.packed_constant import packed_constant
from mmaspec.oracle.register_kernels.kernel_text import body_text, index_text
from mmaspec.oracle.register_kernels.names import Names, names_of
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.program import (
    Fill,
    Fragment,
    Load,
    MadProgram,
    Plain,
    Store,
)


def text(program: MadProgram, caps: Caps) -> str:
    """The kernel, the sub-group size that it requires, and how it is launched."""
    return "\n".join(_lines(program, caps)) + "\n"


def launch(program: MadProgram) -> str:
    """How the kernel is launched."""
    size = program.sub_group_size
    items = (program.waves - 1) * size + (size if program.last is None else program.last)
    return f"launched with one work-group of {items} work-items"


def _lines(program: MadProgram, caps: Caps) -> Iterator[str]:
    size = program.sub_group_size
    yield f"// OpenCL C 3.0, for a device whose minimum sub-group size is {caps.sub_group_size}"
    yield "#pragma OPENCL EXTENSION cl_intel_required_subgroup_size : enable"
    if any(fragment.component == "half" for fragment in program.fragments):
        yield "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"
    yield ""
    yield f"// {launch(program)}"
    names = names_of(program, TAKEN, "intel_")
    arguments = ", ".join(f"global char* {names.buffers[buffer.name]}" for buffer in program.buffers)
    yield f"__attribute__((intel_reqd_sub_group_size({size})))"
    yield f"kernel void matrix_mad({arguments})"
    yield "{"
    yield "  const uint wave = get_sub_group_id();"
    yield "  const uint item = get_sub_group_local_id();"
    for fragment in program.fragments:
        start = "" if fragment.fill is None else f" = {_constant(fragment, fragment.fill)}"
        yield f"  {fragment.type_name} {names.fragments[fragment.name]}{start};"
    yield from body_text(program, "uint", lambda step: _statement(program, step, names))
    yield "}"


def _constant(fragment: Fragment, bits: int) -> str:
    """One element in every place: OpenCL C spreads a scalar over a vector."""
    packed = packed_constant(fragment, bits)
    scalar = {
        "float": f"as_float({packed:#x}u)",
        "half": f"as_half((ushort){packed:#x})",
        "short": f"as_short((ushort){packed:#x})",
        "int": f"as_int({packed:#x}u)",
    }.get(fragment.component, f"({fragment.component}){packed:#x}u")
    return scalar if fragment.count == 1 else f"({fragment.type_name})({scalar})"


def _word(buffer: str, offset: int) -> str:
    return f"*(const global uint*)({buffer} + {offset})"


def _vectors(program: MadProgram, access: Load | Store, fragment: Fragment, names: Names) -> str:
    block = index_text(access.block, names, _word)
    pointer = f"(global {fragment.type_name}*){names.buffers[access.buffer]}"
    return f"({pointer})[({block}) * {program.sub_group_size} + item]"


def _statement(program: MadProgram, step: Plain, names: Names) -> str:
    words = names.fragments
    if isinstance(step, Load):
        note = f"  // {' '.join(step.data.split())}" if step.data else ""
        return f"{words[step.into]} = {_vectors(program, step, program.fragment(step.into), names)};{note}"
    if isinstance(step, Fill):
        return f"{words[step.into]} = {_constant(program.fragment(step.into), step.bits)};"
    if isinstance(step, Store):
        return f"{_vectors(program, step, program.fragment(step.fragment), names)} = {words[step.fragment]};"
    addend = _constant(program.fragment(step.d), 0) if step.c is None else words[step.c]
    call = f"{words[step.d]} = {PREFIX}{step.function}({words[step.a]}, {words[step.b]}, {addend});"
    return call if step.converged else f"if (item == 0) {call}"
