"""What the looks at kernels on fragments have to know of the specification whose kernels they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.formats import Format
from mmaspec.programs.register_kernels import Load
from mmaspec.strategies.axes.observation import Subject

Integers = NDArray[np.int64]


class Form(NamedTuple):
    """What a product multiplies and adds."""

    name: str
    """As the classes of the axis ``format`` call it."""
    integer: bool


class Place(NamedTuple):
    """Where an element stands in the registers of a wave."""

    lane: int
    component: int
    """Of the lane's vector, as the specification counts: a register, or a component of the vector's type."""
    bit: int
    """The first of its bits in the component."""


class Dialect(Hashable, Protocol):
    """The kernels of one specification. The looks ask for nothing else of what only it can say."""

    component_axis: str
    """The axis of the component in which an element stands."""
    range_axis: str
    """The axis of which elements of an integer result leave the range."""

    def form(self, program: Any, product: Any, /) -> Form:
        """What a product of a valid program multiplies and adds."""
        ...

    def function(self, product: Any, /) -> object:
        """Equal for products that call the same function."""
        ...

    def immediates(self, product: Any, /) -> tuple[object, ...]:
        """The arguments of a product that are no fragments."""
        ...

    def saturates(self, product: Any, /) -> bool:
        """Whether an integer sum beyond 32 bits is the nearest number within; else it wraps."""
        ...

    def element_format(self, fragment: Any, /) -> Format:
        """Of the elements that a fragment holds."""
        ...

    def extent(self, fragment: Any, lanes: int, /) -> tuple[int, int]:
        """Rows and columns of the matrix that a fragment holds."""
        ...

    def operand(self, program: Any, product: Any, role: str, /) -> tuple[Format, bool]:
        """As what a product takes its A or B: the format, and whether it is the transposed of what is held."""
        ...

    def columns(self, product: Any, /) -> slice:
        """Of what an accumulator holds the columns that a product reads as C and writes as D."""
        ...

    def component_bits(self, fragment: Any, /) -> int:
        """Bits of a component, in which elements are packed."""
        ...

    def places(self, fragment: Any, lanes: int, /) -> Callable[[int, int], tuple[Place, ...]]:
        """Row and column of an element -> its places, the first copy first."""
        ...

    def part(self, bits: int, width: int, bit: int, /) -> str:
        """The class of ``part-of-word`` of an element of so many bits, from a bit of its component on."""
        ...

    def addresses(self, program: Any, load: Load, pass_number: int, /) -> Integers:
        """Bytes of the view at which elements of whole bytes lie, ``(waves, rows, cols)``: of the first copy."""
        ...

    def mismatch(self, bits: int, depth: int, a: Integers, b: Integers, /) -> Mapping[str, Flags]:
        """Classes of ``k-mismatch``, by the k of A's only column and of B's only row."""
        ...


def dialect_of(subject: Subject) -> Dialect:
    """The dialect of a case's kernel, which is of one of our specifications."""
    return _dialect(subject.case.spec)


@cache
def _dialect(spec: str) -> Dialect:
    found: Dialect = import_module(f"mmaspec.strategies.{spec.replace('-', '_')}.observations.dialect").DIALECT
    return found
