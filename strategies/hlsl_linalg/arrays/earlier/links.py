"""The links of a chain: what gives content to a matrix, changes it and uses it, each by a word."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Cast,
    Matrix,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    Scope,
    Splat,
    Use,
    Vector,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary
from mmaspec.strategies.hlsl_linalg.arrays.workshop import LEAST_K, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import store
from mmaspec.strategies.hlsl_linalg.builder.constants import encoded
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, SharedRoom
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extent
from mmaspec.strategies.hlsl_linalg.templates.parts import sums_are_judged

PRODUCT_SIDE = 16
LARGE_SIDE = 65
"""The least side of a large matrix: its rows and columns are more than 64."""
ENDS = ("zero", "lowest", "highest", "high")
STEPS = {"up": (1, 2), "down": (-1, -2)}
"""What a sum adds to every element of an accumulator at the end of its range, as A and as B."""
FAR = 40
"""An index beyond every matrix."""
TIMES_AGAIN = 4


def listed(caps: LinalgCaps, component: ComponentType, word: str) -> bool:
    """Whether the caps have what a word stands for: a product into a type, of its own vectors, or a sum of it."""
    own = component
    match word:
        case "outer":
            return any((one.vector, one.matrix) == (own, own) for one in caps.outer_products)
        case "product-outer":
            return listed(caps, own, "outer") and listed(caps, own, "product-vectors")
        case "product-vectors":
            return any((one.vector, one.matrix, one.result) == (own, own, own) for one in caps.vector_products)
        case "vectors-bias":
            found = [one.biases for one in caps.vector_products if (one.vector, one.matrix, one.result) == (own,) * 3]
            return any(own in biases for biases in found)
        case "accumulate" | "product":
            return any(one.accumulator == own for one in caps.products)
        case "sum" | "array-sum":
            sums = [one.buffers if word == "sum" else one.arrays for one in caps.atomics if one.component == own]
            return any(sums) and sums_are_judged(own)
        case _:
            return True


class Links:
    """A matrix of which links are added to a program one after the other; all of them are square."""

    def __init__(self, shop: Workshop, component: ComponentType, use: Use, scope: Scope, *, large: bool) -> None:
        """``large``: with more than 64 rows and columns."""
        self.shop: Workshop = shop
        self.large: bool = large
        self.side: int = LEAST_K
        self.component: ComponentType = component
        self.use: Use = use
        self.scope: Scope = scope

    def added(self, words: Sequence[str]) -> None:
        """All links of a chain. Raises `CannotBeMade`."""
        if not all(listed(self.shop.b.caps, self.component, word) for word in words):
            raise CannotBeMade
        least = LARGE_SIDE if self.large else PRODUCT_SIDE if {"accumulate", "product"} & set(words) else LEAST_K
        kinds: list[tuple[ComponentType, Use]] = [(self.component, use) for use in USES.values()]
        self.side = self.shop.sides("square", *kinds, least=least)[0]
        if not allowed_extent(self.component, self.scope, self.side):
            raise CannotBeMade
        first, *between, last = words
        matrix = self._new(self.use)
        self._given(matrix, first)
        for word in between:
            matrix = self._changed(matrix, word)
        self._used(matrix, last)

    def _new(self, use: Use) -> Matrix:
        return self.shop.matrix(self.component, use, self.scope, (self.side, self.side))

    def _vector(self, *, own: bool) -> Vector:
        """A loaded vector as long as a side, of every thread its own or the same."""
        vector = self._fresh()
        self.shop.add(vector_load(self.shop.b, vector, "in", own=own))
        return vector

    def _fresh(self) -> Vector:
        return self.shop.b.vector(self.shop.name("v"), self.component, self.side)

    def _multiplied(self, *, own: bool, bias: str | None = None) -> Vector:
        """A vector that is a product with a loaded B."""
        matrix, source, result = self._new("B"), self._vector(own=own), self._fresh()
        self.shop.give(matrix, "load")
        self.shop.add(MultiplyVector(result.name, matrix.name, source.name, bias))
        return result

    def _given(self, matrix: Matrix, word: str) -> None:
        shop = self.shop
        match word:
            case "vectors" | "product-vectors":
                if self.side > shop.b.wave_size:
                    raise CannotBeMade
                vector = self._vector(own=True) if word == "vectors" else self._multiplied(own=True)
                shop.add(FromThreadVectors(matrix.name, vector.name))
            case "outer" | "product-outer":
                column = self._vector(own=False) if word == "outer" else self._multiplied(own=False)
                shop.add(OuterProduct(matrix.name, column.name, self._vector(own=False).name))
            case "lowest-of-long":
                least = encoded(FORMATS[SCALARS["int64_t"]], COMPONENTS[self.component].format.min_value)
                shop.add(Splat(matrix.name, "int64_t", Literal(least)))
            case one if one in ENDS:
                self._filled(matrix, _end(self.component, word))
            case _:
                shop.give(matrix, word)

    def _filled(self, matrix: Matrix, value: int) -> None:
        scalar = _scalar(self.component)
        self.shop.add(Splat(matrix.name, scalar, Literal(encoded(FORMATS[SCALARS[scalar]], value))))

    def _changed(self, matrix: Matrix, word: str) -> Matrix:
        shop = self.shop
        match word.split("-"):
            case ["operator", *rest]:
                fmt = FORMATS[SCALARS[_scalar(self.component)]]
                value = fmt.infinity_magnitude | 1 << fmt.fraction_bits - 1 if rest else encoded(fmt, 1)
                shop.add(Operate(matrix.name, "add", _scalar(self.component), Literal(value)))
            case ["unary"]:
                row = COMPONENTS[self.component]
                signed = row.native and (row.format.is_float or row.format.signed)
                shop.add(Unary(matrix.name, "negate" if signed else "nop", matrix.name))
            case ["cast"]:
                other = self._new(matrix.use)
                shop.add(Cast(other.name, matrix.name))
                return other
            case ["accumulate"]:
                a, b = shop.factors(matrix)
                shop.add(MultiplyAccumulate(matrix.name, a, b))
            case ["square", "sum", *how]:
                self._summed(matrix, how)
            case _:
                raise CannotBeMade
        return matrix

    def _summed(self, total: Matrix, how: Sequence[str]) -> None:
        a, b = self._new("A"), self._new("B")
        steps = STEPS.get("".join(how))
        for number, one in enumerate((a, b)):
            if steps:
                self._filled(one, steps[number])
            else:
                self.shop.give(one, "load")
        self.shop.add(*[SumAccumulate(total.name, a.name, b.name)] * (TIMES_AGAIN if "again" in how else 1))

    def _used(self, matrix: Matrix, word: str) -> None:
        match word:
            case "array-sum":
                self._added_in_array(matrix)
            case "operand":
                self._operand(matrix)
            case one if one.startswith("vectors"):
                self._taken(matrix, one)
            case _:
                self.shop.use(matrix, word)

    def _added_in_array(self, matrix: Matrix) -> None:
        shop = self.shop
        if self.component not in OWN:
            raise CannotBeMade
        room = SharedRoom(shop.b, shop.name("array"), OWN[self.component])
        added = room.accumulate(matrix)
        shop.add(room.stage("in", data=shop.name("held")), Barrier(), added, Barrier(), room.unstage("out"))
        room.finish()

    def _operand(self, matrix: Matrix) -> None:
        shop = self.shop
        total, other = self._new("Accumulator"), self._new("B" if matrix.use == "A" else "A")
        for one in (total, other):
            shop.give(one, "load")
        a, b = (matrix, other) if matrix.use == "A" else (other, matrix)
        shop.add(SumAccumulate(total.name, a.name, b.name), store(shop.b, total, "out"))

    def _taken(self, matrix: Matrix, word: str) -> None:
        """Vectors of threads taken out of the matrix, and what follows."""
        shop, vector = self.shop, self._fresh()
        shop.add(GetThreadVector(vector.name, matrix.name, FAR if word == "vectors-far" else 0))
        match word:
            case "vectors-nothing":
                return
            case "vectors-overwritten":
                # Some lanes keep what they got.
                over = vector_load(shop.b, vector, "in", own=True, data=shop.name("over"))
                shop.add(Branch(max(shop.b.wave_size // 4, 1), (over,)))
            case "vectors-bias":
                vector = self._multiplied(own=True, bias=vector.name)
        shop.add(vector_store(shop.b, vector, "out"))


def _scalar(component: ComponentType) -> ScalarType:
    """The HLSL type that a component is by itself."""
    if not COMPONENTS[component].native:
        raise CannotBeMade
    return COMPONENTS[component].scalar  # type: ignore[return-value]


def _end(component: ComponentType, word: str) -> int:
    """The least or greatest number, or the first unsigned one with the highest bit."""
    fmt = COMPONENTS[component].format
    return {"zero": 0, "lowest": fmt.min_value, "highest": fmt.max_value, "high": 1 << fmt.bits - 1}[word]
