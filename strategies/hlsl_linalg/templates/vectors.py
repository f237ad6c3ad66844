"""Families of programs about vectors of threads: moved, converted, and multiplied by matrices."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.caps import VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, components_of, scalars
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    Convert,
    Instruction,
    Load,
    Matrix,
    MultiplyVector,
    Repeat,
    Simple,
    Vector,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load
from mmaspec.strategies.hlsl_linalg.builder.optimal import Held, optimal_sizes, put, put_several
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, up
from mmaspec.strategies.hlsl_linalg.builder.sizes import is_short
from mmaspec.strategies.hlsl_linalg.builder.vectors import memory_bias, vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.templates.conversions import converting_regime
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    exact_regime,
    far_apart,
    holds,
    is_float,
    moving_regime,
    small_regime,
)

LENGTHS = (1, 2, 3, 4, 5, 8, 12, 16, 17, 24)
ROWS = (1, 2, 3, 4, 5, 8, 12, 16, 24)
COLUMNS = (4, 5, 6, 8, 12, 16, 20, 32)
LARGE_WAVE = 64
BYTE = 8
NOT_OF_BYTES = ("near-tie", "subnormal", "overflow-edge")
"""Data of which nothing is left to judge, or which there is not, where the matrix has 8-bit floats."""


def group(context: Context, *, partial: bool = True) -> ProgramBuilder:
    """A builder of one wave or two, of which the last one may be filled in part."""
    draw = context.choices
    b = ProgramBuilder(context, draw.weighted(((4, 1), (2, 2))))
    if partial and b.wave_size > 1 and draw.chance(30):
        b.threads = b.waves * b.wave_size - draw.integer(1, b.wave_size - 1)
    return b


def known(context: Context) -> tuple[ComponentType, ...]:
    """The component types that vectors may have."""
    found: list[ComponentType] = [one.name for one in components_of(context.caps.revision)]  # type: ignore[misc]
    return tuple(one for one in found if context.caps.native_16_bit or not is_short(one))


def vector_move(context: Context) -> Draft | None:
    """Vectors of every type loaded and stored, packed ones with a last word that is full or not."""
    draw, answer = context.choices, answer_of(context)
    b = group(context)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    components: list[ComponentType] = [draw.one_of((answer.vector, answer.result))]
    components.extend(draw.one_of(known(context)) for _ in range(draw.integer(0, 2)))
    body: list[Instruction] = []
    for number, component in enumerate(components):
        vector = b.vector(f"x{number}", component, draw.one_of(LENGTHS))
        steps: tuple[Simple, ...] = (vector_load(b, vector, source), vector_store(b, vector, target))
        body += [Branch(draw.integer(1, b.wave_size), steps)] if draw.chance(25) else steps
    return b.draft(body, moving_regime(draw))


def held_by(source: Vector) -> int:
    """The components that the words or scalars of a vector hold."""
    row = COMPONENTS[source.component]
    return scalars(row, source.length) * row.packed


def convert(context: Context) -> Draft | None:
    """A vector converted to the row's type or from it, and to a third type; sources are stored afterwards.

    Of packed words the last one may be full in part, and what a longer result has beyond its source is not stated.
    """
    draw, answer = context.choices, answer_of(context)
    b = group(context)
    inward, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    others = known(context)
    own: ComponentType = draw.one_of((answer.vector, answer.matrix, answer.result))
    kinds: list[ComponentType] = [own, draw.one_of(others)] if draw.chance(50) else [draw.one_of(others), own]
    if draw.chance(30):
        kinds.append(draw.one_of(others))
    last = b.vector("v0", kinds[0], draw.one_of(LENGTHS))
    body: list[Instruction] = [vector_load(b, last, inward)]
    stores: list[Instruction] = []
    for number, component in enumerate(kinds[1:], 1):
        packed = COMPONENTS[component].packed
        full = up(held_by(last), packed)
        exact = last.length if full - packed < last.length <= full and packed > 1 else full
        vector = b.vector(f"v{number}", component, exact if draw.chance(60) else full)
        body.append(Convert(vector.name, last.name))
        stores.append(vector_store(b, vector, target))
        last = vector
    if draw.chance(40):
        stores.append(vector_store(b, b.vectors[0], target))
    return b.draft([*body, *stores], converting_regime(draw, kinds[0], kinds[1]))


class Made:
    """A product with a vector under construction."""

    def __init__(
        self, context: Context, builder: ProgramBuilder, matrix: Matrix, before: tuple[Instruction, ...]
    ) -> None:
        """``before`` makes the matrix: command list first."""
        self.context: Context = context
        self.builder: ProgramBuilder = builder
        self.matrix: Matrix = matrix
        self.before: tuple[Instruction, ...] = before
        self.answer: VectorProduct = answer_of(context)
        builder.work += matrix.m * matrix.n * builder.group // 4

    def source(self, buffer: str, *, direct: bool = True) -> tuple[Vector, list[Simple]]:
        """A vector of K components: loaded, or converted from one that is.

        Its values are such that neither that conversion nor the one to the matrix's type rounds.
        """
        b, draw, n = self.builder, self.builder.choices, self.matrix.n
        vector = b.vector("x", self.answer.vector, n)
        options: list[ComponentType] = [
            one for one in known(self.context) if n % COMPONENTS[one].packed == 0 and self._keeps(one)
        ]
        if not options or (self.answer.vector in options and (direct or draw.chance(50))):
            return vector, [vector_load(b, vector, buffer)]
        before = b.vector("w", draw.one_of(options), n)
        return vector, [vector_load(b, before, buffer), Convert("x", "w")]

    def _keeps(self, component: ComponentType) -> bool:
        """Whether every value of a type is one of the vector's and of the matrix's, if both are floats or integers."""
        answer = self.answer
        same = is_float(answer.vector) == is_float(answer.matrix)
        return holds(answer.vector, component) and (not same or holds(answer.matrix, component))


def columns(draw: Choices, answer: VectorProduct) -> int:
    """A K in whole words of the vector, and of the matrix's type where the vector is converted from it."""
    return draw.one_of(tuple(one for one in COLUMNS if one % _words(answer) == 0))


