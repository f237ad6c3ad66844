"""The valid draft that near misses start from: every operation that a rule is about, with known names."""

from __future__ import annotations

from math import lcm

from mmaspec.programs.hlsl_linalg.caps import (
    AtomicSum,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OuterProductSupport,
    VectorProduct,
)
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Barrier,
    Cast,
    Convert,
    Instruction,
    InterlockedAccumulate,
    Load,
    Multiply,
    MultiplyVector,
    OuterProduct,
    Scope,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, load, store
from mmaspec.strategies.hlsl_linalg.builder.optimal import optimal_sizes, put, take
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN
from mmaspec.strategies.hlsl_linalg.builder.sizes import LARGEST, construction_of
from mmaspec.strategies.hlsl_linalg.builder.vectors import (
    memory_bias,
    vector_accumulate,
    vector_load,
    vector_store,
)
from mmaspec.strategies.hlsl_linalg.near_misses import earlier_base as earlier
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier
from mmaspec.strategies.hlsl_linalg.templates.parts import Context
from mmaspec.strategies.hlsl_linalg.templates.products import group_waves

STYLE = Style(run_time=0, own=False, align=0)
SLACK = 1 << 12
"""Bytes of every buffer beyond what is used."""
ITEMS = 2
WIDEST = 8
"""Bytes of the widest component: vectors may get another type."""


def near_miss_base(context: DrawContext[object]) -> Draft:
    """A valid program for the kind of row; nothing is read at run time, every access has a buffer of its own."""
    answer = context.row.entry.answer
    if is_earlier(context.caps):  # type: ignore[arg-type]
        return _earlier(context, answer)  # type: ignore[arg-type]
    match answer:
        case Construction():
            return _matrix(context, answer)  # type: ignore[arg-type]
        case MatrixProduct():
            return _product(context, answer)  # type: ignore[arg-type]
        case VectorProduct():
            return _vector(context, answer)  # type: ignore[arg-type]
        case OuterProductSupport():
            return _outer(context, answer)  # type: ignore[arg-type]
        case AtomicSum():
            return _atomic(context, answer)  # type: ignore[arg-type]
    raise TypeError(type(answer).__name__)


def _earlier(context: Context, answer: object) -> Draft:
    """The same of the text of 2025-09-19, whose products of matrices are alike."""
    match answer:
        case Construction():
            return earlier.matrix_base(context, answer, even(context.caps, answer.component))
        case VectorProduct():
            return earlier.vector_base(context, answer)
        case OuterProductSupport():
            return earlier.outer_base(context, answer)
        case AtomicSum():
            return earlier.atomic_base(context, answer, even(context.caps, answer.component))
        case MatrixProduct():
            return _product(context, answer)
    raise TypeError(type(answer).__name__)


def _finished(b: ProgramBuilder, body: list[Instruction]) -> Draft:
    for room in b.rooms.values():
        room.used += SLACK
    return b.draft(body, "small", ITEMS)


def even(caps: LinalgCaps, *components: ComponentType) -> tuple[int, int]:
    """Rows and columns that matrices of these types have in every use: more columns than rows, if there is room."""
    units = [construction_of(caps, component) for component in components]
    unit = lcm(*(side for one in units if one is not None for side in (one.min_m, one.min_k, one.min_n)))
    while unit < 4:
        unit *= 2
    return (unit, 2 * unit) if 2 * unit <= LARGEST // 2 else (unit, unit)


def _matrix(context: Context, answer: Construction) -> Draft:
    """A, B and C of one size; C += A, a Cast of A, and D from one array into another."""
    b = ProgramBuilder(context)
    component = answer.component
    size = even(context.caps, component)
    a = b.matrix("A", component, size, "A")
    matrices = (a, b.matrix("B", component, size, "B"), b.matrix("C", component, size, "Accumulator"))
    b.matrix("T", component, size, "B")
    held = b.matrix("D", component, size, "Accumulator")
    body: list[Instruction] = [load(b, one, b.room(f"in-{one.name}"), STYLE) for one in matrices]
    body += [Accumulate("C", "A"), Cast("T", "A")]
    element = OWN.get(component, "uint")
    width = element_bytes(component)
    # In elements of the matrix's type, from 128 bytes on.
    stride = up(held.n * width, 16)
    length = (BASE_BYTES + held.m * stride) // (4 if element == "uint" else width)
    b.arrays += [SharedArray(name, element, length) for name in ("from", "to")]
    start, step = BASE_BYTES // width, stride // width
    for name in ("staged", "unstaged"):
        b.taken(b.room(name), length * max(width, 4), WIDEST)
    body += [
        Stage("from", "staged", 0, length),
        Stage("to", "staged", 0, length),
        Barrier(),
        Load("D", "from", start, step),
        Store("D", "to", start, step),
        Barrier(),
        Unstage("to", "unstaged", 0, length),
        store(b, matrices[2], b.room("out"), STYLE),
    ]
    return _finished(b, body)


BASE_BYTES = 128
"""Where matrices begin in the arrays."""


def _product(context: Context, answer: MatrixProduct) -> Draft:
    """C = A * B of as many rows as columns, and the same k."""
    b = ProgramBuilder(context)
    scope: Scope = "ThreadGroup" if "group" in context.row.tags else "Wave"
    if scope == "ThreadGroup":
        sizes = [size for size in context.caps.wave_sizes if group_waves(context, answer, size)]
        b.wave_size = sizes[0] if sizes else b.wave_size
        if sizes:
            b.waves = group_waves(context, answer, b.wave_size)[0]
        else:
            b.threads = answer.group_threads[0]
            b.waves = up(b.threads, b.wave_size) // b.wave_size
    size = square(context.caps, answer)
    a, right = b.matrix("A", answer.a, size, "A", scope), b.matrix("B", answer.b, size, "B", scope)
    c = b.matrix("C", answer.accumulator, size, "Accumulator", scope)
    body: list[Instruction] = [load(b, one, b.room(f"in-{one.name}"), STYLE) for one in (a, right, c)]
    body += [Multiply("C", "A", "B"), store(b, c, b.room("out"), STYLE)]
    return _finished(b, body)


