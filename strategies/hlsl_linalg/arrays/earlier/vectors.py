"""Vectors of threads: matrices made of them and taken apart; and rows that are multiplied by B matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Cast, Matrix, MultiplyVector, Use
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, Unary
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import SCOPES, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load, store
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN
from mmaspec.strategies.hlsl_linalg.builder.sizes import construction_of, made
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER, allowed_extents
from mmaspec.strategies.hlsl_linalg.templates.parts import small_regime, unit_for

THERE = {
    "all": Fraction(1), "some": Fraction(1, 2), "none": Fraction(1), "later-all": Fraction(2),
    "later-some": Fraction(3, 2),
}  # fmt: skip
"""Class of ``vectors-there`` -> vectors of the matrix for each lane of a wave."""
LATER_ALL = {1: Fraction(2), 2: Fraction(4), 3: Fraction(4)}
"""Index -> the same, where every thread has a vector there."""
SURPLUS = {"none": Fraction(1), "half": Fraction(1, 2), "most": Fraction(1, 4)}
"""Class of ``surplus-threads`` -> vectors for each lane."""
DEEPEST = 128


def _count_of(shop: Workshop, use: Use, component: ComponentType, count: int) -> tuple[int, int]:
    """A size with so many vectors of a matrix, as short as they can be."""
    unit = unit_for(shop.context, component, use)
    if unit is None:
        raise CannotBeMade
    along, across = (unit.columns, unit.rows) if use == "A" else (unit.rows, unit.columns)
    length = next((one for one in allowed_extents("Wave", DEEPEST, component) if one % across == 0), None)
    if length is None or count % along or count not in allowed_extents("Wave", 4 * DEEPEST, component):
        raise CannotBeMade
    return (length, count) if use == "A" else (count, length)


def _length(matrix: Matrix) -> int:
    return matrix.m if matrix.use == "A" else matrix.n


def _from(shop: Workshop, thing: Chosen) -> None:
    component: ComponentType = shop.context.row.entry.answer.component
    use, lanes = USES[thing["thread-vector-use"]], shop.b.wave_size
    size = _count_of(shop, use, component, int(lanes * SURPLUS[thing["surplus-threads"]]))
    matrix = shop.matrix(component, use, SCOPES[thing["thread-vector-scope"]], size)
    vector = shop.b.vector(shop.name("v"), component, _length(matrix))
    with shop.around(thing["in-flow"]):
        shop.add(vector_load(shop.b, vector, "in", own=True))
        if thing["thread-vector-from"] == "vectors":
            before = shop.matrix(component, use, matrix.scope, size)
            shop.add(load(shop.b, before, "in"), GetThreadVector(vector.name, before.name))
        shop.add(FromThreadVectors(matrix.name, vector.name))
        match thing["thread-vector-goes"]:
            case "vectors":
                back = shop.b.vector(shop.name("w"), component, _length(matrix))
                shop.add(GetThreadVector(back.name, matrix.name), vector_store(shop.b, back, "out"))
            case "cast":
                other = shop.matrix(component, use, matrix.scope, size)
                shop.add(Cast(other.name, matrix.name), store(shop.b, other, "out"))
            case goes:
                shop.use(matrix, goes)


def _to(shop: Workshop, thing: Chosen) -> None:
    component: ComponentType = shop.context.row.entry.answer.component
    use, lanes = USES[thing["thread-vector-use"]], shop.b.wave_size
    there = thing["vectors-there"]
    index = _index(shop, there)
    count = LATER_ALL[index] if there == "later-all" else THERE[there]
    size = _count_of(shop, use, component, int(lanes * count))
    matrix = shop.matrix(component, use, SCOPES[thing["thread-vector-scope"]], size)
    vector = shop.b.vector(shop.name("v"), component, _length(matrix))
    with shop.around(thing["in-flow"]):
        if thing["thread-vector-from"] == "vectors":
            given = shop.b.vector(shop.name("g"), component, _length(matrix))
            shop.add(vector_load(shop.b, given, "in", own=True), FromThreadVectors(matrix.name, given.name))
        else:
            shop.add(load(shop.b, matrix, "in"))
        shop.add(GetThreadVector(vector.name, matrix.name, index))
        if thing["thread-vector-goes"] == "vectors":
            again = shop.matrix(component, use, matrix.scope, size)
            shop.add(FromThreadVectors(again.name, vector.name), store(shop.b, again, "out"))
        else:
            shop.add(vector_store(shop.b, vector, "out"))


def _index(shop: Workshop, there: str) -> int:
    choices = shop.b.choices
    match there:
        case "none":
            return choices.one_of((1, 2, 5))
        case "later-all":
            return choices.one_of(tuple(LATER_ALL))
        case _:
            return int(there == "later-some")


def _each(of: Any, regime: Any, waves: int = 1) -> Any:
    """Programs of several things in a group of so many waves."""

    def build(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
        shop = Workshop(context, waves)
        try:
            for thing in things:
                of(shop, thing)
        except CannotBeMade:
            return None
        return shop.draft(regime(context), 2)

    return build


def _distinct(_: Any) -> str:
    return "distinct"


def _only(axis: str, threads: Mapping[str, Fraction]) -> Any:
    """Excludes the classes of an axis for which a matrix of the row cannot have as many vectors as they ask for."""

    def excluded(row: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
        component: ComponentType = row.entry.answer.component
        answer = construction_of(caps, component)
        allowed = allowed_extents("Wave", 4 * DEEPEST, component)
        for name, times in threads.items():
            counts = [int(size * times) for size in caps.wave_sizes]
            if answer is None or any(count % answer.min_k or count not in allowed for count in counts):
                yield frozenset({(axis, name)})

    return excluded


FROM_VECTORS = Packed(
    name="matrices-of-vectors",
    focus=("LINALG-FROMVEC", "LINALG-FROMVEC-SURPLUS", "LINALG-GETVEC-INVERSE"),
    under=EARLIER,
    axes={
        "thread-vector-use": ("a", "b"),
        "thread-vector-scope": ("wave", "group"),
        "surplus-threads": tuple(SURPLUS),
        "thread-vector-from": ("load", "vectors"),
        "thread-vector-goes": ("store", "vectors", "cast", "overwritten"),
        "in-flow": ("straight", "first-pass", "branch-all"),
    },
    build=_each(_from, _distinct),
    groups=("from-vectors",),
    per_case=6,
    rows=("matrix",),
    excluded=_only("surplus-threads", SURPLUS),
)
"""Matrices made of vectors of threads."""
_SMALL = (
    "vectors-there=later-all|later-some with thread-vector-from=vectors",
    "vectors-there=later-all|later-some with thread-vector-goes=vectors",
)
"""A matrix that is made of vectors has no more of them than a wave has lanes, LINALG-FROMVEC-DIM."""
TO_VECTORS = Packed(
    name="vectors-of-matrices",
    focus=("LINALG-GETVEC", "LINALG-GETVEC-BEYOND", "LINALG-GETVEC-INVERSE"),
    under=EARLIER,
    axes={
        "thread-vector-use": ("a", "b"),
        "thread-vector-scope": ("wave", "group"),
        "vectors-there": tuple(THERE),
        "thread-vector-from": ("load", "vectors"),
        "thread-vector-goes": ("store", "vectors"),
        "in-flow": ("straight", "first-pass", "branch-all"),
    },
    build=_each(_to, _distinct),
    groups=("to-vectors",),
    per_case=6,
    rows=("matrix",),
    excluded=_only("vectors-there", THERE),
    rules=_SMALL,
)
"""Matrices taken apart into vectors of threads."""


def _in_waves(of: Any) -> Any:
    """Things of wave scope in a group of two waves: of a group's matrix the text does not say whose vectors it has."""

    def placed(shop: Workshop, thing: Chosen) -> None:
        of(shop, {**thing, "thread-vector-scope": "wave"})

    return _each(placed, _distinct, 2)


