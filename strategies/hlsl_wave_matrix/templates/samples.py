"""The document's three sample shaders as programs, with their obvious mistakes corrected (WM-AMB-13).

What was changed:

- *plain*: the offsets of the f16 loads and of the f32 store count elements in the sample and bytes in its methods;
  here every offset is in bytes.
- *quantized*: its operands are bytes, so only the offset of the s32 store had to be turned into bytes. The
  misspelt ``ScalerMultiply`` is ScalarMultiply.
- *groupshared*: the arrays are declared groupshared. A fragment's k-th step begins k elements into a row of the
  tile; the sample multiplies k by the height of the tile and leaves the array when K is 16. The outer loop
  advances by the depth of a whole tile, which one pass consumes, not by K. A wave's result begins at row
  ``fragA`` and column ``fragB`` of the tile; the sample has them the other way round. Depth is a method. The thread
  group, whose 128 threads are four waves of 32, has four waves of whatever size the device needs.

The samples' loops over k inside a tile are written out, as loops do not nest. What they leave out for brevity (moving
tiles between buffers and arrays) are Stage and Unstage. Each program takes the tile in the second row and column of
thread groups, 16 or in the third sample 32 rows and columns in, so that no offset is 0.
"""

from __future__ import annotations

from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Fill,
    Load,
    Matrix,
    MatrixDepth,
    MultiplyAccumulate,
    Repeat,
    ScalarAdd,
    ScalarMultiply,
    SharedArray,
    Simple,
    Stage,
    Store,
    SumAccumulate,
    Unstage,
    WaveMatrixProgram,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.program import shape_of
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import fitting
from mmaspec.strategies.hlsl_wave_matrix.builder.waves import sized

DIM = 16
"""``WAVE_MATRIX_DIM``: M and N of every matrix of the samples."""
TILE = 32
"""``TILESIZE_X``, ``_Y`` and ``_Z`` of the third sample."""
BATCH = 16
MASK = 0xFFFFFFFF