def square(caps: LinalgCaps, answer: MatrixProduct) -> tuple[int, int]:
    """A size that A, B and C can have all alike, in every use."""
    least = [construction_of(caps, one) for one in (answer.a, answer.b, answer.accumulator)]
    sides = [side for one in least if one is not None for side in (one.min_m, one.min_k, one.min_n)]
    units = sorted(lcm(*shape, *sides) for shape in answer.shapes)
    unit = units[0]
    side = max(unit, 4 * unit if unit < 4 else unit)
    return side, side


def _vector(context: Context, answer: VectorProduct) -> Draft:
    """Y = M * x, with a bias where there is one, from memory or a vector; a Convert, and conversions of layouts."""
    draw = context.choices
    b = ProgramBuilder(context)
    packed = max(COMPONENTS[answer.vector].packed, COMPONENTS[answer.matrix].packed)
    optimal = optimal_sizes(context.caps, answer.matrix, "MulOptimal", packed)
    m, n = even(context.caps, answer.matrix)
    # Sizes that matrices of Wave scope have as well leave the scope as the only thing that can be wrong.
    optimal = tuple(one for one in optimal if at_wave_scope(context.caps, answer.matrix, one)) or optimal
    size = draw.one_of(optimal) if optimal else (m, lcm(packed, n))
    matrix = b.matrix("M", answer.matrix, size, "A", "Thread")
    before: list[Instruction] = []
    after: list[Instruction] = []
    room = b.room("matrix", read_only=True)
    if optimal:
        held = put(b, answer.matrix, size, "MulOptimal", b.room("given"), b.room("optimal", read_only=True), "W")
        before = [held.conversion, Load("M", "optimal", held.offset, 0, "MulOptimal")]
        after = [take(b, held, "optimal", b.room("back"))]
        b.taken(room, SLACK, 128)
    else:
        before = [load(b, matrix, room, STYLE)]
    source, result = b.vector("x", answer.vector, matrix.n), b.vector("y", answer.result, matrix.m)
    other = b.vector("v", "F32", matrix.n)
    body: list[Instruction] = [*before, vector_load(b, source, b.room("in"), own=True, unit=WIDEST)]
    bias: object = None
    if answer.biases:
        component = answer.biases[0]
        if COMPONENTS[component].native and draw.chance(50):
            body.append(vector_load(b, b.vector("z", component, matrix.m), b.room("in-z"), own=True, unit=WIDEST))
            bias = "z"
        else:
            bias = memory_bias(b, component, matrix.m, b.room("bias", read_only=True), "bias")
    body += [MultiplyVector("y", "M", "x", bias), Convert("v", "x")]  # type: ignore[arg-type]
    body += [vector_store(b, one, b.room(f"out-{one.name}"), unit=WIDEST) for one in (result, other)]
    return _finished(b, [*body, *after])


def at_wave_scope(caps: LinalgCaps, component: ComponentType, size: tuple[int, int]) -> bool:
    """Whether an A matrix of that size can be made at Wave scope too."""
    found = construction_of(caps, component)
    return found is not None and size[0] % found.min_m == size[1] % found.min_k == 0


def _outer(context: Context, answer: OuterProductSupport) -> Draft:
    """O = c * r, added to a matrix that a conversion put there."""
    b = ProgramBuilder(context)
    sizes = optimal_sizes(context.caps, answer.matrix, "OuterProductOptimal", packed=0)
    m, n = next((one for one in sizes if min(one) >= 4 and max(one) <= LARGEST), sizes[0])
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
    return _finished(b, body)


def _atomic(context: Context, answer: AtomicSum) -> Draft:
    """C added in a buffer and in an array, a vector added in a buffer, as far as the device has these sums."""
    b = ProgramBuilder(context)
    component, tags = answer.component, context.row.tags
    body: list[Instruction] = []
    if tags & {"matrix-sums", "array-sums"}:
        c = b.matrix("C", component, even(context.caps, component), "Accumulator")
        body.append(load(b, c, b.room("in-C"), STYLE))
        if "matrix-sums" in tags:
            body.append(accumulate(b, c, b.room("sum"), STYLE))
        if "array-sums" in tags:
            packed = not COMPONENTS[component].native
            width = element_bytes(component)
            stride = up(c.n * width, 16)
            length = c.m * stride // (4 if packed else width)
            b.arrays.append(SharedArray("g", "uint8_t4_packed" if packed else OWN[component], length))
            for name in ("staged", "unstaged"):
                b.taken(b.room(name), length * max(width, 4), WIDEST)
            body += [
                Stage("g", "staged", 0, length),
                Barrier(),
                InterlockedAccumulate("C", "g", 0, stride // width),
                Barrier(),
                Unstage("g", "unstaged", 0, length),
            ]
    if "buffer-sums" in tags and COMPONENTS[component].native:
        x = b.vector("x", component, 5)
        body += [vector_load(b, x, b.room("in-x"), own=True, unit=WIDEST)]
        body += [vector_accumulate(b, x, b.room("sum-x"), own=False, run_time=0)]
    return _finished(b, body)