FROM_VECTORS_IN_WAVES = Packed(
    name="matrices-of-vectors-in-waves",
    focus=FROM_VECTORS.focus,
    under=EARLIER,
    axes={name: classes for name, classes in FROM_VECTORS.axes.items() if name != "thread-vector-scope"},
    build=_in_waves(_from),
    groups=("from-vectors",),
    per_case=6,
    rows=("matrix",),
    excluded=_only("surplus-threads", SURPLUS),
)
"""Each wave's own matrices made of vectors of its threads."""
TO_VECTORS_IN_WAVES = Packed(
    name="vectors-of-matrices-in-waves",
    focus=TO_VECTORS.focus,
    under=EARLIER,
    axes={name: classes for name, classes in TO_VECTORS.axes.items() if name != "thread-vector-scope"},
    build=_in_waves(_to),
    groups=("to-vectors",),
    per_case=6,
    rows=("matrix",),
    excluded=_only("vectors-there", THERE),
    rules=_SMALL,
)
"""Each wave's own matrices taken apart."""

ROW_FROM = ("load", "array-load", "splat", "cast", "vectors", "changed")
FLOWS = ("straight", "first-pass", "branch-all", "branch-waves")
SIDES = ("square", "tall", "wide")


def _multiplied(shop: Workshop, thing: Chosen) -> None:
    b, answer = shop.b, shop.context.row.entry.answer
    scope = SCOPES[thing["row-scope"]]
    use: Use = "B"
    if scope == "Thread":
        first, second = allowed_extents("Thread", DEEPEST, answer.matrix)[:2]
        size = {"square": (first, first), "tall": (second, first), "wide": (first, second)}[thing["shape"]]
    else:
        size = shop.sides(thing["shape"], (answer.matrix, use), (answer.matrix, "Accumulator"))
    matrix = b.matrix(shop.name("M"), answer.matrix, size, use, scope)
    source = b.vector(shop.name("x"), answer.vector, size[0])
    result = b.vector(shop.name("y"), answer.result, size[1])
    with shop.around(thing["in-flow"]):
        _content(shop, matrix, thing["row-matrix-from"])
        shop.add(vector_load(b, source, "in", own=thing["source-differs"] == "by-thread"))
        bias: str | None = None
        if thing["bias"] == "vector":
            bias = b.vector(shop.name("z"), answer.result, size[1]).name
            shop.add(vector_load(b, b.vectors[-1], "in"))
        shop.add(MultiplyVector(result.name, matrix.name, source.name, bias))
        if thing["vector-goes"] == "bias":
            again = b.vector(shop.name("w"), answer.result, size[1])
            shop.add(MultiplyVector(again.name, matrix.name, source.name, result.name))
            shop.add(vector_store(b, again, "out"))
        else:
            shop.add(vector_store(b, result, "out"))


