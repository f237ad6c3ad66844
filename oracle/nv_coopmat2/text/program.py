"""A program as a GLSL compute shader that uses GL_KHR_cooperative_matrix and GL_NV_cooperative_matrix2."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.nv_coopmat2.program_support import workgroup_of
from mmaspec.oracle.nv_coopmat2.text.arguments import Speller
from mmaspec.oracle.nv_coopmat2.text.decoding import EXTENSION, decode_functions, definitions, key_of
from mmaspec.oracle.nv_coopmat2.text.glsl_names import (
    BARRIER,
    BFLOAT16,
    COMPONENTS,
    EXTENSIONS,
    LAYOUTS,
    SATURATING_OPERANDS,
    constant,
)
from mmaspec.oracle.nv_coopmat2.text.layouts import declarations, varies
from mmaspec.oracle.nv_coopmat2.text.operations import (
    components_text,
    function_definitions,
    functions,
    operation_text,
    scalar_text,
    type_of,
)
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    SATURATING,
    Barrier,
    Branch,
    CoopMatProgram,
    EachComponent,
    Load,
    LoadTensor,
    MulAdd,
    Operation,
    Repeat,
    Simple,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.programs.outside import outside_loops

SUBGROUP = 32
"""Invocations of a subgroup in the printed shader; a device with other subgroups changes this number."""


def text(program: CoopMatProgram, caps: CoopMatCaps) -> str:
    """The shader: one binding per buffer and element type, one scope instance per wave."""
    speller = Speller(program)
    decoding, called = decode_functions(program), functions(program)
    bfloat16 = any(matrix.component == "bf16" for matrix in program.matrices)
    extensions = (*EXTENSIONS, *([EXTENSION] if decoding else []), *([BFLOAT16] if bfloat16 else []))
    main = list(_main(program, speller))  # first, as it finds out which array types are used
    lines = [
        "#version 460",
        *(f"#extension {name} : require" for name in extensions),
        "",
        *_sizes(program, caps),
        *speller.declarations(),
        *_misplaced(program),
        "",
        *definitions(decoding),
        *function_definitions(called),
        "void main()",
        "{",
        *(f"    {line}" if line else "" for line in (*speller.copies(), *main, *speller.copies(back=True))),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _misplaced(program: CoopMatProgram) -> Iterator[str]:
    """Matrices in storage that cannot hold any."""
    for matrix in program.matrices:
        declared = f"{type_of(matrix)} {matrix.name};"
        if matrix.storage in ("uniform", "buffer"):
            yield f"{matrix.storage} Block_of_{matrix.name} {{ {declared} }};"
        elif matrix.storage:
            yield f"{matrix.storage} {declared}"


def _sizes(program: CoopMatProgram, caps: CoopMatCaps) -> Iterator[str]:
    """The workgroup: one subgroup per wave, or as many invocations as workgroup matrices need."""
    if any(matrix.scope == "workgroup" for matrix in program.matrices):
        invocations = workgroup_of(program, caps) or 128  # those of a near miss are anybody's guess
        yield f"layout(local_size_x = {invocations}) in;  // dispatch {program.waves} workgroup(s)"
    else:
        yield f"layout(local_size_x = {SUBGROUP * program.waves}) in;  // {program.waves} subgroup(s) of {SUBGROUP}"
    yield ""


def _main(program: CoopMatProgram, speller: Speller) -> Iterator[str]:
    workgroup = any(matrix.scope == "workgroup" for matrix in program.matrices)
    yield f"const uint wave = {'gl_WorkGroupID.x' if workgroup else 'gl_SubgroupID'};"
    if varies(program):
        yield "const uint i = 0;"
    yield ""
    for matrix in program.matrices:
        if not matrix.storage:
            yield f"{type_of(matrix)} {matrix.name};"
    yield from declarations(program, speller)
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            yield f"for (uint i = 0; i < {instruction.count}; ++i) {{"
            yield from (f"    {line}" for line in declarations(program, speller, again=True))
            for nested in instruction.body:
                yield from (f"    {line}" for line in _instruction(program, nested, speller))
            yield "}"
        elif isinstance(instruction, Branch):
            yield f"if ({speller.unsigned(instruction.taken)} != 0) {{"
            for nested in instruction.body:
                yield from (f"    {line}" for line in _instruction(program, outside_loops(nested), speller))
            yield "}"
        else:
            yield from _instruction(program, outside_loops(instruction), speller)


def _instruction(program: CoopMatProgram, instruction: Simple, speller: Speller) -> Iterator[str]:
    if isinstance(instruction, Barrier):
        yield BARRIER
        return
    if isinstance(instruction, MulAdd):
        c = instruction.c or f"{type_of(program.matrix(instruction.result))}(0)"
        operands = {0: "", SATURATING: f", {SATURATING_OPERANDS}"}.get(
            instruction.operands, f", {instruction.operands}"
        )
        yield f"{instruction.result} = coopMatMulAdd({instruction.a}, {instruction.b}, {c}{operands});"
        return
    if isinstance(instruction, EachComponent):
        yield components_text(program, instruction, speller)
        return
    if isinstance(instruction, Operation):
        yield operation_text(program, instruction, speller)
        return
    matrix = program.matrix(instruction.matrix)
    if isinstance(instruction, Splat):
        yield f"{matrix.name} = {type_of(matrix)}({scalar_text(matrix.component, instruction.value, speller)});"
        return
    array = speller.array(instruction.buffer, instruction.array or COMPONENTS[matrix.component])
    where = f"{matrix.name}, {array}, {speller.unsigned(instruction.offset)}"
    if isinstance(instruction, Load | Store):
        name = "coopMatLoad" if isinstance(instruction, Load) else "coopMatStore"
        layout = constant(LAYOUTS, instruction.layout)
        yield f"{name}({where}, {speller.unsigned(instruction.stride)}, {layout});"
    else:
        name = "coopMatStoreTensorNV" if isinstance(instruction, StoreTensor) else "coopMatLoadTensorNV"
        yield f"{name}({', '.join((where, *_tensor_arguments(program, instruction)))});"


def _tensor_arguments(program: CoopMatProgram, access: LoadTensor | StoreTensor) -> Iterator[str]:
    """Layout, and view and decode function where there are any."""
    yield access.tensor
    if access.view is not None:
        yield access.view
    key = key_of(program, access)
    if key is not None:
        yield decode_functions(program)[key]
