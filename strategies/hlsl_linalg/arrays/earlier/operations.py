"""Operators with a scalar and unary operations: what they change, where their scalars come from, what follows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.program import Cast, Matrix, Use
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, Operate, Operator, Unary, UnaryOperation
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.hlsl_linalg.arrays.conversions import many
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import SCOPES, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.constants import encoded
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER

OPERATORS: tuple[Operator, ...] = ("add", "sub", "mul", "div")
KINDS: dict[str, tuple[Fraction, ...]] = {
    "zero": (Fraction(0),), "one": (Fraction(1),), "minus-one": (Fraction(-1),),
    "power": (Fraction(2), Fraction(4), Fraction(-2)), "positive": (Fraction(3), Fraction(7)),
    "negative": (Fraction(-3), Fraction(-5)),
}  # fmt: skip
"""Class of a scalar -> some of its numbers; the others are those of a format."""
OF_FORMAT = ("subnormal", "largest", "infinity")
FLOWS = ("straight", "first-pass", "branch-all", "branch-waves")
FROM = ("load", "splat", "cast", "vectors", "operator", "unary")
GOES = ("store", "cast", "operator", "unary", "overwritten")
REGIMES = ("normal", "edges", "specials", "subnormal", "window")
SQUARE = 16
"""Rows and columns of matrices that vectors of threads make."""


def _scalar_of(matrix: Matrix) -> ScalarType:
    return COMPONENTS[matrix.component].scalar  # type: ignore[return-value]


def _bits(shop: Workshop, fmt: Format, kind: str) -> int:
    if kind in KINDS:
        numbers = [one for one in KINDS[kind] if fmt.is_float or fmt.signed or one >= 0]
        return encoded(fmt, shop.b.choices.one_of(numbers))
    return {"subnormal": 1, "largest": fmt.largest_magnitude, "infinity": fmt.infinity_magnitude}[kind]


def _given(shop: Workshop, matrix: Matrix, origin: str) -> None:
    """Content for a matrix, of a class of ``changed-from``."""
    match origin:
        case "vectors":
            if matrix.use == "Accumulator" or max(matrix.m, matrix.n) > shop.b.wave_size:
                raise CannotBeMade
            length = matrix.m if matrix.use == "A" else matrix.n
            vector = shop.b.vector(shop.name("v"), matrix.component, length)
            shop.add(vector_load(shop.b, vector, "in", own=True), FromThreadVectors(matrix.name, vector.name))
        case "operator":
            shop.give(matrix, "load")
            shop.add(_one(matrix))
        case "unary":
            shop.give(matrix, "load")
            shop.add(Unary(matrix.name, "nop", matrix.name))
        case _:
            shop.give(matrix, origin)


def _one(matrix: Matrix) -> Operate:
    scalar = _scalar_of(matrix)
    return Operate(matrix.name, "add", scalar, Literal(encoded(FORMATS[SCALARS[scalar]], 1)))


def _used(shop: Workshop, matrix: Matrix, goes: str) -> None:
    """What follows, of a class of ``changed-goes``."""
    match goes:
        case "operator":
            shop.add(_one(matrix), store(shop.b, matrix, "out"))
        case "unary":
            shop.add(Unary(matrix.name, "nop", matrix.name), store(shop.b, matrix, "out"))
        case "cast":
            other = shop.matrix(matrix.component, matrix.use, matrix.scope, (matrix.m, matrix.n))
            shop.add(Cast(other.name, matrix.name), store(shop.b, other, "out"))
        case _:
            shop.use(matrix, goes)


def _matrix(shop: Workshop, thing: Chosen) -> Matrix:
    component: ComponentType = shop.context.row.entry.answer.component
    use: Use = USES[thing["changed-use"]]
    scope = SCOPES[thing["changed-scope"]]
    return shop.matrix(component, use, scope, shop.sides(thing["changed-shape"], (component, use), least=SQUARE))


def _operate(shop: Workshop, thing: Chosen) -> None:
    matrix = _matrix(shop, thing)
    scalar = _scalar_of(matrix)
    fmt = FORMATS[SCALARS[scalar]]
    value = Literal(_bits(shop, fmt, thing["operator-scalar-kind"]))
    wave = 1 if thing["operator-waves"] == "waves" else 0
    with shop.around(thing["in-flow"]):
        _given(shop, matrix, thing["changed-from"])
        shop.add(Operate(matrix.name, thing["operator"], scalar, value, 0, wave << max(fmt.fraction_bits - 1, 0)))  # type: ignore[arg-type]
        _used(shop, matrix, thing["changed-goes"])


def _possible(row: Row[Any], _: LinalgCaps) -> Iterator[Tuple]:
    fmt = COMPONENTS[row.entry.answer.component].format
    if not fmt.is_float:
        yield from (frozenset({("operator-scalar-kind", kind)}) for kind in OF_FORMAT)
        yield frozenset({("operator", "div"), ("operator-scalar-kind", "zero")})
        # A quotient by what another wave makes of the scalar.
        yield frozenset({("operator", "div"), ("operator-waves", "waves")})
        if not fmt.signed:
            yield from (frozenset({("operator-scalar-kind", kind)}) for kind in ("minus-one", "negative"))


RULES = (
    "changed-scope=group with in-flow=branch-waves",
    "changed-use=accumulator with changed-from=vectors",
    "changed-shape=tall|wide with changed-from=vectors",
    "changed-scope=group with changed-from=vectors",  # of a group of two waves
    "in-flow=first-pass|branch-all|branch-waves with changed-goes=overwritten",
)
OPERATIONS = Packed(
    name="operators",
    focus=("LINALG-ELEMWISE",),
    under=EARLIER,
    axes={
        "operator": OPERATORS,
        "changed-use": ("a", "b", "accumulator"),
        "changed-scope": ("wave", "group"),
        "changed-shape": ("square", "tall", "wide"),
        "operator-scalar-kind": (*KINDS, *OF_FORMAT),
        "operator-waves": ("alike", "waves"),
        "changed-from": FROM,
        "changed-goes": GOES,
        "in-flow": FLOWS,
    },
    build=many(_operate, REGIMES),
    groups=("operator",),
    per_case=7,
    rows=("elements",),
    excluded=_possible,
    rules=(
        *RULES,
        "changed-scope=group with operator-waves=waves",
        "operator-waves=waves with operator-scalar-kind=zero|subnormal|largest|infinity",
    ),
)
"""Operators, scalars, matrices and what gives and uses them."""

UNARY: tuple[UnaryOperation, ...] = ("nop", "negate", "abs")


def _unary(shop: Workshop, thing: Chosen) -> None:
    source = _matrix(shop, thing)
    target = source
    if thing["unary-place"] != "same":
        target = shop.matrix(source.component, source.use, source.scope, (source.m, source.n))
    if thing["unary-place"] == "other":
        shop.add(load(shop.b, target, "in"))
    with shop.around(thing["in-flow"]):
        _given(shop, source, thing["changed-from"])
        shop.add(Unary(target.name, thing["unary-operation"], source.name))  # type: ignore[arg-type]
        _used(shop, target, thing["changed-goes"])


def _signs(row: Row[Any], _: LinalgCaps) -> Iterator[Tuple]:
    fmt = COMPONENTS[row.entry.answer.component].format
    if not (fmt.is_float or fmt.signed):
        yield from (frozenset({("unary-operation", name)}) for name in ("negate", "abs"))


UNARIES = Packed(
    name="unary-operations",
    focus=("LINALG-UNARY",),
    under=EARLIER,
    axes={
        "unary-operation": UNARY,
        "changed-use": ("a", "b", "accumulator"),
        "changed-scope": ("wave", "group"),
        "changed-shape": ("square", "tall", "wide"),
        "unary-place": ("same", "fresh", "other"),
        "changed-from": FROM,
        "changed-goes": GOES,
        "in-flow": FLOWS,
    },
    build=many(_unary, ("normal", "edges", "specials", "nan-kinds")),
    groups=("unary",),
    per_case=7,
    rows=("elements",),
    excluded=_signs,
    rules=(*RULES, "unary-place=fresh with in-flow=first-pass"),
)
"""Unary operations, their matrices and what gives and uses them."""
