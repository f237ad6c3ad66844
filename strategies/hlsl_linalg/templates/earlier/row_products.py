"""Families of programs in which a row vector of every thread is multiplied by a B matrix of any scope."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.caps import VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Cast,
    Instruction,
    Load,
    Matrix,
    MultiplyVector,
    Repeat,
    Scope,
    Simple,
    Splat,
    Vector,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load, store
from mmaspec.strategies.hlsl_linalg.builder.optimal import put, put_several
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, SharedRoom, fits
from mmaspec.strategies.hlsl_linalg.builder.sizes import construction_of
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extent, allowed_extents
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    exact_regime,
    far_apart,
    is_float,
    size_for,
    small_regime,
)
from mmaspec.strategies.hlsl_linalg.templates.vectors import group

EXTENTS = 32
"""Rows and columns of a Thread matrix are so many at most, but for a few."""
MOST = 128
LARGE_WAVE = 64
SCOPES: tuple[tuple[int, Scope], ...] = ((3, "Thread"), (3, "Wave"), (2, "ThreadGroup"))


class Row:
    """A product of a row vector and a B matrix under construction."""

    def __init__(self, context: Context, b: ProgramBuilder, matrix: Matrix) -> None:
        """The matrix has no content yet."""
        self.context: Context = context
        self.b: ProgramBuilder = b
        self.matrix: Matrix = matrix
        self.answer: VectorProduct = answer_of(context)
        self.body: list[Instruction] = []
        self.given: str = b.room("in", read_only=b.choices.chance(50))
        self.target: str = b.room("out")
        b.work += matrix.m * matrix.n * b.group // 4

    def source(self, name: str = "x") -> Vector:
        """A loaded vector of as many components as the matrix has rows; every thread has its own, mostly."""
        vector = self.b.vector(name, self.answer.vector, self.matrix.m)
        self.body.append(vector_load(self.b, vector, self.given))
        return vector

    def bias(self) -> str | None:
        """A loaded vector of the result's type, or None; at times the one that is multiplied."""
        draw = self.b.choices
        if not self.answer.biases or draw.chance(40):
            return None
        if self.answer.vector == self.answer.result and self.matrix.m == self.matrix.n and draw.chance(25):
            return "x"
        self.body.append(vector_load(self.b, self.b.vector("z", self.answer.result, self.matrix.n), self.given))
        return "z"

    def multiply(self, source: str, bias: str | None, name: str = "y") -> Vector:
        """The product, and a store of its result."""
        result = self.b.vector(name, self.answer.result, self.matrix.n)
        self.body += [MultiplyVector(name, "M", source, bias), vector_store(self.b, result, self.target)]
        return result

    def draft(self, regime: str) -> Draft:
        """The program."""
        for name in [one.name for one in self.b.rooms.values() if not one.used]:
            del self.b.rooms[name]
        return self.b.draft(self.body, regime)


def row_of(context: Context, scope: Scope | None = None, *, square: bool = False) -> Row | None:
    """A B matrix of some scope without content; None where the device can have none."""
    draw = context.choices
    answer: VectorProduct = answer_of(context)
    chosen = draw.weighted(SCOPES) if scope is None else scope
    b = group(context, partial=chosen == "Thread")
    if chosen == "Thread":
        few = allowed_extents(chosen, EXTENTS if draw.chance(85) else MOST, answer.matrix)
        size: tuple[int, int] | None = (draw.one_of(few), draw.one_of(few))
        if square:
            size = (size[0], size[0])  # type: ignore[index]
    else:
        size = size_for(context, chosen, (answer.matrix, "B"))
    if size is None or (square and size[0] != size[1]):
        return None
    return Row(context, b, b.matrix("M", answer.matrix, size, "B", chosen))


