"""Families of programs about matrices made from vectors of threads, and taken apart into them."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    Instruction,
    Matrix,
    MultiplyAccumulate,
    Repeat,
    Scope,
    Simple,
    Use,
    Vector,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    exact_regime,
    moving_regime,
    size_for,
)
from mmaspec.strategies.hlsl_linalg.templates.products import Product, started

FACTORS: tuple[Use, ...] = ("A", "B")
FAR_INDEX = 1 << 20
"""An index of which the start is far outside every matrix, and no product of it overflows."""


def workers(context: Context) -> tuple[ProgramBuilder, Scope]:
    """A builder and a scope: a group's matrix has the vectors of one wave, where all passages agree (LINALG-AMB-18)."""
    draw = context.choices
    scopes: tuple[tuple[int, Scope], ...] = ((3, "Wave"), (2, "ThreadGroup"))
    scope = draw.weighted(scopes)
    return ProgramBuilder(context, 1 if scope == "ThreadGroup" else draw.weighted(((3, 1), (2, 2), (1, 3)))), scope


def counted(matrix: Matrix) -> int:
    """The vectors that a matrix has: columns of an A, rows of a B."""
    return matrix.n if matrix.use == "A" else matrix.m


def vector_of(b: ProgramBuilder, name: str, matrix: Matrix) -> Vector:
    """A vector as long as one of the matrix's: a column of an A, a row of a B."""
    return b.vector(name, matrix.component, matrix.m if matrix.use == "A" else matrix.n)


def _matrix(b: ProgramBuilder, name: str, use: Use, scope: Scope, most: int) -> Matrix | None:
    """A matrix of the row's type with so many vectors at most."""
    component: ComponentType = answer_of(b.context).component
    size = size_for(b.context, scope, (component, use))
    if size is None:
        return None
    matrix = Matrix(name, component, *size, use, scope)
    return b.matrix(name, component, size, use, scope) if counted(matrix) <= most else None


def _given(b: ProgramBuilder, matrix: Matrix, source: str) -> list[Simple]:
    """A matrix made from vectors of new data, of which surplus threads have some too."""
    vector = vector_of(b, f"{matrix.name}-v", matrix)
    return [vector_load(b, vector, source, own=True), FromThreadVectors(matrix.name, vector.name)]


def from_vectors(context: Context) -> Draft | None:
    """A matrix of as many vectors as a wave has lanes or of fewer, stored; the vectors are stored afterwards."""
    draw = context.choices
    b, scope = workers(context)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use in draw.one_of((FACTORS, FACTORS[:1], FACTORS[1:])):
        matrix = _matrix(b, use, use, scope, b.wave_size)
        if matrix is None:
            continue
        steps = _given(b, matrix, source)
        stored = store(b, matrix, target)
        forgotten = [load(b, matrix, source)] if draw.chance(25) else []
        body += forgotten
        if scope == "Wave" and b.waves > 1 and draw.chance(30):
            # Two loads of one name could be of two shapes: of what each wave has, and of what all have.
            loaded = forgotten or [load(b, matrix, source)]
            body += [*loaded, steps[0], Branch(0, (steps[1],), draw.integer(1, b.waves - 1)), stored]
        else:
            body += [*steps, stored]
        if draw.chance(40):
            body.append(vector_store(b, b.vectors[-1], target))
    return b.draft(body, moving_regime(draw)) if body else None


def to_vectors(context: Context) -> Draft | None:
    """Vectors of a loaded matrix from its start on, from further on, and from beyond its end."""
    draw = context.choices
    b, scope = workers(context)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use in draw.one_of((FACTORS, FACTORS[:1], FACTORS[1:])):
        matrix = _matrix(b, use, use, scope, 1 << 10)
        if matrix is None:
            continue
        body.append(load(b, matrix, source))
        for number, index in enumerate(indices(draw, counted(matrix), b.wave_size)):
            vector = vector_of(b, f"{use}{number}", matrix)
            one = GetThreadVector(vector.name, use, index)
            stored = vector_store(b, vector, target)
            around = scope == "Wave" and draw.chance(15)
            body += [Branch(b.wave_size, (one, stored))] if around else [one, stored]
    return b.draft(body, moving_regime(draw)) if body else None


def indices(draw: Choices, vectors: int, lanes: int) -> list[int]:
    """The first index mostly, and others: the last that reaches vectors, the next one, one far off."""
    last = (vectors - 1) // lanes
    found = [draw.weighted(((4, 0), (3, last)))]
    if draw.chance(60):
        found.append(draw.weighted(((3, last + 1), (2, max(last - 1, 0)), (1, FAR_INDEX), (1, 0))))
    return found


def there_and_back(context: Context) -> Draft | None:
    """Vectors made a matrix and taken out again: each thread's own, and zeros for those that the matrix has not."""
    draw = context.choices
    b, scope = workers(context)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    use = draw.one_of(FACTORS)
    matrix = _matrix(b, use, use, scope, b.wave_size)
    if matrix is None:
        return None
    back = vector_of(b, "back", matrix)
    body: list[Instruction] = list(_given(b, matrix, source))
    if draw.chance(30):
        body.append(vector_load(b, back, source, own=True, data="before"))  # which is forgotten
    body += [GetThreadVector("back", use), vector_store(b, back, target)]
    if draw.chance(50):
        # Once more, from what was taken out: threads beyond the matrix have zeros, which are discarded.
        body += [FromThreadVectors(use, "back"), store(b, matrix, target)]
    return b.draft(body, moving_regime(draw))


def vectors_loop(context: Context) -> Draft | None:
    """A loop that makes a matrix from vectors of every pass, takes vectors from another one, and stores both."""
    draw = context.choices
    b, scope = workers(context)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    use, other = draw.one_of((FACTORS, FACTORS[::-1]))
    made, taken = _matrix(b, "M", use, scope, b.wave_size), _matrix(b, "N", other, scope, 1 << 10)
    if made is None or taken is None:
        return None
    kept = load(b, taken, source)
    vector = vector_of(b, "out-v", taken)
    with b.loop(draw.integer(2, 3)) as passes:
        nested: list[Simple] = [*_given(b, made, source), store(b, made, target)]
        nested += [GetThreadVector("out-v", "N", draw.integer(0, 1)), vector_store(b, vector, target)]
        if draw.chance(40):
            nested.insert(0, load(b, taken, source, data="again"))
    return b.draft([kept, Repeat(passes, tuple(nested))], "distinct")


def factors_of_vectors(context: Context) -> Draft | None:
    """A product whose factors, or one of them, come from vectors of threads."""
    p = started(context, context.choices.weighted(((3, 1), (1, 2))))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    which = draw.one_of(((p.a,), (p.b,), (p.a, p.b)))
    if any(counted(one) > b.wave_size for one in which):
        return None
    if p.scope == "ThreadGroup" and b.waves > 1:
        return None
    body: list[Instruction] = []
    for one in (p.a, p.b):
        body += _given(b, one, source) if one in which else [load(b, one, source)]
    body += [load(b, p.c, source), *_products(p), store(b, p.c, target)]
    if draw.chance(40):
        back = vector_of(b, "back", which[0])
        body += [GetThreadVector("back", which[0].name), vector_store(b, back, target)]
    return b.draft(body, exact_regime(p.answer.accumulator, p.answer.a, p.answer.b))


def _products(p: Product) -> list[Simple]:
    return [p.step(), *([MultiplyAccumulate("C", "A", "B")] if p.builder.choices.chance(20) else [])]