def _words(answer: VectorProduct) -> int:
    return max(COMPONENTS[answer.vector].packed, COMPONENTS[answer.matrix].packed)


def made(context: Context, *, optimal: bool | None = None, transposed: bool = False) -> Made | None:
    """A matrix of Thread scope from a linear or an optimal layout; None where the device knows no such one."""
    draw = context.choices
    answer: VectorProduct = answer_of(context)
    sizes = optimal_sizes(context.caps, answer.matrix, "MulOptimal", _words(answer), transposed)
    if optimal is None:
        optimal = answer.emulated_inputs or (bool(sizes) and draw.chance(25))
    if transposed and not answer.transpose:
        return None
    b = group(context)
    room = b.room("matrix", read_only=True)
    if not optimal:
        if answer.emulated_inputs:
            return None
        matrix = b.matrix("M", answer.matrix, (draw.one_of(ROWS), columns(draw, answer)), "A", "Thread")
        own = draw.chance(30) and b.wave_size <= LARGE_WAVE
        return Made(context, b, matrix, (load(b, matrix, room, Style(own=own)),))
    if not sizes:
        return None
    m, n = draw.one_of(sizes)
    matrix = b.matrix("M", answer.matrix, (m, n), "A", "Thread")
    held: Held = put(b, matrix.component, (n, m) if transposed else (m, n), "MulOptimal", b.room("given"), room, "M")
    layout = "MulOptimalTranspose" if transposed else "MulOptimal"
    align = draw.one_of((0, 128))
    loaded = Load("M", room, b.argument(held.offset, 10), 0, layout, align)  # type: ignore[arg-type]
    return Made(context, b, matrix, (held.conversion, loaded))


