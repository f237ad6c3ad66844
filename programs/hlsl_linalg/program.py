"""Programs of HLSL linear algebra matrices: matrices and vectors declared by type, and what shaders do with them.

Names and declarations only: nothing here knows an address rule or interprets a program. A program is a compute shader
of one thread group, with what the command list converts before and after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Buffer, Index, Scalar
from mmaspec.programs.hlsl_linalg.components import ArrayType, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.removed import Removed
from mmaspec.programs.tree import walk

Use = Literal["A", "B", "Accumulator"]
"""``MatrixUse``: 0, 1 and 2."""

Scope = Literal["Thread", "Wave", "ThreadGroup"]
"""``MatrixScope``: 0, 1 and 2. Every thread, every wave or the whole group has a matrix of its own."""

Layout = Literal[
    "RowMajor", "ColMajor", "MulOptimal", "MulOptimalTranspose", "OuterProductOptimal", "OuterProductOptimalTranspose"
]
"""``MatrixLayout``, by the names of the later text; the codes differ between the texts."""

LINEAR = ("RowMajor", "ColMajor")
"""Layouts of which the text says where each element lies."""


class Matrix(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``Matrix<component, m, n, use, scope>``: m rows, n columns, whatever the use."""

    name: str
    component: ComponentType
    m: int
    n: int
    use: Use
    scope: Scope = "Wave"


class Vector(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A vector of ``length`` components, of which every thread has its own.

    A component without an HLSL scalar of its own is packed: the vector is an ``InterpretedVector`` of words.
    """

    name: str
    component: ComponentType
    length: int


class SharedArray(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``groupshared element name[length]``, or of ``vector<element, width>`` where ``width`` is not 0.

    Nothing outside the program sees it: ``Stage`` fills it from a buffer, ``Unstage`` writes it to one.
    """

    name: str
    element: ArrayType
    length: int
    width: int = 0


class Splat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="splat"):
    """``matrix = Splat((scalar)value)``; the bits of the value are of the HLSL type ``scalar``.

    ``lane`` is what each further lane of a wave adds to the bits of the value (0: all lanes agree), ``wave`` what each
    further wave of the group adds.
    """

    matrix: str
    scalar: ScalarType
    value: Scalar
    lane: int = 0
    wave: int = 0


class Cast(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="cast"):
    """``matrix = source.Cast<component, use, transpose>()``."""

    matrix: str
    source: str
    transpose: bool = False


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``matrix = Load<align>(memory, offset, stride, layout)``.

    ``memory`` names a byte-address buffer, where offset and stride are in bytes, or a groupshared array, where they
    are in elements and there is no alignment. ``align`` 0 is the default. ``data`` names the values that the load
    finds (None: memory as it stands).
    """

    matrix: str
    memory: str
    offset: Index
    stride: Index = 0
    layout: Layout = "RowMajor"
    align: int = 0
    data: str | None = None


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``matrix.Store<align>(memory, offset, stride, layout)``, with the arguments of a Load."""

    matrix: str
    memory: str
    offset: Index
    stride: Index = 0
    layout: Layout = "RowMajor"
    align: int = 0


class InterlockedAccumulate(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="interlocked-accumulate"
):
    """``matrix.InterlockedAccumulate<align>(memory, offset, stride, layout)``: memory += matrix.

    Of a Thread matrix the text has no stride and no layout but ``OuterProductOptimal``. ``target`` is the component
    type by which words of packed bytes are to be understood (None: the matrix's own).
    """

    matrix: str
    memory: str
    offset: Index
    stride: Index = 0
    layout: Layout = "RowMajor"
    align: int = 0
    target: ComponentType | None = None


class ReadElements(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="read-elements"):
    """``for (i < matrix.Length()) buffer.Store(offset + x * stride + y * size, matrix.Get(i))``.

    x and y are ``matrix.GetCoordinate(i)``, size the bytes of an element; offset and stride are in bytes.
    """

    matrix: str
    buffer: str
    offset: Index
    stride: Index


