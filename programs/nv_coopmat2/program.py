"""Programs of GL_NV_cooperative_matrix2: cooperative matrices, tensor layouts and views, and their operations.

Names and declarations only: nothing here knows an address rule or interprets a program. Enumerated parameters are
kept as the integers of the GLSL constants, so that a program can hold a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Buffer, Index, RunTime, Scalar
from mmaspec.programs.tree import walk

Component = Literal["f16", "bf16", "f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32"]
"""Component type of a matrix, as the name of its format."""

Scope = Literal["subgroup", "workgroup", "device"]
"""Scope of a matrix: the invocations that hold it together. Not every one is supported: rules say."""

USE_A, USE_B, USE_ACCUMULATOR = 0, 1, 2
"""``gl_MatrixUseA``, ``gl_MatrixUseB`` and ``gl_MatrixUseAccumulator``."""

ROW_MAJOR, COLUMN_MAJOR = 0, 1
"""``gl_CooperativeMatrixLayoutRowMajor`` and ``gl_CooperativeMatrixLayoutColumnMajor``."""

UNDEFINED, CONSTANT, CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT = range(5)
"""``gl_CooperativeMatrixClampMode...NV``."""

REDUCE_ROW, REDUCE_COLUMN, REDUCE_ROW_AND_COLUMN, REDUCE_2X2 = range(1, 5)
"""``gl_CooperativeMatrixReduce...NV``."""

SATURATING = 0x10
"""``gl_MatrixOperandsSaturatingAccumulation``."""

Storage = Literal["", "shared", "uniform", "buffer", "in", "out"]
"""Where a matrix variable is kept; empty: in ``main``. Anything else is not allowed, and there to be rejected."""

ArrayType = Literal["", "uint8_t", "uint16_t", "uint", "uvec2", "uvec4"]
"""Element type T of the array that is loaded from or stored to; empty: the matrix's component type."""

ARRAY_BYTES: dict[str, int] = {"uint8_t": 1, "uint16_t": 2, "uint": 4, "uvec2": 8, "uvec4": 16}
"""Bytes of each array element type that has a name of its own."""


