"""Programs of GL_NV_cooperative_matrix2: cooperative matrices, tensor layouts, and what is called on them.

Names and declarations only: nothing here knows an address rule or a meaning. Enumerated parameters are
kept as the integers of the GLSL constants, so that a program can hold a wrong one.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.oracle.program import Buffer, Index, Scalar

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


Setter = SetDimension | SetStride | Slice | SetClampValue


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
    """``coopMatLoadTensorNV(matrix, buffer, offset, tensor)``; ``tensor`` names a layout.

    ``offset`` counts elements of ``array``. ``data`` names the values of the whole tensor in memory.
    """

    matrix: str
    buffer: str
    offset: Index
    tensor: str
    array: ArrayType = ""
    data: str | None = None


class StoreTensor(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store-tensor"):
    """``coopMatStoreTensorNV(matrix, buffer, offset, tensor)``; ``tensor`` names a layout."""

    matrix: str
    buffer: str
    offset: Index
    tensor: str
    array: ArrayType = ""


class MulAdd(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="mul-add"):
    """``result = coopMatMulAdd(a, b, c)``; without ``c`` the addend is the result's type constructed from 0."""

    result: str
    a: str
    b: str
    c: str | None = None


Simple = Splat | Load | Store | LoadTensor | StoreTensor | MulAdd
"""An instruction that is no loop."""

Access = Load | Store | LoadTensor | StoreTensor
"""An instruction that moves a matrix from or to memory."""


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """A loop of ``count`` passes over ``body``; loops do not nest."""

    count: int
    body: tuple[Simple, ...]


Instruction = Simple | Repeat


class CoopMatProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A compute shader; ``waves`` scope instances (subgroups or workgroups) execute the whole body."""

    buffers: tuple[Buffer, ...]
    matrices: tuple[Matrix, ...]
    body: tuple[Instruction, ...]
    layouts: tuple[Layout, ...] = ()
    waves: int = 1

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