class WriteElements(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="write-elements"):
    """``for (i < matrix.Length()) matrix.Set(i, buffer.Load(offset + x * stride + y * size))``.

    Elements of which x * n + y leaves the remainder ``keep`` by ``modulo`` are not set (modulo 0: all are). ``data``
    names the values that are found.
    """

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    modulo: int = 0
    keep: int = 0
    data: str | None = None


class Beyond(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="beyond"):
    """The index ``matrix.Length() + past``, by every thread t of the group: outside the valid range.

    ``buffer`` takes ``GetCoordinate(index)`` (two words) and ``Get(index)`` at byte ``offset + t * 16``, the element
    8 bytes further; then ``Set(index, value)``, the value being bits of the element.
    """

    matrix: str
    buffer: str
    offset: Index
    past: int = 0
    value: int = 0


class CountElements(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="count-elements"):
    """``buffer.InterlockedAdd(offset, matrix.Length())``, by every thread of the matrix's scope.

    Waves have words of their own where the offset says so; the words start as the program finds them.
    """

    matrix: str
    buffer: str
    offset: Index
    data: str | None = None


class Multiply(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply"):
    """``matrix = Multiply(a, b)``, or ``Multiply<component>(a, b)`` where ``typed``."""

    matrix: str
    a: str
    b: str
    typed: bool = True


class MultiplyAccumulate(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply-accumulate"
):
    """``matrix.MultiplyAccumulate(a, b)``."""

    matrix: str
    a: str
    b: str


class Accumulate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="accumulate"):
    """``matrix.Accumulate(operand)``: an A or B matrix of the same size added to an accumulator."""

    matrix: str
    operand: str


class AccumulatorLayout(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="accumulator-layout"):
    """``buffer.Store(offset, AccumulatorLayout())``: 0 for A, 1 for B; the offset is in bytes."""

    buffer: str
    offset: Index


class VectorLoad(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="vector-load"):
    """``vector = buffer.Load<vector<..>>(offset)``: components one after the other, as plain code of a shader has it.

    The offset is in bytes. ``data`` names the values that the load finds (None: memory as it stands).
    """

    vector: str
    buffer: str
    offset: Index
    data: str | None = None


class VectorStore(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="vector-store"):
    """``buffer.Store(offset, vector)``: components one after the other; the offset is in bytes."""

    vector: str
    buffer: str
    offset: Index


class VectorAccumulate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="vector-accumulate"):
    """``InterlockedAccumulate<align>(buffer, offset, vector)``: component i of memory += component i of the vector."""

    vector: str
    buffer: str
    offset: Index
    align: int = 0


class Convert(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="convert"):
    """``vector = Convert<component, component of source>(source)``."""

    vector: str
    source: str