class Matrix(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``coopmat<component, scope, rows, cols, use>``; every scope instance has its own."""

    name: str
    component: Component
    rows: int
    cols: int
    use: int
    scope: Scope = "subgroup"
    storage: Storage = ""


Qualifier = Literal["const in", "in", "inout"]
"""How every parameter of a function is qualified. Only ``const in`` is allowed; the others are there to be rejected."""


class SetBlockSize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-block-size"):
    """``setTensorLayoutBlockSizeNV(t, size0, ...)``: from then on strides count blocks."""

    sizes: tuple[Index, ...]


class SetDimension(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-dimension"):
    """``setTensorLayoutDimensionNV(t, dim0, ...)``."""

    dimensions: tuple[Index, ...]


class SetStride(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-stride"):
    """``setTensorLayoutStrideNV(t, s0, ...)``, in elements."""

    strides: tuple[Index, ...]


class Slice(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="slice"):
    """``sliceTensorLayoutNV(t, offset0, span0, ...)``; offsets are signed, 32 bits read as two's complement."""

    offsets: tuple[Index, ...]
    spans: tuple[Index, ...]


class SetClampValue(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-clamp-value"):
    """``setTensorLayoutClampValueNV(t, value)``."""

    value: Index


Setter = SetBlockSize | SetDimension | SetStride | Slice | SetClampValue
"""A call that returns a changed copy of a layout."""


class Layout(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A named ``tensorLayoutNV<rank, clamp_mode>``: a value to start from, and setters called on it in order.

    It starts as ``createTensorLayoutNV(rank, clamp_mode)``, or as the value of the earlier layout ``start``.
    Declarations are evaluated in order; ``Affine`` arguments take the wave and pass of the use.
    """

    name: str
    calls: tuple[Setter, ...] = ()
    rank: int = 2
    clamp_mode: int = UNDEFINED
    start: str | None = None


class SetViewDimensions(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-view-dimensions"):
    """``setTensorViewDimensionsNV(v, dim0, ...)``."""

    dimensions: tuple[Index, ...]


class SetViewStride(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-view-stride"):
    """``setTensorViewStrideNV(v, s0, ...)``, in steps of the span's index."""

    strides: tuple[Index, ...]


class SetClip(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="set-clip"):
    """``setTensorViewClipNV(v, row_offset, row_span, col_offset, col_span)``; all unsigned, 32 bits."""

    row_offset: Index
    row_span: Index
    col_offset: Index
    col_span: Index


ViewSetter = SetViewDimensions | SetViewStride | SetClip
"""A call that returns a changed copy of a view."""


class View(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A named ``tensorViewNV<rank, has_dimensions, p0, ...>``: a start, and setters called on it in order.

    An empty ``permutation`` is the identity. It starts as ``createTensorViewNV``, or as the value of the
    earlier view ``start``.
    """

    name: str
    calls: tuple[ViewSetter, ...] = ()
    rank: int = 2
    has_dimensions: bool = False
    permutation: tuple[int, ...] = ()
    start: str | None = None


class Echo(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="echo"):
    """A decode function that tells its arguments: the sum of every coordinate times its weight.

    ``block`` weighs ``blockCoord``, ``within`` weighs ``coordInBlock``, ``byte`` weighs the first byte of the
    struct. The sum is taken in 32 unsigned bits and converted to the component type.
    """

    struct_bytes: int
    block: tuple[int, ...]
    within: tuple[int, ...]
    byte: int = 0
    component: Component | None = None
    """Return type; None: the component type of the matrix."""
    by_value: bool = False
    """The first parameter is the struct itself instead of a buffer reference to it: never allowed."""
    qualifier: Qualifier = "const in"


class ScaleAndBytes(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="scale-and-bytes"):
    """A decode function over ``struct { float16_t scale; int8_t values[]; }``: scale times the value at hand.

    ``block`` is the extent of a block, one number per dimension; values lie in it with the last dimension
    innermost, after the two bytes of the scale. The product is taken in f32 and converted to the component type.
    """

    struct_bytes: int
    block: tuple[int, ...]
    component: Component | None = None
    by_value: bool = False
    qualifier: Qualifier = "const in"


class Nibbles(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="nibbles"):
    """A decode function over ``struct { uint8_t pairs[]; }``: two unsigned 4-bit values a byte, the low one first.

    ``minus`` is subtracted as an integer before the conversion to the component type.
    """

    struct_bytes: int
    block: tuple[int, ...]
    minus: int = 0
    component: Component | None = None
    by_value: bool = False
    qualifier: Qualifier = "const in"


Decode = Echo | ScaleAndBytes | Nibbles
"""A decode function: what it returns for a struct, ``blockCoord`` and ``coordInBlock``."""


class Splat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="splat"):
    """``matrix = coopmat<...>(value)``: every component takes a scalar of the component type."""

    matrix: str
    value: Scalar


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``coopMatLoad(matrix, buffer, offset, stride, layout)``; offset and stride count elements of ``array``.

    ``data`` names the values that the load finds (None: memory as it stands).
    """

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    layout: int = ROW_MAJOR
    array: ArrayType = ""
    data: str | None = None


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``coopMatStore(matrix, buffer, offset, stride, layout)``; offset and stride count elements of ``array``."""

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    layout: int = ROW_MAJOR
    array: ArrayType = ""


class LoadTensor(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load-tensor"):
    """``coopMatLoadTensorNV(matrix, buffer, offset, tensor, view, decode)``: ``tensor`` is a layout, ``view`` a view.

    ``offset`` counts elements of ``array``. ``data`` names the values of the whole tensor in memory.
    """

    matrix: str
    buffer: str
    offset: Index
    tensor: str
    array: ArrayType = ""
    data: str | None = None
    view: str | None = None
    decode: Decode | None = None


class StoreTensor(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store-tensor"):
    """``coopMatStoreTensorNV(matrix, buffer, offset, tensor, view)``; ``tensor`` names a layout, ``view`` a view.

    ``decode`` is never allowed here; a program can hold one all the same, to be rejected.
    """

    matrix: str
    buffer: str
    offset: Index
    tensor: str
    array: ArrayType = ""
    view: str | None = None
    decode: Decode | None = None


class MulAdd(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="mul-add"):
    """``result = coopMatMulAdd(a, b, c, operands)``; without ``c`` the addend is the result's type constructed from 0.

    ``operands``: 0, or 0x10 for ``gl_MatrixOperandsSaturatingAccumulation``.
    """

    result: str
    a: str
    b: str
    c: str | None = None
    operands: int = 0


class Convert(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="convert"):
    """``result = coopmat<...>(matrix)``: another component type, another use, or both."""

    result: str
    matrix: str


class Arithmetic(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="arithmetic"):
    """``result = left op right``, component by component; ``right`` is a matrix, or with ``*`` a scalar.

    ``scalar_first`` writes the scalar on the left.
    """

    result: str
    left: str
    op: Literal["+", "-", "*", "/"]
    right: str | Scalar
    scalar_first: bool = False


class Negate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="negate"):
    """``result = -matrix``."""

    result: str
    matrix: str


class EachComponent(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="each-component"):
    """``for (int j = 0; j < matrix.length(); ++j) matrix[j] = f(matrix[j]);``: a loop over an invocation's components.

    ``add`` and ``multiply`` take ``value``, a scalar of the component type; ``negate`` takes none.
    """

    matrix: str
    function: Literal["add", "multiply", "negate"]
    value: Scalar | None = None


class Combine(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A combining function of two parameters; None for a type: the component type of the matrix.

    ``add-one`` is x + y + 1, which is associative and commutative and has no neutral element in most formats: what a
    device fills up, or combines twice, shows. ``subtract`` is not associative: such a reduction has no one answer.
    """

    name: Literal["add", "add-one", "min", "max", "subtract"]
    parameters: tuple[Component | None, ...] = (None, None)
    returns: Component | None = None
    qualifier: Qualifier = "const in"


class Reduce(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="reduce"):
    """``coopMatReduceNV(result, matrix, mask, combine)``."""

    result: str
    matrix: str
    mask: int
    combine: Combine


class ElementFunction(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A function for ``coopMatPerElementNV`` of row, column, element and extras.

    ``triangle``: the element where column <= row, else zero. ``place``: row * 256 + column, converted.
    ``add``: the element plus every extra, in order. ``select``: the element where row + column is even, else the
    extra; of two extras the first where row + column is one more than a multiple of 4, else the second.
    None for a type: the component type of the matrix. ``place`` is the type of row and column.
    """

    name: Literal["triangle", "place", "add", "select"]
    element: Component | None = None
    extras: tuple[Component | None, ...] = ()
    returns: Component | None = None
    place: Literal["uint32_t", "int32_t", "uint16_t"] = "uint32_t"
    qualifier: Qualifier = "const in"


class PerElement(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="per-element"):
    """``coopMatPerElementNV(result, matrix, function, extras...)``; an extra is a matrix or a scalar."""

    result: str
    matrix: str
    function: ElementFunction
    extras: tuple[str | Scalar, ...] = ()


class Transpose(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="transpose"):
    """``coopMatTransposeNV(result, matrix)``."""

    result: str
    matrix: str


Operation = Convert | Arithmetic | Negate | Reduce | PerElement | Transpose
"""An instruction that makes a matrix from matrices, other than a product."""

Access = Load | Store | LoadTensor | StoreTensor
"""An instruction that moves a matrix from or to memory."""


class Barrier(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="barrier"):
    """``controlBarrier`` of the workgroup: what its invocations stored before, each of them finds after it."""


Simple = Splat | Access | MulAdd | Operation | EachComponent | Barrier
"""An instruction that holds no other."""


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """A loop of ``count`` passes over ``body``, none at all where it is 0; loops do not nest."""

    count: int
    body: tuple[Simple, ...]


class Branch(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="branch"):
    """``if (taken != 0) body``: all instances take it, or none does. Branches and loops do not nest."""

    taken: int | RunTime
    body: tuple[Simple, ...]

    @property
    def count(self) -> int:
        """It is passed once, or not at all; once where nobody knows yet what the condition loads."""
        return int(self.taken != 0)


Instruction = Simple | Repeat | Branch


class CoopMatProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A compute shader; ``waves`` scope instances (subgroups or workgroups) execute the whole body.

    ``shared`` names buffers that the shader works on in shared memory: all invocations of the workgroup copy their
    views there first, and back at the end, with a barrier after the one and before the other. ``uniform`` names
    buffers that are uniform blocks: nothing may be loaded from these, and programs have them to be rejected.
    """

    buffers: tuple[Buffer, ...]
    matrices: tuple[Matrix, ...]
    body: tuple[Instruction, ...]
    layouts: tuple[Layout, ...] = ()
    waves: int = 1
    views: tuple[View, ...] = ()
    shared: tuple[str, ...] = ()
    uniform: tuple[str, ...] = ()

    def written(self) -> Iterator[tuple[Simple, int]]:
        """Every instruction once, in order, with its number of passes."""
        return ((instruction, passes) for _, instruction, passes in walk(self))

    def matrix(self, name: str) -> Matrix:
        """The declaration of that name; ``KeyError`` if there is none."""
        for matrix in self.matrices:
            if matrix.name == name:
                return matrix
        raise KeyError(name)

    def layout(self, name: str) -> Layout:
        """The layout of that name; ``KeyError`` if there is none."""
        for layout in self.layouts:
            if layout.name == name:
                return layout
        raise KeyError(name)

    def view(self, name: str) -> View:
        """The view of that name; ``KeyError`` if there is none."""
        for view in self.views:
            if view.name == name:
                return view
        raise KeyError(name)