def _content(shop: Workshop, matrix: Matrix, origin: str) -> None:
    b = shop.b
    match origin:
        case "load" if matrix.scope == "Thread":
            shop.add(load(b, matrix, b.room(shop.name("matrix"), read_only=True), Style(run_time=10)))
        case "cast":
            before = shop.matrix(matrix.component, "Accumulator", matrix.scope, (matrix.m, matrix.n))
            shop.give(before, "load")
            shop.add(Cast(matrix.name, before.name))
        case "vectors":
            if matrix.m > b.wave_size:
                raise CannotBeMade
            rows = b.vector(shop.name("v"), matrix.component, matrix.n)
            shop.add(vector_load(b, rows, "in", own=True), FromThreadVectors(matrix.name, rows.name))
        case "changed":
            shop.give(matrix, "load")
            scalar: Any = COMPONENTS[matrix.component].scalar
            changed = Unary(matrix.name, "nop", matrix.name)
            shop.add(changed if b.choices.chance(50) else Operate(matrix.name, "add", scalar, Literal(0)))
        case _:
            shop.give(matrix, origin)


def _row_regime(context: DrawContext[Any]) -> str:
    return small_regime(context.row.entry.answer.result)


def _row_possible(row: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
    answer: VectorProduct = row.entry.answer
    if not answer.biases:
        yield frozenset({("bias", "vector")})
        yield frozenset({("vector-goes", "bias")})
    if not COMPONENTS[answer.matrix].native:
        yield from (frozenset({("row-matrix-from", one)}) for one in ("array-load", "changed"))
    if answer.matrix not in made(caps) or answer.matrix not in (*OWN, "PackedS8x32", "PackedU8x32"):
        yield from (frozenset({("row-scope", one)}) for one in ("wave", "group"))


ROW_PRODUCTS = Packed(
    name="row-products",
    focus=("LINALG-VECMUL", "LINALG-VECMULADD"),
    under=EARLIER,
    axes={
        "row-scope": ("thread", "wave", "group"),
        "shape": SIDES,
        "row-matrix-from": ROW_FROM,
        "source-differs": ("same", "by-thread"),
        "bias": ("none", "vector"),
        "vector-goes": ("store", "bias"),
        "in-flow": FLOWS,
    },
    build=_each(_multiplied, _row_regime, 2),
    groups=("vector-product",),
    per_case=6,
    rows=("vector",),
    excluded=_row_possible,
    # A vector of another type than the matrix may be converted or not, and a case has few such choices.
    fits_row=lambda row: row.entry.answer.vector == row.entry.answer.matrix,
    rules=(
        "row-scope=thread with row-matrix-from=array-load|splat|cast|vectors|changed",
        "row-scope=group with row-matrix-from=vectors",  # of a group of two waves
        "row-scope=group with in-flow=branch-waves",
        "in-flow=first-pass|branch-all|branch-waves with row-matrix-from=array-load",
    ),
)
"""Rows times B matrices of every scope, with what gives and uses them."""