class MemoryBias(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``VectorRef<component, length>{buffer, offset}``: a vector in a read-only buffer; the offset is in bytes."""

    buffer: str
    offset: int
    component: ComponentType
    data: str | None = None


class MultiplyVector(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply-vector"):
    """``vector = Multiply<type>(matrix, source)`` or ``MultiplyAdd<type>(matrix, source, bias)``.

    The later text multiplies an A matrix of Thread scope by a column; the other one a row by a B matrix of any scope.
    ``bias`` names a vector, or a place in memory, or is None for the product alone.
    """

    vector: str
    matrix: str
    source: str
    bias: str | MemoryBias | None = None


class OuterProduct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="outer-product"):
    """``matrix = OuterProduct<component>(column, row)``: element (i, j) is column[i] * row[j]."""

    matrix: str
    column: str
    row: str


class Copy(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``count`` elements between a buffer and an array, by the whole group: plain loads and stores of a shader.

    ``start`` is in bytes of the view, ``offset`` and ``count`` in elements of the array, those of its vectors counted
    each. Neither differs in the group.
    """

    array: str
    buffer: str
    start: Index
    count: int
    offset: Index = 0


class Stage(Copy, frozen=True, tag="stage"):
    """From the buffer to the array. ``data`` names the values found, where the Loads from the array name none."""

    data: str | None = None


class Unstage(Copy, frozen=True, tag="unstage"):
    """From the array to the buffer."""


class ConvertLayout(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="convert-layout"):
    """``ConvertLinearAlgebraMatrix``: a matrix in memory copied into another layout, of the same component type.

    The command list does it, not the shader: these come before all other instructions, or after all of them.
    Offsets and strides are in bytes of the views; the stride of an optimal layout is 0. ``data`` names the values that
    lie in the source, which then is row- or column-major. ``target_size`` is what the device answered for a target in
    an optimal layout, in bytes: what lies beyond them stays.
    """

    component: ComponentType
    m: int
    n: int
    source: str
    source_offset: int
    source_layout: Layout
    target: str
    target_offset: int
    target_layout: Layout
    source_stride: int = 0
    target_stride: int = 0
    target_size: int = 0
    data: str | None = None


class Barrier(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="barrier"):
    """``AllMemoryBarrierWithGroupSync()``: what was done to memory before is done for the whole group."""


Simple = (
    Splat
    | Cast
    | Load
    | Store
    | InterlockedAccumulate
    | ReadElements
    | WriteElements
    | Beyond
    | CountElements
    | Multiply
    | MultiplyAccumulate
    | Accumulate
    | AccumulatorLayout
    | VectorLoad
    | VectorStore
    | VectorAccumulate
    | Convert
    | MultiplyVector
    | OuterProduct
    | Stage
    | Unstage
    | ConvertLayout
    | Barrier
    | Removed
)
"""An instruction that holds no other."""


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """A loop of ``count`` passes over ``body``; loops do not nest."""

    count: int
    body: tuple[Simple, ...]


class Branch(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="branch"):
    """``if (WaveGetLaneIndex() < lanes) body``, or by waves: ``if (wave < waves)``; 0 is no condition.

    Uniform for a wave where ``lanes`` is 0 or all of them, for the group where ``waves`` is so as well.
    """

    lanes: int
    body: tuple[Simple, ...]
    waves: int = 0

    @property
    def count(self) -> int:
        """It is passed once."""
        return 1


Instruction = Simple | Repeat | Branch


class LinalgProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A compute shader of one thread group; every thread executes the whole body.

    ``read_only`` names the buffers bound as ``ByteAddressBuffer``; the others are ``RWByteAddressBuffer``. The group
    has ``threads`` threads (0: all lanes of all waves) in ``waves`` waves of ``wave_size`` lanes.
    """

    buffers: tuple[Buffer, ...]
    body: tuple[Instruction, ...]
    matrices: tuple[Matrix, ...] = ()
    vectors: tuple[Vector, ...] = ()
    arrays: tuple[SharedArray, ...] = ()
    read_only: tuple[str, ...] = ()
    waves: int = 1
    wave_size: int = 32
    threads: int = 0

    def matrix(self, name: str) -> Matrix:
        """The matrix of that name; ``KeyError`` if there is none."""
        for matrix in self.matrices:
            if matrix.name == name:
                return matrix
        raise KeyError(name)

    def vector(self, name: str) -> Vector:
        """The vector of that name; ``KeyError`` if there is none."""
        for vector in self.vectors:
            if vector.name == name:
                return vector
        raise KeyError(name)

    def array(self, name: str) -> SharedArray | None:
        """The groupshared array of that name, or None where a buffer is meant."""
        for array in self.arrays:
            if array.name == name:
                return array
        return None

    @property
    def group(self) -> int:
        """The threads of the group."""
        return self.threads or self.waves * self.wave_size

    def instances(self, scope: Scope) -> int:
        """How many matrices of a scope the group has of one name: one for each thread, each wave, or one."""
        return self.group if scope == "Thread" else self.waves if scope == "Wave" else 1


def simple_instructions(program: LinalgProgram) -> Iterator[tuple[Simple, int]]:
    """Every instruction once, in order, with the number of passes that execute it."""
    return ((instruction, passes) for _, instruction, passes in walk(program))
