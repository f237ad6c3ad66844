"""Groupshared arrays of the program builder: room for accesses, and the copies that fill and empty them."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import NATIVE, SCALARS, ArrayType, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    InterlockedAccumulate,
    Layout,
    Load,
    Matrix,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.strategies.hlsl_linalg.builder.accesses import BASE_UNIT, STRIDE_UNIT, axes_of, lines_of
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes, up
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier

GROUP_BYTES = 1 << 15
"""The groupshared memory that a thread group has in Direct3D."""
WIDTHS = (0, 0, 2, 3, 4, 8)
"""Elements of the vectors of an array; 0: its elements are scalars."""
INTEGERS: tuple[ArrayType, ...] = ("int16_t", "uint16_t", "int", "uint", "int64_t", "uint64_t", "uint8_t4_packed")
"""Arrays that may hold any matrix."""
OWN: dict[str, ArrayType] = {component: element for element, component in NATIVE.items()}  # type: ignore[misc]
"""Component type -> the array of its own type."""


def elements_for(component: ComponentType, caps: LinalgCaps) -> tuple[ArrayType, ...]:
    """The arrays that may hold a matrix as it is; in the text of 2025-09-19 that is one of its own type alone."""
    own = (OWN[component],) if component in OWN else ()
    found = own if is_earlier(caps) else (*own, *own, *INTEGERS)
    return tuple(one for one in found if available(one, caps))


def available(element: ArrayType, caps: LinalgCaps) -> bool:
    """Whether a device has scalars of such elements: those of 16 bits have to be enabled."""
    return caps.native_16_bit or FORMATS[SCALARS[element]].nbytes > 2


def converting_elements(component: ComponentType) -> tuple[ArrayType, ...]:
    """The arrays whose elements the text of 2025-09-19 converts to a matrix's type, or from it.

    Both are of one size, so that offsets and strides count either of them (LINALG-AMB-10).
    """
    if component not in OWN:
        return ()
    size = FORMATS[SCALARS[OWN[component]]].nbytes
    return tuple(one for one in OWN.values() if one != OWN[component] and FORMATS[SCALARS[one]].nbytes == size)


@dataclass
class SharedRoom:
    """An array while accesses are added; ``used`` is in bytes. ``finish`` declares it at the end."""

    builder: ProgramBuilder
    name: str
    element: ArrayType
    used: int = 0

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return FORMATS[SCALARS[self.element]].nbytes

    def load(self, matrix: Matrix, layout: Layout | None = None, data: str | None = None) -> Load:
        """A Load of data of its own."""
        return Load(matrix.name, self.name, *self._place(matrix, layout), 0, data or matrix.name)

    def store(self, matrix: Matrix, layout: Layout | None = None) -> Store:
        """A Store to elements of its own, in every wave."""
        return Store(matrix.name, self.name, *self._place(matrix, layout))

    def accumulate(
        self, matrix: Matrix, target: ComponentType | None = None, *, own: bool = True
    ) -> InterlockedAccumulate:
        """A sum in elements of its own, or in the same for every wave and pass."""
        return InterlockedAccumulate(matrix.name, self.name, *self._place(matrix, None, own=own), 0, target)

    def _place(self, matrix: Matrix, layout: Layout | None, *, own: bool = True) -> tuple[Index, Index, Layout]:
        """Offset and stride in elements of the matrix's type; of the later text multiples of 128 and 16 bytes."""
        b, size = self.builder, element_bytes(matrix.component)
        draw = b.choices
        chosen: Layout = draw.one_of(("RowMajor", "ColMajor")) if layout is None else layout
        lines, line = lines_of(matrix, chosen)
        base, unit = (size, size) if is_earlier(b.caps) else (BASE_UNIT, STRIDE_UNIT)
        stride = up(line, unit) + unit * draw.weighted(((3, draw.integer(1, 3)), (2, 0)))
        last = (lines - 1) * stride + line
        start, tile, waves = up(self.used, base), up(last, base), axes_of(b, matrix)[0][1] if own else 1
        start += base * draw.weighted(((2, 0), (1, 1)))
        self.used = start + tile * (waves - 1) + last
        offset: Index = Affine(start // size, tile // size) if waves > 1 else b.argument(start // size, 10)
        return offset, b.argument(stride // size, 10), chosen

    @property
    def count(self) -> int:
        """Elements that hold what is used."""
        return up(self.used, self.size) // self.size

    def stage(self, buffer: str, passes: int = 1, data: str | None = None) -> Stage:
        """All that is used filled; every pass from bytes of its own."""
        return Stage(self.name, buffer, self._run(buffer, passes), self.count, 0, data)

    def unstage(self, buffer: str) -> Unstage:
        """All that is used written out."""
        return Unstage(self.name, buffer, self._run(buffer, self.builder.passes), self.count)

    def _run(self, buffer: str, passes: int) -> Index:
        nbytes = self.count * self.size
        tile = nbytes + self.size * self.builder.choices.integer(0, 3)
        return self.builder.stepped(buffer, [("loop", passes)], tile, nbytes, max(self.size, 4), 10)

    def finish(self) -> None:
        """Declare the array, perhaps of vectors, and a little longer than it has to be."""
        draw = self.builder.choices
        # In the text of 2025-09-19 an array is one of arithmetic types.
        width = 0 if is_earlier(self.builder.caps) else draw.one_of(WIDTHS)
        length = -(-self.count // max(width, 1)) + draw.integer(0, 5)
        self.builder.arrays.append(SharedArray(self.name, self.element, length, width))


def fits(builder: ProgramBuilder) -> bool:
    """Whether the arrays are no more than a thread group has."""
    sizes = (array.length * max(array.width, 1) * FORMATS[SCALARS[array.element]].nbytes for array in builder.arrays)
    return sum(sizes) <= GROUP_BYTES


def held(b: ProgramBuilder, component: ComponentType, buffer: str, first: int, nbytes: int) -> Stage:
    """Data from a byte of a buffer on, as something is added there: a Stage into an array that nothing else has."""
    size, name = element_bytes(component), f"held-{len(b.arrays)}"
    b.arrays.append(SharedArray(name, OWN[component], -(-nbytes // size)))
    return Stage(name, buffer, first, nbytes // size, 0, name)
