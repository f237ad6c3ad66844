"""The document's own examples as parts of programs, with their mistakes corrected.

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
from mmaspec.programs.nv_coopmat2.caps import FlexibleSize
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
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import store


def row_major(builder: ProgramBuilder) -> None:
    """Load from row-major matrix: M x N elements of A at (row, col)."""
    mat = builder.matrix(USE_A)
    row, col = _corner(builder), _corner(builder)
    num_rows, num_cols = row + mat.rows + _rest(builder), col + mat.cols + _rest(builder)
    calls = (SetDimension((num_rows, num_cols)), Slice((row, col), (mat.rows, mat.cols)))
    _load(builder, mat, builder.layout(calls), num_rows * num_cols)


def column_major(builder: ProgramBuilder) -> None:
    """Load from col-major matrix: columns are the outermost dimension of the tensor, and a view swaps them back."""
    mat = builder.matrix(USE_B)
    row, col = _corner(builder), _corner(builder)
    num_rows, num_cols = row + mat.rows + _rest(builder), col + mat.cols + _rest(builder)
    calls = (SetDimension((num_cols, num_rows)), Slice((col, row), (mat.cols, mat.rows)))
    view = builder.view(permutation=(1, 0))
    _load(builder, mat, builder.layout(calls), num_rows * num_cols, view)


def patch(builder: ProgramBuilder) -> None:
    """Load an 8x8 patch, where each element of the patch has as many channels as A has columns (32 there).

    A smaller one where the device's maximum is below 64, or where its sizes are fixed.
    """
    several = max(1, 64 // builder.entry.m) if isinstance(builder.entry, FlexibleSize) else 1
    rows = builder.times(builder.entry.m, several)
    mat = builder.typed(builder.entry.a, rows, builder.sizes[2], USE_A)
    row, col = _corner(builder), _corner(builder)
    width = gcd(rows, 8)
    image = (row + rows // width + _rest(builder), col + width + _rest(builder), mat.cols)
    calls = (SetDimension(image), Slice((row, col, 0), (rows // width, width, mat.cols)))
    _load(builder, mat, builder.layout(calls, rank=3), prod(image))


def space_to_depth(builder: ProgramBuilder) -> None:
    """Perform 2x2 space_to_depth transform while loading from memory."""
    mat = builder.typed(builder.entry.c, builder.entry.m, builder.entry.n, USE_ACCUMULATOR)
    num_ch = mat.cols // 4
    half_h = builder.choices.one_of([size for size in (4, 8) if mat.rows % size == 0] or [1])
    half_w = mat.rows // half_h
    image = (2 * half_h, 2 * half_w, num_ch)
    view = builder.view(
        (SetViewDimensions((half_h, 2, half_w, 2, num_ch)),), rank=5, own=True, permutation=(0, 2, 1, 3, 4)
    )
    _load(builder, mat, builder.layout((SetDimension(image),), rank=3), prod(image), view)


def block_quantised(builder: ProgramBuilder) -> None:
    """Issue 4: blocks of BlockRows x BlockCols in a struct S, of which M x N elements are decoded."""
    mat = builder.matrix(USE_A)
    blocks = (builder.choices.one_of((1, 2)), builder.choices.one_of((8, 16)))
    row, col = _corner(builder), _corner(builder)
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
    _load(builder, mat, builder.layout(calls), structs, decode=decode)


def _corner(builder: ProgramBuilder) -> int:
    """The first row or column of the region."""
    return builder.choices.integer(1, 4)


def _rest(builder: ProgramBuilder) -> int:
    """Rows or columns behind the region."""
    return builder.choices.integer(0, 3)


def _load(
    builder: ProgramBuilder,
    mat: Matrix,
    tensor: str,
    elements: int,
    view: str | None = None,
    decode: Decode | None = None,
) -> None:
    """The load from ``input``, where so many elements or structs lie, and a store that shows what it found."""
    width = format_named(mat.component).nbytes
    nbytes = elements * (width if decode is None else decode.struct_bytes)
    offset = builder.region("input", -(-nbytes // LINE) * LINE) // width
    data = builder.name("input")
    load = LoadTensor(mat.name, "input", offset, tensor, data=data, view=view, decode=decode)
    builder.add(load, store(builder, mat))
