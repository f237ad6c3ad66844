"""Whether a program can be read at all: names, counts and argument ranges. What fails here is a bad file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmaspec.oracle.nv_coopmat2.matrices.operands import reads, scalars, writes
from mmaspec.programs.base import Affine, FromBuffer, Index, RunTime, Scalar, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    CoopMatProgram,
    LoadTensor,
    PerElement,
    Repeat,
    Simple,
    StoreTensor,
)
from mmaspec.programs.nv_coopmat2.well_formed_tensors import check_layouts_and_views, check_tensor_access

MOST_WAVES = 64
MOST_PASSES = 1024
MOST_ELEMENTS = 1 << 16
"""Most elements of one matrix."""
MOST_EXTRAS = 8
EXTRAS = {"triangle": (0, 0), "place": (0, 0), "add": (1, MOST_EXTRAS), "select": (1, 1)}
"""Function of ``coopMatPerElementNV`` -> fewest and most extras."""
BINDING = 16
"""Buffers are bound at multiples of so many bytes, so that offsets alone decide alignment."""


def check_names(program: CoopMatProgram) -> None:
    """Raise ``BadInput`` for a program that means nothing: unknown names, counts or arguments out of range."""
    _check_declarations(program)
    for number, instruction in enumerate(program.body):
        where = f"program: instruction {number + 1}"
        if isinstance(instruction, Repeat):
            if not 1 <= instruction.count <= MOST_PASSES:
                raise BadInput(f"{where}: {instruction.count} passes; expected 1 to {MOST_PASSES}")
            for inner, nested in enumerate(instruction.body):
                _check_instruction(program, nested, instruction.count, f"{where}.{inner + 1}")
        else:
            _check_instruction(program, instruction, 1, where)


def _check_declarations(program: CoopMatProgram) -> None:
    if not 1 <= program.waves <= MOST_WAVES:
        raise BadInput(f"program: {program.waves} waves; expected 1 to {MOST_WAVES}")
    for what, names in (
        ("buffer", [buffer.name for buffer in program.buffers]),
        ("matrix", [matrix.name for matrix in program.matrices]),
        ("layout", [layout.name for layout in program.layouts]),
        ("view", [view.name for view in program.views]),
    ):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadInput(f"program: {what} {twice[0]!r} is declared twice")
    for buffer in program.buffers:
        if buffer.size < 0 or buffer.base < 0 or buffer.base % BINDING:
            raise BadInput(
                f"buffer {buffer.name}: size {buffer.size}, base {buffer.base}; "
                f"expected a size from 0 and a base that is a multiple of {BINDING}"
            )
    for matrix in program.matrices:
        if matrix.rows < 1 or matrix.cols < 1 or matrix.rows * matrix.cols > MOST_ELEMENTS:
            raise BadInput(f"matrix {matrix.name}: {matrix.rows}x{matrix.cols}; expected 1 to {MOST_ELEMENTS} elements")
    if len({matrix.scope for matrix in program.matrices}) > 1:
        raise BadInput("program: matrices of several scopes; all of a program's matrices have one scope here")
    _check_layouts(program)


def _check_layouts(program: CoopMatProgram) -> None:
    passes = max((body.count for body in program.body if isinstance(body, Repeat)), default=1)

    def check(found: Iterable[Index], where: str, lowest: int) -> None:
        _check_arguments(program, found, max(passes, 1), where, lowest)

    check_layouts_and_views(program, check)


def _check_instruction(program: CoopMatProgram, instruction: Simple, passes: int, where: str) -> None:
    matrices = {matrix.name for matrix in program.matrices}
    buffers = {buffer.name for buffer in program.buffers}
    made = writes(instruction)
    for name in (*reads(instruction), *(() if made is None else (made,))):
        if name not in matrices:
            raise BadInput(f"{where}: no matrix named {name!r}; there are {_list(matrices)}")
    for name, scalar in scalars(instruction):
        _check_scalar(program, name, scalar, where)
    if isinstance(instruction, PerElement):
        _check_function(program, instruction, where)
    if not isinstance(instruction, Access):
        return
    if instruction.buffer not in buffers:
        raise BadInput(f"{where}: no buffer named {instruction.buffer!r}; there are {_list(buffers)}")
    _check_arguments(program, (instruction.offset,), passes, where, 0)
    if isinstance(instruction, LoadTensor | StoreTensor):
        check_tensor_access(program, instruction, where)
    else:
        _check_arguments(program, (instruction.stride,), passes, where, 0)


def _check_scalar(program: CoopMatProgram, name: str, scalar: Scalar, where: str) -> None:
    fmt = format_named(program.matrix(name).component)
    if not isinstance(scalar, FromBuffer):
        if not 0 <= scalar.bits <= fmt.mask:
            raise BadInput(f"{where}: bits {scalar.bits}; expected {fmt.bits} bits")
        return
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    if scalar.buffer not in sizes:
        raise BadInput(f"{where}: no buffer named {scalar.buffer!r}; there are {_list(sizes)}")
    if scalar.offset < 0 or scalar.offset % fmt.nbytes or scalar.offset + fmt.nbytes > sizes[scalar.buffer]:
        raise BadInput(
            f"{where}: scalar at byte {scalar.offset} of a view of {sizes[scalar.buffer]}; "
            f"expected a multiple of {fmt.nbytes} inside it"
        )


def _check_arguments(program: CoopMatProgram, found: Iterable[Index], passes: int, where: str, lowest: int) -> None:
    for argument in found:
        for value in _extremes(argument, program.waves, passes, where):
            if not lowest <= value < 1 << 32:
                raise BadInput(f"{where}: argument {value}; expected {lowest} to {(1 << 32) - 1}")


def _extremes(argument: Index, waves: int, passes: int, where: str) -> Iterator[int]:
    """The values of an argument in the corner waves and passes: it is affine, so nothing is beyond them."""
    if isinstance(argument, RunTime):
        raise BadInput(f"{where}: argument read from {argument.buffer} is not resolved")
    if not isinstance(argument, Affine):
        yield argument
        return
    for wave in (0, waves - 1):
        for loop in (0, passes - 1):
            yield at(argument, wave, loop)


def _check_function(program: CoopMatProgram, call: PerElement, where: str) -> None:
    """What a function does is known for so many extras; scalars among them have the component type."""
    function, component = call.function, program.matrix(call.matrix).component
    least, most = EXTRAS[function.name]
    if not least <= len(function.extras) <= most:
        raise BadInput(
            f"{where}: function {function.name} of {len(function.extras)} extras; expected {least} to {most}"
        )
    for extra, kind in zip(call.extras, function.extras, strict=False):
        if not isinstance(extra, str) and kind not in (None, component):
            raise BadInput(f"{where}: a scalar extra of type {kind}; expected the component type, {component}")


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
