"""The valid drafts that near misses of the text of 2025-09-19 start from, with names as the later text's have them."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.caps import AtomicSum, Construction, LinalgCaps, OuterProductSupport, VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Cast,
    Instruction,
    InterlockedAccumulate,
    Load,
    MultiplyVector,
    OuterProduct,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, SumAccumulate, Unary
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, load, store
from mmaspec.strategies.hlsl_linalg.builder.optimal import put, take
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN
from mmaspec.strategies.hlsl_linalg.builder.sizes import construction_of
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extent, allowed_extents
from mmaspec.strategies.hlsl_linalg.templates.parts import Context

STYLE = Style(run_time=0, own=False, align=0)
SLACK = 1 << 12
"""Bytes of every buffer beyond what is used."""
ITEMS = 2
WIDEST = 8


def finished(b: ProgramBuilder, body: list[Instruction]) -> Draft:
    """The draft, with room after everything."""
    for room in b.rooms.values():
        room.used += SLACK
    return b.draft(body, "small", ITEMS)


def matrix_base(context: Context, answer: Construction, size: tuple[int, int]) -> Draft:
    """A, B and C of one size, a Cast of A, a unary operation; S += A2 + B2, all square; F of vectors, B taken apart.

    D goes from one array into another where the type is one of HLSL's own.
    """
    b = ProgramBuilder(context)
    b.wave_size = max(b.caps.wave_sizes)
    component = answer.component
    a = b.matrix("A", component, size, "A")
    matrices = (a, b.matrix("B", component, size, "B"), b.matrix("C", component, size, "Accumulator"))
    b.matrix("T", component, size, "B")
    b.matrix("U", component, size, "A")
    side = (size[0], size[0])
    squares = (
        b.matrix("A2", component, side, "A"),
        b.matrix("B2", component, side, "B"),
        b.matrix("S", component, side, "Accumulator"),
    )
    body: list[Instruction] = [load(b, one, b.room(f"in-{one.name}"), STYLE) for one in (*matrices, *squares)]
    body += [Cast("T", "A"), SumAccumulate("S", "A2", "B2")]
    # What a unary operation was applied to is not used again.
    body += [load(b, b.matrix("V", component, size, "A"), b.room("in-V"), STYLE), Unary("U", "nop", "V")]
    if size[0] <= b.wave_size:
        b.matrix("F", component, side, "A")
        given = b.vector("f", component, size[0])
        taken = b.vector("g", component, size[1])
        body += [vector_load(b, given, b.room("in-f"), own=True, unit=WIDEST), FromThreadVectors("F", "f")]
        body += [GetThreadVector("g", "B"), vector_store(b, taken, b.room("out-g"), unit=WIDEST)]
    if component in OWN:
        body += _through_arrays(b, answer, size)
    body.append(store(b, matrices[2], b.room("out"), STYLE))
    return finished(b, body)


def _through_arrays(b: ProgramBuilder, answer: Construction, size: tuple[int, int]) -> list[Instruction]:
    component = answer.component
    held = b.matrix("D", component, size, "Accumulator")
    width = COMPONENTS[component].format.nbytes
    start, step = BASE_BYTES // width, held.n + 1
    length = start + held.m * step
    b.arrays += [SharedArray(name, OWN[component], length) for name in ("from", "to")]
    for name in ("staged", "unstaged"):
        b.taken(b.room(name), length * width, WIDEST)
    return [
        Stage("from", "staged", 0, length),
        Stage("to", "staged", 0, length),
        Barrier(),
        Load("D", "from", start, step),
        Store("D", "to", start, step),
        Barrier(),
        Unstage("to", "unstaged", 0, length),
    ]


BASE_BYTES = 128
"""Where matrices begin in the arrays."""


def optimal_within(caps: LinalgCaps, component: str, layout: str) -> tuple[tuple[int, int], ...]:
    """Sizes that the device knows in an optimal layout, and that stay inside the table of dimensions."""
    sizes = [(one.m, one.n) for one in caps.optimal if (one.component, one.layout) == (component, layout)]
    return tuple(one for one in sizes if all(allowed_extent(component, "Thread", side) for side in one))  # type: ignore[arg-type]


def vector_base(context: Context, answer: VectorProduct) -> Draft:
    """Y = x * M of a Thread matrix, with a bias where there is one; from an optimal layout where sizes are known."""
    draw = context.choices
    b = ProgramBuilder(context)
    sizes = optimal_within(context.caps, answer.matrix, "MulOptimal")
    before: list[Instruction] = []
    after: list[Instruction] = []
    room = b.room("matrix", read_only=True)
    if sizes:
        size = draw.one_of(sizes)
        matrix = b.matrix("M", answer.matrix, size, "B", "Thread")
        held = put(b, answer.matrix, size, "MulOptimal", b.room("given"), b.room("optimal", read_only=True), "W")
        before = [held.conversion, Load("M", "optimal", held.offset, 0, "MulOptimal")]
        after = [take(b, held, "optimal", b.room("back"))]
        b.taken(room, SLACK, 128)
    else:
        matrix = b.matrix("M", answer.matrix, shared_size(context.caps, answer), "B", "Thread")
        before = [load(b, matrix, room, STYLE)]
    source, result = b.vector("x", answer.vector, matrix.m), b.vector("y", answer.result, matrix.n)
    body: list[Instruction] = [*before, vector_load(b, source, b.room("in"), own=True, unit=WIDEST)]
    bias: str | None = None
    if answer.biases:
        body.append(vector_load(b, b.vector("z", answer.result, matrix.n), b.room("in-z"), own=True, unit=WIDEST))
        bias = "z"
    body += [MultiplyVector("y", "M", "x", bias), vector_store(b, result, b.room("out-y"), unit=WIDEST)]
    return finished(b, [*body, *after])


def shared_size(caps: LinalgCaps, answer: VectorProduct) -> tuple[int, int]:
    """A size that a B has at every scope, of more columns than rows."""
    sides = allowed_extents("Thread", 512, answer.matrix)
    least = construction_of(caps, answer.matrix)
    if least is None:
        return sides[0], sides[1]
    rows = next((one for one in sides if one % least.min_k == 0), sides[0])
    columns = next((one for one in sides if one % least.min_n == 0 and one > rows), sides[-1])
    return rows, columns


def outer_base(context: Context, answer: OuterProductSupport) -> Draft:
    """O = c * r of a thread, added to a matrix that a conversion put there; of a wave, stored, where none is known."""
    b = ProgramBuilder(context)
    sizes = optimal_within(context.caps, answer.matrix, "OuterProductOptimal")
    if not sizes:
        return _shared_outer(b, answer)
    m, n = sizes[0]
    b.threads = 1
    held = put(b, answer.matrix, (m, n), "OuterProductOptimal", b.room("given"), b.room("sum"), "W")
    column, row = b.vector("c", answer.vector, m), b.vector("r", answer.vector, n)
    b.matrix("O", answer.matrix, (m, n), "Accumulator", "Thread")
    body: list[Instruction] = [held.conversion]
    body += [vector_load(b, one, b.room(f"in-{one.name}"), own=True, unit=WIDEST) for one in (column, row)]
    body += [
        OuterProduct("O", "c", "r"),
        InterlockedAccumulate("O", "sum", held.offset, 0, "OuterProductOptimal"),
        take(b, held, "sum", b.room("back")),
    ]
    return finished(b, body)


def _shared_outer(b: ProgramBuilder, answer: OuterProductSupport) -> Draft:
    least = construction_of(b.caps, answer.matrix)
    sides = [one for one in allowed_extents("Wave", 128, answer.matrix) if least is None or one % least.min_m == 0]
    columns = [one for one in allowed_extents("Wave", 128, answer.matrix) if least is None or one % least.min_n == 0]
    m, n = sides[0], columns[min(1, len(columns) - 1)]
    vectors = b.vector("c", answer.vector, m), b.vector("r", answer.vector, n)
    matrix = b.matrix("O", answer.matrix, (m, n), "Accumulator", "Wave")
    body: list[Instruction] = [vector_load(b, one, b.room(f"in-{one.name}"), own=False, unit=WIDEST) for one in vectors]
    body += [OuterProduct("O", "c", "r"), store(b, matrix, b.room("out"), STYLE)]
    return finished(b, body)


def atomic_base(context: Context, answer: AtomicSum, size: tuple[int, int]) -> Draft:
    """C added in a buffer and in an array, as far as the device has these sums."""
    b = ProgramBuilder(context)
    component, tags = answer.component, context.row.tags
    if not tags & {"matrix-sums", "array-sums"}:
        vector = b.vector("x", component, 5)
        body: list[Instruction] = [vector_load(b, vector, b.room("in-x"), own=True, unit=WIDEST)]
        return finished(b, [*body, vector_store(b, vector, b.room("out-x"), unit=WIDEST)])
    c = b.matrix("C", component, size, "Accumulator")
    body = [load(b, c, b.room("in-C"), STYLE)]
    if "matrix-sums" in tags:
        body.append(accumulate(b, c, b.room("sum"), STYLE))
    if "array-sums" in tags and component in OWN:
        width = COMPONENTS[component].format.nbytes
        length = c.m * (c.n + 1)
        b.arrays.append(SharedArray("g", OWN[component], length))
        for name in ("staged", "unstaged"):
            b.taken(b.room(name), length * width, WIDEST)
        body += [
            Stage("g", "staged", 0, length),
            Barrier(),
            InterlockedAccumulate("C", "g", 0, c.n + 1),
            Barrier(),
            Unstage("g", "unstaged", 0, length),
        ]
    return finished(b, body)
