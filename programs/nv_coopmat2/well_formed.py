"""Checks that a program is well-formed: names, counts and argument ranges. A program that fails here is bad input."""

from __future__ import annotations

from mmaspec.programs.base import FromBuffer, Place, Scalar
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import reads, scalars, writes
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    Branch,
    CoopMatProgram,
    EachComponent,
    LoadTensor,
    Matrix,
    PerElement,
    Simple,
    StoreTensor,
)
from mmaspec.programs.nv_coopmat2.well_formed_arrays import check_arrays
from mmaspec.programs.nv_coopmat2.well_formed_tensors import check_layouts_and_views, check_tensor_access
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import MAX_ARGUMENT, check_argument, check_frame, named, where, within

MAX_MATRIX = 1 << 16
"""Elements of one matrix: 256 x 256 or a longer shape, some times what devices report as the largest."""
MAX_EXTRAS = 8
"""Extras of a function: what it does with them is known for each, and more show nothing new."""
EXTRAS = {"triangle": (0, 0), "place": (0, 0), "add": (1, MAX_EXTRAS), "select": (1, 2)}
"""Function of ``coopMatPerElementNV`` -> fewest and most extras."""
BINDING = 16
"""Buffers are bound at multiples of so many bytes, so that offsets alone decide alignment."""


def check_well_formed(program: CoopMatProgram) -> None:
    """Raise ``BadInput`` for unknown names, and for counts or arguments out of range."""
    names = {
        "matrix": [matrix.name for matrix in program.matrices],
        "layout": [layout.name for layout in program.layouts],
        "view": [view.name for view in program.views],
    }
    check_frame(program, alignment=BINDING, names=names, least_passes=0)
    for number, branch in enumerate(program.body):
        if isinstance(branch, Branch):
            taken = branch.taken if isinstance(branch.taken, int) else -1  # not resolved
            within(where(Place((number,))), "a condition", taken, 0, MAX_ARGUMENT)
    for matrix in program.matrices:
        _check_matrix(matrix)
    if len({matrix.scope for matrix in program.matrices}) > 1:
        raise BadInput("program: matrices of several scopes; all of a program's matrices have one scope here")
    check_layouts_and_views(program)
    check_arrays(program)
    for place, instruction, passes in walk(program):
        _check_instruction(program, instruction, passes, where(place))


def _check_matrix(matrix: Matrix) -> None:
    if matrix.rows < 1 or matrix.cols < 1 or matrix.rows * matrix.cols > MAX_MATRIX:
        raise BadInput(f"matrix {matrix.name}: {matrix.rows}x{matrix.cols}; expected 1 to {MAX_MATRIX} elements")


def _check_instruction(program: CoopMatProgram, instruction: Simple, passes: int, at: str) -> None:
    made = writes(instruction)
    for name in (*reads(instruction), *(() if made is None else (made,))):
        named(at, "matrix", name, (matrix.name for matrix in program.matrices))
    for name, scalar in scalars(instruction):
        _check_scalar(program, name, scalar, at)
    if isinstance(instruction, EachComponent) and (instruction.value is None) != (instruction.function == "negate"):
        wanted = "no value" if instruction.function == "negate" else "a value"
        raise BadInput(f"{at}: a loop over components that is to {instruction.function}; expected {wanted}")
    if isinstance(instruction, PerElement):
        _check_function(program, instruction, at)
    if not isinstance(instruction, Access):
        return
    named(at, "buffer", instruction.buffer, (buffer.name for buffer in program.buffers))
    check_argument(at, "argument", instruction.offset, program.waves, passes, 0, MAX_ARGUMENT)
    if isinstance(instruction, LoadTensor | StoreTensor):
        check_tensor_access(program, instruction, at)
    else:
        check_argument(at, "argument", instruction.stride, program.waves, passes, 0, MAX_ARGUMENT)


def _check_scalar(program: CoopMatProgram, name: str, scalar: Scalar, at: str) -> None:
    fmt = format_named(program.matrix(name).component)
    if not isinstance(scalar, FromBuffer):
        if not 0 <= scalar.bits <= fmt.mask:
            raise BadInput(f"{at}: bits {scalar.bits}; expected {fmt.bits} bits")
        return
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    named(at, "buffer", scalar.buffer, sizes)
    if scalar.offset < 0 or scalar.offset % fmt.nbytes or scalar.offset + fmt.nbytes > sizes[scalar.buffer]:
        raise BadInput(
            f"{at}: scalar at byte {scalar.offset} of a view of {sizes[scalar.buffer]}; "
            f"expected a multiple of {fmt.nbytes} inside it"
        )


def _check_function(program: CoopMatProgram, call: PerElement, at: str) -> None:
    """Check the extras of an element function: their number, and that scalars have the component type."""
    function, component = call.function, program.matrix(call.matrix).component
    least, most = EXTRAS[function.name]
    if not least <= len(function.extras) <= most:
        raise BadInput(f"{at}: function {function.name} of {len(function.extras)} extras; expected {least} to {most}")
    for extra, kind in zip(call.extras, function.extras, strict=False):
        if not isinstance(extra, str) and kind not in (None, component):
            raise BadInput(f"{at}: a scalar extra of type {kind}; expected the component type, {component}")