def plain(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """The first sample: f16 operands, B transposed in memory, a loop over the depth, an f32 tile stored."""
    choices = context.choices
    if not {"f16", "dim-16", "acc-f32"} <= context.row.tags:
        return None
    k, steps = shape_of(context.row).k, choices.integer(2, 4)
    stride_a, stride_b, out = _strides(choices, 2 * k * steps)
    matrices = (
        Matrix("matA", "left", "f16", DIM, DIM, k),
        Matrix("matB", "right", "f16", DIM, DIM, k),
        Matrix("matC", "accumulator", "f32", DIM, DIM),
    )
    step = (
        Load("matA", "inputA", Affine(DIM * stride_a, loop=2 * k), stride_a, 0, data="A"),
        Load("matB", "inputB", Affine(DIM * stride_b, loop=2 * k), stride_b, 1, data="B"),
        MultiplyAccumulate("matC", "matA", "matB"),
    )
    body = (
        MatrixDepth("matA", "depth", 0),
        Fill("matC", Literal(0)),
        Repeat(steps, step),
        Store("matC", "output", DIM * out + DIM * 4, out),
    )
    program = WaveMatrixProgram(_buffers(stride_a, stride_b, out, DIM), matrices, body, read_only=("inputA", "inputB"))
    return sized(context, Draft(program, "window", BATCH))


def quantized(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """The second sample: signed by unsigned bytes with a zero point each, by the document's formula."""
    choices = context.choices
    if not {"byte", "dim-16"} <= context.row.tags:
        return None
    k, steps = shape_of(context.row).k, choices.integer(2, 3)
    zero_a, zero_b = choices.integer(-128, 127), choices.integer(0, 255)
    stride_a, stride_b, out = _strides(choices, k * steps)
    matrices = (
        Matrix("matA", "left", "s8", DIM, DIM, k),
        Matrix("matB", "right", "u8", DIM, DIM, k),
        Matrix("matAZeroPoint", "left-col-acc", "s32", DIM, DIM),
        Matrix("matBZeroPoint", "right-row-acc", "s32", DIM, DIM),
        Matrix("matC", "accumulator", "s32", DIM, DIM),
    )
    step = (
        Load("matA", "inputA", Affine(DIM * stride_a, loop=k), stride_a, 0, data="A"),
        Load("matB", "inputB", Affine(DIM * stride_b, loop=k), stride_b, 1, data="B"),
        SumAccumulate("matAZeroPoint", "matA"),
        SumAccumulate("matBZeroPoint", "matB"),
        MultiplyAccumulate("matC", "matA", "matB"),
    )
    body = (
        MatrixDepth("matA", "depth", 0),
        Fill("matAZeroPoint", Literal(0)),
        Fill("matBZeroPoint", Literal(0)),
        Fill("matC", Literal(0)),
        Repeat(steps, step),
        ScalarMultiply("matAZeroPoint", Literal(-zero_b & MASK)),
        ScalarMultiply("matBZeroPoint", Literal(-zero_a & MASK)),
        Add("matC", "matAZeroPoint"),
        Add("matC", "matBZeroPoint"),
        ScalarAdd("matC", Literal(zero_a * zero_b * k * steps & MASK)),
        Store("matC", "output", DIM * out + DIM * 4, out),
    )
    program = WaveMatrixProgram(_buffers(stride_a, stride_b, out, DIM), matrices, body, read_only=("inputA", "inputB"))
    return sized(context, Draft(program, "wild", BATCH))


def groupshared(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """The third sample: tiles of 32 x 32 in groupshared arrays, a quarter of the result for each of 2 x 2 waves.

    Where K does not divide 32, tiles are as deep as K: ``TILESIZE_Z`` is a multiple of it.
    """
    choices = context.choices
    if not {"f16", "dim-16", "acc-f32"} <= context.row.tags:
        return None
    k = shape_of(context.row).k
    depth = k if TILE % k else TILE
    tiles = choices.integer(2, 3)
    stride_a, stride_b, out = _strides(choices, 2 * depth * tiles)
    matrices = (
        Matrix("matA", "left", "f16", DIM, DIM, k),
        Matrix("matB", "right", "f16", DIM, DIM, k),
        Matrix("matC", "accumulator", "f32", DIM, DIM),
    )
    arrays = (
        SharedArray("groupMatA", "f16", TILE * depth),
        SharedArray("groupMatB", "f16", TILE * depth),
        SharedArray("groupMatC", "f32", TILE * TILE),
    )
    fragment = DIM * depth
    inner: list[Simple] = []
    for at in range(0, depth, k):
        # threadId.y, the place in a row of the grid of waves, picks rows of A; threadId.z picks columns of B.
        inner += [
            Load("matA", "groupMatA", Affine(at, wave=fragment, grid=2), depth, 0),
            Load("matB", "groupMatB", Affine(at, row=fragment, grid=2), depth, 1),
            MultiplyAccumulate("matC", "matA", "matB"),
        ]
    step = (
        Stage("groupMatA", "inputA", Affine(TILE * stride_a, loop=2 * depth), depth, TILE, stride_a, data="A"),
        Stage("groupMatB", "inputB", Affine(TILE * stride_b, loop=2 * depth), depth, TILE, stride_b, data="B"),
        Barrier(),
        *inner,
        Barrier(),
    )
    body = (
        MatrixDepth("matA", "depth", Affine(0, 4)),
        Fill("matC", Literal(0)),
        Repeat(tiles, step),
        Store("matC", "groupMatC", Affine(0, wave=DIM * TILE, row=DIM, grid=2), TILE),
        Barrier(),
        Unstage("groupMatC", "output", TILE * out + TILE * 4, TILE, TILE, out),
    )
    program = WaveMatrixProgram(
        _buffers(stride_a, stride_b, out, TILE), matrices, body, 4, ("inputA", "inputB"), arrays
    )
    return fitting(sized(context, Draft(program, "window", BATCH // 4)))


def _strides(choices: Choices, row_bytes: int) -> tuple[int, int, int]:
    """Strides of A, of B and of the output, which is two tiles wide."""
    pad_a, pad_b, pad_out = (4 * choices.integer(1, 8) for _ in range(3))
    return row_bytes + pad_a, row_bytes + pad_b, 4 * 2 * TILE + pad_out


def _buffers(stride_a: int, stride_b: int, out: int, tile: int) -> tuple[Buffer, ...]:
    """Room for two tiles of so many rows, of which the second one is taken."""
    rows = 2 * tile
    return (
        Buffer("inputA", rows * stride_a),
        Buffer("inputB", rows * stride_b),
        Buffer("output", rows * out),
        Buffer("depth", 16),
    )