def _results(p: Made, body: list[Instruction], source: Vector, bias: object, target: str) -> None:
    """The product and the store of its result; in a branch that lanes disagree about, at times."""
    b, draw = p.builder, p.builder.choices
    vector = b.vector("y", p.answer.result, p.matrix.m)
    step = MultiplyVector("y", "M", source.name, bias)  # type: ignore[arg-type]
    stored = vector_store(b, vector, target)
    if draw.chance(25):
        lanes = draw.integer(1, b.wave_size)
        waves = draw.integer(0, b.waves)
        body.append(Branch(lanes, (step, stored) if draw.chance(60) else (stored,), waves))
        if len(body[-1].body) == 1:  # type: ignore[union-attr]
            body.insert(len(body) - 1, step)
    else:
        body += [step, stored]


def vector_multiply(context: Context) -> Draft | None:
    """A matrix times a vector."""
    p = made(context)
    if p is None:
        return None
    b, draw = p.builder, context.choices
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    source, loads = p.source(given, direct=draw.chance(70))
    body: list[Instruction] = [*p.before, *loads]
    _results(p, body, source, None, target)
    return b.draft(body, vector_regime(draw, p.answer))


def vector_multiply_add(context: Context) -> Draft | None:
    """The same and a bias, which is a vector or lies in memory, of the result's type or another."""
    return _with_bias(context, None)


def memory_biases(context: Context) -> Draft | None:
    """The same with a bias in memory."""
    return _with_bias(context, True)


def _with_bias(context: Context, in_memory: bool | None) -> Draft | None:
    p = made(context)
    if p is None or not p.answer.biases:
        return None
    b, draw = p.builder, context.choices
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    component = draw.one_of(p.answer.biases)
    source, loads = p.source(given, direct=draw.chance(80))
    body: list[Instruction] = [*p.before, *loads]
    native = COMPONENTS[component].native
    if in_memory or not native or (in_memory is None and draw.chance(40)):
        room = b.room("bias", read_only=True)
        if in_memory:
            b.taken(room, draw.integer(1, 9), 1)  # The bias begins somewhere behind the first byte.
        bias: object = memory_bias(b, component, p.matrix.m, room, "bias")
    else:
        held = b.vector("z", component, p.matrix.m)
        body.append(vector_load(b, held, given))
        bias = "z"
    _results(p, body, source, bias, target)
    return b.draft(body, vector_regime(draw, p.answer))


def multiplied_as(answer: VectorProduct) -> ComponentType:
    """The type that a vector has when it is multiplied: the matrix's where one of them is a float alone."""
    return answer.matrix if is_float(answer.vector) != is_float(answer.matrix) else answer.vector


def vector_regime(draw: Choices, answer: VectorProduct) -> str:
    """Data whose sums are exact, mostly; integers that reach far but stay in range."""
    if is_float(answer.vector) and not is_float(answer.matrix):
        return draw.one_of(("window", "normal", "near-tie", "wild"))
    if draw.chance(50):
        return small_regime(answer.result)
    return exact_regime(answer.result, multiplied_as(answer), answer.matrix)


def vector_layers(context: Context) -> Draft | None:
    """A result, converted where it has to be, that is multiplied again by the same matrix: M and K are equal."""
    draw = context.choices
    answer: VectorProduct = answer_of(context)
    if answer.emulated_inputs:
        return None
    b = group(context)
    room = b.room("matrix", read_only=True)
    size = columns(draw, answer)
    matrix = b.matrix("M", answer.matrix, (size, size), "A", "Thread")
    p = Made(context, b, matrix, (load(b, matrix, room, Style(own=False)),))
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    source, loads = p.source(given)
    y, z = b.vector("y", answer.result, size), b.vector("z", answer.result, size)
    body: list[Instruction] = [*p.before, *loads, MultiplyVector("y", "M", source.name)]
    if answer.vector == answer.result and holds(answer.matrix, answer.vector):
        again = y.name
    else:
        body.append(Convert(source.name, "y"))
        again = source.name
    bias = "y" if answer.result in answer.biases and draw.chance(50) else None
    body += [MultiplyVector("z", "M", again, bias), vector_store(b, z, target), vector_store(b, y, target)]
    return b.draft(body, small_regime(answer.result))


