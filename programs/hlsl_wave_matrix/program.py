"""Programs of HLSL WaveMatrix: matrices declared by kind, and their methods over buffers and groupshared arrays.

Names and declarations only: nothing here knows an address rule or interprets a program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Buffer, Index, Scalar
from mmaspec.programs.tree import walk

MatrixKind = Literal["left", "right", "accumulator", "left-col-acc", "right-row-acc"]
"""``WaveMatrixLeft`` (M x K), ``WaveMatrixRight`` (K x N), ``WaveMatrixAccumulator`` (M x N), and the fragments
``WaveMatrixLeftColAcc`` (M x 1) and ``WaveMatrixRightRowAcc`` (1 x N)."""

FACTORS = ("left", "right")
"""Kinds of the operands of a product."""
FRAGMENTS = ("left-col-acc", "right-row-acc")
"""Kinds that hold a vector: one column or one row."""
SUMS = ("accumulator", *FRAGMENTS)
"""Kinds whose elements are of an accumulator's type."""

ElementType = Literal["f16", "f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32"]
"""Format of one element. ``s8`` and ``u8`` are the packed types ``int8_t4_packed`` and ``uint8_t4_packed``.

Not every one may be an element of every kind: that is for rules to say.
"""


class Matrix(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One declared matrix, of which every wave has its own.

    ``k`` is the depth for which the program was written, in elements. It is no part of the type: a
    program is specialised for the K that the caps report. Accumulators and fragments leave it 0.
    """

    name: str
    kind: MatrixKind
    element: ElementType
    m: int
    n: int
    k: int = 0

    @property
    def rows(self) -> int:
        """Logical rows of this kind of matrix."""
        return {"right": self.k, "right-row-acc": 1}.get(self.kind, self.m)

    @property
    def cols(self) -> int:
        """Logical columns of this kind of matrix."""
        return {"left": self.k, "left-col-acc": 1}.get(self.kind, self.n)

    @property
    def is_fragment(self) -> bool:
        """Whether this is a fragment accumulator, a vector without orientation."""
        return self.kind in FRAGMENTS


def is_packed(matrix: Matrix) -> bool:
    """Whether four elements share a dword: ``uint8_t4_packed`` or ``int8_t4_packed``."""
    return matrix.element in ("u8", "s8")


class SharedArray(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A ``groupshared`` array of ``length`` elements, one for the whole thread group.

    ``u8`` and ``s8`` are arrays of packed dwords: an array element holds four elements of a matrix.
    Nothing outside the program sees it: ``Stage`` fills it from a buffer, ``Unstage`` writes it to one.
    """

    name: str
    element: ElementType
    length: int


class Fill(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="fill"):
    """``matrix.Fill(value)``. The value of a packed matrix is a dword of four elements.

    ``lane`` is what each further lane of a wave adds to the bits of the value (0: all lanes agree).
    """

    matrix: str
    value: Scalar
    lane: int = 0


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``matrix.Load(buffer, offset, stride, col_major, alignment)``.

    ``buffer`` names a byte-address buffer, where offset and stride are in bytes, or a groupshared array,
    where they are in array elements and there is no alignment. Fragments have no orientation: their stride
    is the one from element to element. ``data`` names the values that the load finds (None: memory as it
    stands). Where lanes disagree on the orientation, it is column-major for those for which it is odd.
    """

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    col_major: Index = 0
    alignment: int = 0
    data: str | None = None


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``matrix.Store(buffer, offset, stride, col_major, alignment)``, with the arguments of a Load."""

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    col_major: Index = 0
    alignment: int = 0


class Multiply(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply"):
    """``matrix.Multiply(left, right)``."""

    matrix: str
    left: str
    right: str


class MultiplyAccumulate(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply-accumulate"
):
    """``matrix.MultiplyAccumulate(left, right)``."""

    matrix: str
    left: str
    right: str


class SumAccumulate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="sum-accumulate"):
    """``matrix.SumAccumulate(operand)``: of a fragment, with a Left or a Right."""

    matrix: str
    operand: str


class Add(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="add"):
    """``matrix.Add(operand)``: of an accumulator, with an accumulator or a fragment."""

    matrix: str
    operand: str


class ScalarOperation(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An operation on every element; ``value`` is of the matrix's element type.

    ``lane`` is what each further lane of a wave adds to the bits of the value (0: all lanes agree).
    """

    matrix: str
    value: Scalar
    lane: int = 0


class ScalarMultiply(ScalarOperation, frozen=True, tag="scalar-multiply"):
    """``matrix.ScalarMultiply(value)``."""


class ScalarDivide(ScalarOperation, frozen=True, tag="scalar-divide"):
    """``matrix.ScalarDivide(value)``."""


class ScalarAdd(ScalarOperation, frozen=True, tag="scalar-add"):
    """``matrix.ScalarAdd(value)``."""


class ScalarSubtract(ScalarOperation, frozen=True, tag="scalar-subtract"):
    """``matrix.ScalarSubtract(value)``."""


class MatrixDepth(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="matrix-depth"):
    """``buffer.Store(offset, matrix.MatrixDepth())``: K as a 32-bit word; the offset is in bytes."""

    matrix: str
    buffer: str
    offset: Index


class Copy(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A copy by the whole group of ``rows`` runs of ``columns`` array elements between a buffer and an array.

    Runs begin at byte ``start`` of the view and lie ``pitch`` bytes apart; in the array they follow each other from
    element ``offset``. No matrix takes part: it is what samples do with plain loads and stores.
    """

    array: str
    buffer: str
    start: Index
    columns: int
    rows: int = 1
    pitch: int = 0
    offset: Index = 0


class Stage(Copy, frozen=True, tag="stage"):
    """From the buffer to the array: ``rows`` runs of ``columns`` elements, each ``pitch`` bytes after the one before.

    They are read from byte ``start`` of the view on, and written behind each other from element ``offset`` of the array
    on. ``data`` names the values found, where the Loads from the array name none.
    """

    data: str | None = None


class Unstage(Copy, frozen=True, tag="unstage"):
    """From the array to the buffer: ``rows`` runs of ``columns`` elements.

    They are read behind each other from element ``offset`` of the array on, and written from byte ``start`` of the view
    on, each ``pitch`` bytes after the one before.
    """


class Barrier(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="barrier"):
    """``GroupMemoryBarrierWithGroupSync()``: what was done to arrays before is done for all waves."""


Scaling = ScalarMultiply | ScalarDivide | ScalarAdd | ScalarSubtract
"""Every operation with a scalar."""

Method = (
    Fill
    | Load
    | Store
    | Multiply
    | MultiplyAccumulate
    | SumAccumulate
    | Add
    | ScalarMultiply
    | ScalarDivide
    | ScalarAdd
    | ScalarSubtract
    | MatrixDepth
)
"""Methods of matrices."""

Simple = Method | Stage | Unstage | Barrier
"""An instruction that holds no other."""


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """A loop of ``count`` passes over ``body``; loops do not nest."""

    count: int
    body: tuple[Simple, ...]


class Branch(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="branch"):
    """``if (WaveGetLaneIndex() < lanes) body``: uniform where ``lanes`` is the whole wave or more."""

    lanes: int
    body: tuple[Simple, ...]

    @property
    def count(self) -> int:
        """It is passed once."""
        return 1


Instruction = Simple | Repeat | Branch


class WaveMatrixProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A compute shader of one thread group; every wave executes the whole body.

    ``read_only`` names the buffers bound as ``ByteAddressBuffer``; the others are
    ``RWByteAddressBuffer``. ``wave_size`` is the lanes of a wave, as ``[wavesize(..)]`` says them; 0 means the fewest
    that all its matrices allow. ``threads`` is the size of the thread group; 0 means as many as the waves have lanes.
    """

    buffers: tuple[Buffer, ...]
    matrices: tuple[Matrix, ...]
    body: tuple[Instruction, ...]
    waves: int = 1
    read_only: tuple[str, ...] = ()
    arrays: tuple[SharedArray, ...] = ()
    threads: int = 0
    wave_size: int = 0

    def matrix(self, name: str) -> Matrix:
        """The declaration of that name; ``KeyError`` if there is none."""
        for matrix in self.matrices:
            if matrix.name == name:
                return matrix
        raise KeyError(name)

    def array(self, name: str) -> SharedArray | None:
        """The groupshared array of that name, or None where a buffer is meant."""
        return next((array for array in self.arrays if array.name == name), None)


def simple_instructions(program: WaveMatrixProgram) -> Iterator[tuple[Simple, int]]:
    """Every instruction once, in order, with the number of passes that execute it."""
    return ((instruction, passes) for _, instruction, passes in walk(program))