def filled(p: Row) -> bool:
    """Content for the matrix, from memory or from elsewhere; whether there is any."""
    b, draw, matrix = p.b, p.b.choices, p.matrix
    if matrix.scope == "Thread":
        room = b.room("matrix", read_only=True)
        own = draw.chance(30) and b.wave_size <= LARGE_WAVE and matrix.m * matrix.n <= EXTENTS * EXTENTS
        p.body.append(load(b, matrix, room, Style(own=own)))
        return True
    origin = draw.weighted(((5, "load"), (2, "array"), (1, "splat"), (2, "cast"), (2, "vectors")))
    whole = matrix.scope == "Wave" or b.waves == 1
    if origin == "array" and matrix.component in OWN:
        shared = SharedRoom(b, "tile", OWN[matrix.component])
        loaded = shared.load(matrix)
        p.body += [shared.stage(p.given), Barrier(), loaded]
        shared.finish()
        return fits(b)
    if origin == "splat":
        scalar: ScalarType = "float" if is_float(matrix.component) else "int"
        p.body.append(Splat("M", scalar, b.scalar("M", scalar, plain=True)))
        return True
    if origin == "cast" and _accumulates(p.context, matrix):
        before = b.matrix("M0", matrix.component, (matrix.m, matrix.n), "Accumulator", matrix.scope)
        p.body += [load(b, before, p.given), Cast("M", "M0")]
        return True
    if origin == "vectors" and matrix.m <= b.wave_size and whole:
        rows = b.vector("M-v", matrix.component, matrix.n)
        p.body += [vector_load(b, rows, p.given, own=True), FromThreadVectors("M", "M-v")]
        return True
    p.body.append(load(b, matrix, p.given))
    return True


def _accumulates(context: Context, matrix: Matrix) -> bool:
    answer = construction_of(context.caps, matrix.component)
    return answer is not None and matrix.m % answer.min_m == matrix.n % answer.min_n == 0


def row_regime(p: Row) -> str:
    """Data whose sums are exact, mostly."""
    draw, answer = p.b.choices, p.answer
    if draw.chance(50):
        return small_regime(answer.result)
    return exact_regime(answer.result, answer.vector, answer.matrix)


def row_multiply(context: Context) -> Draft | None:
    """A row vector times a matrix of any scope."""
    p = row_of(context)
    if p is None or not filled(p):
        return None
    source = p.source()
    p.multiply(source.name, None)
    if context.choices.chance(25):
        p.body.append(vector_store(p.b, source, p.target))
    return p.draft(row_regime(p))


def row_multiply_add(context: Context) -> Draft | None:
    """The same and a bias of the result's type."""
    p = row_of(context)
    if p is None or not p.answer.biases or not filled(p):
        return None
    source = p.source()
    p.multiply(source.name, p.bias())
    return p.draft(row_regime(p))


def row_loop(context: Context) -> Draft | None:
    """A loop in which every pass has a vector, and perhaps a matrix, of its own."""
    p = row_of(context)
    if p is None or not filled(p):
        return None
    b, draw = p.b, context.choices
    before, p.body = p.body, []
    with b.loop(draw.integer(2, 3)) as passes:
        if p.matrix.scope == "Thread":
            if draw.chance(40):
                p.body.append(load(b, p.matrix, b.room("again", read_only=True), Style(own=False), data="again"))
        elif draw.chance(40):
            p.body.append(load(b, p.matrix, p.given, data="again"))
        p.multiply(p.source().name, None)
    nested: tuple[Simple, ...] = tuple(p.body)  # type: ignore[arg-type]
    p.body = [*before, Repeat(passes, nested)]
    return p.draft(row_regime(p))


def row_layers(context: Context) -> Draft | None:
    """A result that is multiplied again, by the same matrix: rows and columns are as many."""
    answer: VectorProduct = answer_of(context)
    if answer.vector != answer.result:
        return None
    p = row_of(context, square=True)
    if p is None or not filled(p):
        return None
    first = p.multiply(p.source().name, None)
    bias = first.name if answer.biases and context.choices.chance(40) else None
    p.multiply(first.name, bias, "w")
    return p.draft(small_regime(answer.result))