def vector_loop(context: Context) -> Draft | None:
    """A loop in which every pass has a vector, and perhaps a matrix, of its own."""
    p = made(context, optimal=False)
    if p is None:
        return None
    b, draw = p.builder, context.choices
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    result = b.vector("y", p.answer.result, p.matrix.m)
    body = list(p.before)
    with b.loop(draw.integer(2, 3)) as passes:
        loads = p.source(given)[1]
        nested: list[Simple] = [*loads, MultiplyVector("y", "M", "x")]
        if draw.chance(40):
            nested.insert(0, load(b, p.matrix, b.room("again", read_only=True), Style(own=False), data="again"))
        nested.append(vector_store(b, result, target))
    return b.draft([*body, Repeat(passes, tuple(nested))], vector_regime(draw, p.answer))


def vector_transposed(context: Context) -> Draft | None:
    """A matrix loaded through the transposed optimal layout: rows and columns of the one in memory exchanged."""
    p = made(context, optimal=True, transposed=True)
    return None if p is None else _multiplied(p)


def vector_optimal(context: Context) -> Draft | None:
    """A matrix loaded from the optimal layout."""
    p = made(context, optimal=True)
    return None if p is None else _multiplied(p)


def _multiplied(p: Made) -> Draft:
    b, draw = p.builder, p.builder.choices
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    source, loads = p.source(given)
    body: list[Instruction] = [*p.before, *loads]
    _results(p, body, source, None, target)
    return b.draft(body, small_regime(p.answer.result))


def vector_rounding(regime: str) -> Callable[[Context], Draft | None]:
    """Floats for which nothing is exact, and integers that overflow."""

    def build(context: Context) -> Draft | None:
        p = made(context)
        if p is None or (regime in NOT_OF_BYTES and COMPONENTS[p.answer.matrix].format.bits == BYTE):
            return None
        if regime == "overflow" and not far_apart(p.answer.result, multiplied_as(p.answer), p.answer.matrix):
            return None
        b, draw = p.builder, context.choices
        given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
        source, loads = p.source(given)
        bias: object = None
        body: list[Instruction] = [*p.before, *loads]
        if p.answer.result in p.answer.biases and draw.chance(60):
            body.append(vector_load(b, b.vector("z", p.answer.result, p.matrix.m), given))
            bias = "z"
        _results(p, body, source, bias, target)
        return b.draft(body, regime)

    return build


def thread_matrices(context: Context) -> Draft | None:
    """A matrix of every thread's own, from places that go on by lane and wave, and a vector that all share."""
    draw = context.choices
    answer: VectorProduct = answer_of(context)
    p = _own_from_optimal(context, answer) if answer.emulated_inputs else _own_from_linear(context, answer)
    if p is None:
        return None
    b = p.builder
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    source, loads = p.source(given)
    body: list[Instruction] = [*p.before, *loads]
    _results(p, body, source, None, target)
    return b.draft(body, vector_regime(draw, answer))


def _own_from_linear(context: Context, answer: VectorProduct) -> Made:
    draw = context.choices
    b = group(context)
    room = b.room("matrix", read_only=True)
    matrix = b.matrix("M", answer.matrix, (draw.one_of(ROWS[:6]), columns(draw, answer)), "A", "Thread")
    return Made(context, b, matrix, (load(b, matrix, room, Style(own=True)),))


def _own_from_optimal(context: Context, answer: VectorProduct) -> Made | None:
    """A few threads, each with a matrix of its own from an optimal layout; None where no size is known."""
    draw = context.choices
    sizes = optimal_sizes(context.caps, answer.matrix, "MulOptimal", _words(answer))
    b = ProgramBuilder(context)
    if not sizes or b.wave_size == 1:
        return None
    b.threads = draw.integer(2, min(4, b.wave_size))
    size, room = draw.one_of(sizes), b.room("matrix", read_only=True)
    matrix = b.matrix("M", answer.matrix, size, "A", "Thread")
    held = put_several(b, answer.matrix, size, "MulOptimal", b.room("given"), room, "M", b.threads)
    first, second, *_ = (one.offset for one in held)
    loaded = Load("M", room, Affine(first, lane=second - first), 0, "MulOptimal", draw.one_of((0, 128)))
    return Made(context, b, matrix, (*(one.conversion for one in held), loaded))
