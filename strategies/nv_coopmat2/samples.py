"""The document's own examples as parts of programs, their slips corrected.

What was changed:

- setters are spelt ``setTensorLayoutDimensions``, ``setTensorLayoutBlockSize`` and without NV in the examples; the
  calls are ``setTensorLayoutDimensionNV`` and ``setTensorLayoutBlockSizeNV``. Prose and constants that lack NV
  (``gl_CooperativeMatrixClampModeUndefined``, ``gl_CooperativeMatrixReduceRow``) mean the ones with it.
- the plain load that the first two replace is ``coopMatLoad``, not ``coopmatLoad``.
- ``hasDim`` and ``hasDimensions`` are one member, and the functions with a view take that view, which two of them
  use without a parameter for it.
- matrices have workgroup scope and the component types of the caps row, where the examples have float16_t for all
  uses: no listed property has float16_t accumulators of workgroup scope.
- the type of a view names its permutation, as it does in the fourth example; the second one leaves it to the call.
- the decode function is only declared there; here it is one that the program can name, over a struct with a scale.

Sizes that the examples leave open are drawn. ``elementoffset`` is a multiple of 16 bytes, as it has to be.
"""

from __future__ import annotations

from math import gcd, prod

from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Decode,
    LoadTensor,
    Matrix,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetDimension,
    SetViewDimensions,
    Slice,
)
from mmaspec.strategies.nv_coopmat2.builder import LINE, Sketch
from mmaspec.strategies.nv_coopmat2.plain import store


def row_major(sketch: Sketch) -> None:
    """Load from row-major matrix: M x N elements of A at (row, col)."""
    mat = sketch.matrix(USE_A)
    row, col = _corner(sketch), _corner(sketch)
    num_rows, num_cols = row + mat.rows + _rest(sketch), col + mat.cols + _rest(sketch)
    calls = (SetDimension((num_rows, num_cols)), Slice((row, col), (mat.rows, mat.cols)))
    _load(sketch, mat, sketch.layout(calls), num_rows * num_cols)


def column_major(sketch: Sketch) -> None:
    """Load from col-major matrix: columns are the outermost dimension of the tensor, and a view swaps them back."""
    mat = sketch.matrix(USE_B)
    row, col = _corner(sketch), _corner(sketch)
    num_rows, num_cols = row + mat.rows + _rest(sketch), col + mat.cols + _rest(sketch)
    calls = (SetDimension((num_cols, num_rows)), Slice((col, row), (mat.cols, mat.rows)))
    view = sketch.view(permutation=(1, 0))
    _load(sketch, mat, sketch.layout(calls), num_rows * num_cols, view)


def patch(sketch: Sketch) -> None:
    """Load an 8x8 patch, where each element of the patch has as many channels as A has columns (32 there).

    A smaller one where the device's maximum is below 64.
    """
    rows = sketch.times(sketch.entry.m, max(1, 64 // sketch.entry.m))
    mat = sketch.typed(sketch.entry.a, rows, sketch.sizes[2], USE_A)
    row, col = _corner(sketch), _corner(sketch)
    width = gcd(rows, 8)
    image = (row + rows // width + _rest(sketch), col + width + _rest(sketch), mat.cols)
    calls = (SetDimension(image), Slice((row, col, 0), (rows // width, width, mat.cols)))
    _load(sketch, mat, sketch.layout(calls, rank=3), prod(image))


def space_to_depth(sketch: Sketch) -> None:
    """Perform 2x2 space_to_depth transform while loading from memory."""
    num_ch = sketch.entry.n // 4
    mat = sketch.typed(sketch.entry.c, sketch.entry.m, 4 * num_ch, USE_ACCUMULATOR)
    half_h = sketch.choices.one_of((4, 8))
    half_w = mat.rows // half_h
    image = (2 * half_h, 2 * half_w, num_ch)
    view = sketch.view(
        (SetViewDimensions((half_h, 2, half_w, 2, num_ch)),), rank=5, own=True, permutation=(0, 2, 1, 3, 4)
    )
    _load(sketch, mat, sketch.layout((SetDimension(image),), rank=3), prod(image), view)


def block_quantised(sketch: Sketch) -> None:
    """Issue 4: blocks of BlockRows x BlockCols in a struct S, of which M x N elements are decoded."""
    mat = sketch.matrix(USE_A)
    blocks = (sketch.choices.one_of((1, 2)), sketch.choices.one_of((8, 16)))
    row, col = _corner(sketch), _corner(sketch)
    num_rows = -(-(row + mat.rows) // blocks[0]) * blocks[0]
    num_cols = -(-(col + mat.cols) // blocks[1]) * blocks[1]
    decode: Decode = (
        ScaleAndBytes(2 + prod(blocks), blocks)
        if format_named(mat.component).is_float
        else Nibbles(prod(blocks) // 2, blocks, 8)
    )
    calls = (
        SetBlockSize(blocks),
        SetDimension((num_rows, num_cols)),
        Slice((row, col), (mat.rows, mat.cols)),
    )
    structs = num_rows * num_cols // prod(blocks)
    _load(sketch, mat, sketch.layout(calls), structs, decode=decode)


def _corner(sketch: Sketch) -> int:
    """The first row or column of the region."""
    return sketch.choices.integer(1, 4)


def _rest(sketch: Sketch) -> int:
    """Rows or columns behind the region."""
    return sketch.choices.integer(0, 3)


def _load(
    sketch: Sketch, mat: Matrix, tensor: str, elements: int, view: str | None = None, decode: Decode | None = None
) -> None:
    """The load from ``input``, where so many elements or structs lie, and a store that shows what it found."""
    width = format_named(mat.component).nbytes
    nbytes = elements * (width if decode is None else decode.struct_bytes)
    offset = sketch.region("input", -(-nbytes // LINE) * LINE) // width
    data = sketch.name("input")
    load = LoadTensor(mat.name, "input", offset, tensor, data=data, view=view, decode=decode)
    sketch.add(load, store(sketch, mat))