def row_of_vectors(context: Context) -> Draft | None:
    """Rows of another matrix multiplied: vectors that were taken out of a B of the same type."""
    answer: VectorProduct = answer_of(context)
    draw = context.choices
    p = row_of(context, draw.one_of(("Wave", "ThreadGroup")))
    if p is None or answer.vector != answer.matrix or (p.matrix.scope == "ThreadGroup" and p.b.waves > 1):
        return None
    size = size_for(context, p.matrix.scope, (answer.vector, "B"))
    unit = construction_of(context.caps, answer.vector)
    if (
        size is None
        or unit is None
        or p.matrix.m % unit.min_n
        or not allowed_extent(answer.vector, p.matrix.scope, p.matrix.m)
    ):
        return None
    if not filled(p):
        return None
    rows = p.b.matrix("R", answer.vector, (size[0], p.matrix.m), "B", p.matrix.scope)
    source = p.b.vector("x", answer.vector, p.matrix.m)
    p.body += [load(p.b, rows, p.given), GetThreadVector("x", "R", draw.integer(0, 1))]
    p.multiply(source.name, None)
    if draw.chance(30):
        p.body.append(store(p.b, rows, p.target))
    return p.draft(row_regime(p))


def row_rounding(regime: str) -> Callable[[Context], Draft | None]:
    """Floats for which nothing is exact, and integers that overflow."""

    def build(context: Context) -> Draft | None:
        p = row_of(context)
        if p is None or not filled(p):
            return None
        if regime == "overflow" and not far_apart(p.answer.result, p.answer.vector, p.answer.matrix):
            return None
        source = p.source()
        p.multiply(source.name, p.bias())
        return p.draft(regime)

    return build


def row_matrices(context: Context) -> Draft | None:
    """A matrix of every thread's own, from places that go on by lane and wave, and a vector that all share."""
    p = row_of(context, "Thread")
    if p is None or p.matrix.m * p.matrix.n > EXTENTS * EXTENTS // 2:
        return None
    p.body.append(load(p.b, p.matrix, p.b.room("matrix", read_only=True), Style(own=True)))
    p.multiply(p.source().name, None)
    return p.draft(row_regime(p))


def row_flow(context: Context) -> Draft | None:
    """A result that every thread has from memory and some lanes, of all waves or the first ones, multiply anew."""
    p = row_of(context, "Thread")
    if p is None or not filled(p):
        return None
    b, draw = p.b, context.choices
    first = min(b.wave_size, b.group)
    if first == 1:
        return None
    source, result = p.source(), b.vector("y", p.answer.result, p.matrix.n)
    some = Branch(draw.integer(1, first - 1), (MultiplyVector("y", "M", source.name),), draw.integer(0, b.waves))
    p.body += [vector_load(b, result, b.room("kept"), own=True), some, vector_store(b, result, p.target)]
    return p.draft(row_regime(p))


def row_optimal(context: Context) -> Draft | None:
    """A Thread matrix from the layout that is optimal for products: one for all, or one for each of a few threads."""
    draw = context.choices
    answer: VectorProduct = answer_of(context)
    component: ComponentType = answer.matrix
    found = [(one.m, one.n) for one in context.caps.optimal if (one.component, one.layout) == (component, "MulOptimal")]
    sizes = [one for one in found if all(allowed_extent(component, "Thread", side) for side in one)]
    if not sizes:
        return None
    size = draw.one_of(sizes)
    b = group(context)
    own = draw.chance(40) and b.wave_size > 1
    if own:
        b.waves, b.threads = 1, draw.integer(2, min(4, b.wave_size))
    p = Row(context, b, b.matrix("M", component, size, "B", "Thread"))
    room, given = b.room("matrix", read_only=True), b.room("given")
    align = draw.one_of((0, COMPONENTS[component].format.nbytes, 16))
    if own:
        held = put_several(b, component, size, "MulOptimal", given, room, "M", b.threads)
        first, second, *_ = (one.offset for one in held)
        p.body += [one.conversion for one in held]
        p.body.append(Load("M", room, Affine(first, lane=second - first), 0, "MulOptimal", align))
    else:
        one = put(b, component, size, "MulOptimal", given, room, "M")
        p.body += [one.conversion, Load("M", room, b.argument(one.offset, 10), 0, "MulOptimal", align)]
    source = p.source()
    p.multiply(source.name, p.bias())
    return p.draft(small_regime(answer.result))
