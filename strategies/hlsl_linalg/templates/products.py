"""Families of programs about products of matrices of Wave and ThreadGroup scope."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.hlsl_linalg.caps import MatrixProduct
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Cast,
    Instruction,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Scope,
    Simple,
    Splat,
)
from mmaspec.programs.well_formed import MAX_WAVES
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import PLAIN, Style, load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import SharedRoom, elements_for, fits
from mmaspec.strategies.hlsl_linalg.builder.sizes import made, product_sizes
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extent, is_earlier
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    exact_regime,
    far_apart,
    holds,
    is_float,
    several,
    small_regime,
    unit_for,
)

HARD_REGIMES = ("normal", "wild", "subnormal", "cancelling", "near-tie", "specials", "overflow-edge")
"""Float data on which devices may differ; sums of small integers have templates of their own."""
FEW_WAVES = 4


class Product:
    """A product of the row under construction: its builder, and the three matrices."""

    def __init__(self, context: Context, builder: ProgramBuilder, sizes: tuple[int, int, int], scope: Scope) -> None:
        """``sizes`` are M, K and N."""
        answer: MatrixProduct = answer_of(context)
        self.context: Context = context
        self.builder: ProgramBuilder = builder
        self.answer: MatrixProduct = answer
        self.scope: Scope = scope
        self.sizes: tuple[int, int, int] = sizes
        m, k, n = sizes
        self.a: Matrix = builder.matrix("A", answer.a, (m, k), "A", scope)
        self.b: Matrix = builder.matrix("B", answer.b, (k, n), "B", scope)
        self.c: Matrix = builder.matrix("C", answer.accumulator, (m, n), "Accumulator", scope)
        builder.work += m * n * k // 16 * (builder.waves if scope == "Wave" else 1)

    @property
    def single(self) -> bool:
        """Whether A, B and the result have one type."""
        return len({self.answer.a, self.answer.b, self.answer.accumulator}) == 1

    def step(self, *, accumulates: bool | None = None, total: str = "C") -> Multiply | MultiplyAccumulate:
        """One of the two products; a Multiply is told its type or not where it need not be."""
        draw = self.builder.choices
        if draw.chance(50) if accumulates is None else accumulates:
            return MultiplyAccumulate(total, "A", "B")
        return Multiply(total, "A", "B", typed=not self.single or draw.chance(50))


def started(context: Context, waves: int = 1) -> Product | None:
    """A builder with the matrices of a product, by waves or by a group; None where the device makes no such ones."""
    draw, answer = context.choices, answer_of(context)
    scope: Scope = "ThreadGroup" if "group" in context.row.tags else "Wave"
    sizes = product_sizes(draw, context.caps, answer, scope)
    if sizes is None or not {answer.a, answer.b, answer.accumulator} <= {*made(context.caps)}:
        return None
    builder = ProgramBuilder(context, waves)
    if scope == "ThreadGroup":
        counts = group_waves(context, answer, builder.wave_size)
        if not counts:
            return None
        builder.waves = draw.one_of(counts)
    return Product(context, builder, sizes, scope)


def group_waves(context: Context, answer: MatrixProduct, wave_size: int) -> tuple[int, ...]:
    """The numbers of whole waves whose threads multiply matrices of ThreadGroup scope, a few of the least."""
    low, high = answer.group_threads
    most = min(high, context.caps.largest_group)
    groups = range(low, most + 1, low) if low else ()
    waves = (threads // wave_size for threads in groups if threads % wave_size == 0)
    return tuple(count for count in waves if count <= MAX_WAVES)[:FEW_WAVES]


def multiply(context: Context) -> Draft | None:
    """A, B and an accumulator with something in it that must be forgotten."""
    p = started(context, several(context.choices))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, other, target = b.room("in", read_only=draw.chance(50)), b.room("more"), b.room("out")
    body: list[Instruction] = [load(b, p.a, source), load(b, p.b, other), load(b, p.c, source)]
    body += [p.step(accumulates=False), store(b, p.c, target)]
    return b.draft(body, exact_regime(p.answer.accumulator, p.answer.a, p.answer.b))


def accumulate(context: Context) -> Draft | None:
    """The product added to loaded data; operands stored afterwards as they were."""
    p = started(context, several(context.choices))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(30)), b.room("out")
    loads: list[Instruction] = [load(b, one, source) for one in (p.c, p.b, p.a)[:: draw.one_of((1, -1))]]
    body = [*loads, MultiplyAccumulate("C", "A", "B"), store(b, p.c, target)]
    if draw.chance(30):
        body.append(store(b, draw.one_of((p.a, p.b)), target))
    return b.draft(body, exact_regime(p.answer.accumulator, p.answer.a, p.answer.b))


def depth_loop(context: Context) -> Draft | None:
    """A loop over K: operands advance in memory, one accumulator takes every pass."""
    p = started(context, several(context.choices))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    begin: Instruction = load(b, p.c, source)
    if draw.chance(40):
        scalar = "float" if is_float(p.answer.accumulator) else "int"
        begin = Splat("C", scalar, b.scalar("C", scalar, plain=True))  # type: ignore[arg-type]
    with b.loop(draw.integer(2, 4)) as passes:
        nested: list[Simple] = [load(b, p.a, source), load(b, p.b, source), MultiplyAccumulate("C", "A", "B")]
        if draw.chance(30):
            nested.append(store(b, p.c, target))
    body: list[Instruction] = [begin, Repeat(passes, tuple(nested)), store(b, p.c, target)]
    return b.draft(body, small_regime(p.answer.accumulator))


def chain(context: Context) -> Draft | None:
    """Two products of the same operands into two accumulators, one of which goes on."""
    p = started(context, several(context.choices))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    m, _, n = p.sizes
    other = b.matrix("D", p.answer.accumulator, (m, n), "Accumulator", p.scope)
    body: list[Instruction] = [load(b, one, source) for one in (p.a, p.b, p.c)]
    body += [p.step(accumulates=True), p.step(accumulates=False, total="D"), p.step(accumulates=True)]
    if draw.chance(50):
        body += [load(b, draw.one_of((p.a, p.b)), source, data="again"), p.step(accumulates=True, total="D")]
    body += [store(b, one, target) for one in (p.c, other)]
    return b.draft(body, small_regime(p.answer.accumulator))


def from_casts(context: Context) -> Draft | None:
    """Operands that come from casts: from an accumulator, from the other use, or from another type.

    Where that type is wider than an 8-bit float the conversion may be left out.
    """
    p = started(context, context.choices.weighted(((3, 1), (1, 2))))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for matrix in (p.a, p.b):
        before = _before(p, matrix) if draw.chance(75) else None
        if before is None:
            body.append(load(b, matrix, source))
            continue
        first = before
        if not holds(matrix.component, before.component):
            # Its values are those of the operand's type, so that no conversion rounds.
            first = p.builder.matrix(f"{matrix.name}1", matrix.component, (before.m, before.n), before.use, p.scope)
            if not _can_be(p, first):
                b.matrices.remove(first)
                b.matrices.remove(before)
                body.append(load(b, matrix, source))
                continue
        body.append(load(b, first, source))
        if first is not before:
            body.append(Cast(before.name, first.name))
        body.append(Cast(matrix.name, before.name, (before.m, before.n) != (matrix.m, matrix.n)))
        if draw.chance(25):
            body.append(store(b, matrix, target))
    accumulates = draw.chance(50)
    if accumulates:
        body.append(load(b, p.c, source))
    body += [p.step(accumulates=accumulates), store(b, p.c, target)]
    return b.draft(body, small_regime(p.answer.accumulator))


def _can_be(p: Product, matrix: Matrix) -> bool:
    unit = unit_for(p.context, matrix.component, matrix.use)
    return unit is not None and matrix.m % unit.rows == matrix.n % unit.columns == 0


def _before(p: Product, matrix: Matrix) -> Matrix | None:
    """A matrix that is cast to an operand: transposed where it has other rows and columns."""
    draw, scope = p.builder.choices, p.scope
    own = matrix.component
    components: list[ComponentType] = [
        one for one in made(p.context.caps) if is_float(one) == is_float(own) and (holds(one, own) or holds(own, one))
    ]
    component = draw.one_of([*components, matrix.component])
    for use in draw.one_of((("Accumulator", "B", "A"), ("B", "A", "Accumulator"), ("A", "Accumulator", "B"))):
        unit = unit_for(p.context, component, use)  # type: ignore[arg-type]
        if unit is None or (use, component) == (matrix.use, matrix.component):
            continue
        for turned in (False,) if is_earlier(p.context.caps) else (False, True):
            m, n = (matrix.n, matrix.m) if turned else (matrix.m, matrix.n)
            k = {"A": n, "B": m}.get(use, 4)
            if (
                m % unit.rows == n % unit.columns == 0
                and (scope == "ThreadGroup" or 4 <= k <= 128)
                and (not is_earlier(p.context.caps) or _in_table(component, scope, m, n))  # pyright: ignore[reportArgumentType]
                and (turned is False or m != n)
            ):
                return p.builder.matrix(f"{matrix.name}0", component, (m, n), use, scope)  # type: ignore[arg-type]
    return None


def _in_table(component: ComponentType, scope: Scope, *sides: int) -> bool:
    return all(allowed_extent(component, scope, side) for side in sides)


def layers(context: Context) -> Draft | None:
    """A product whose result, cast to an operand, is multiplied again: A of the next one, or B."""
    p = started(context)
    if p is None:
        return None
    b, draw = p.builder, context.choices
    m, _, n = p.sizes
    answer, scope = p.answer, p.scope
    # The result is M x N; as A of the next product it is multiplied by an N x N2, as B by an M2 x M.
    as_a = draw.chance(50)
    operand = answer.a if as_a else answer.b
    unit = unit_for(context, operand, "A" if as_a else "B")
    k = n if as_a else m
    fits_shape = any(k % shape[1] == 0 and (m if as_a else n) % shape[0 if as_a else 2] == 0 for shape in answer.shapes)
    if unit is None or m % unit.rows or n % unit.columns or k < 4 or not fits_shape:
        return None
    shape = next(one for one in answer.shapes if k % one[1] == 0 and (m if as_a else n) % one[0 if as_a else 2] == 0)
    other = shape[2] if as_a else shape[0]
    sizes = ((m, n), (n, other), (m, other)) if as_a else ((other, m), (m, n), (other, n))
    units = [
        unit_for(context, component, use)  # type: ignore[arg-type]
        for component, use in ((answer.a, "A"), (answer.b, "B"), (answer.accumulator, "Accumulator"))
    ]
    if any(u is None or s[0] % u.rows or s[1] % u.columns for u, s in zip(units, sizes, strict=True)):
        return None
    if is_earlier(context.caps) and not all(
        _in_table(component, scope, *size)
        for component, size in zip((answer.a, answer.b, answer.accumulator), sizes, strict=True)
    ):
        return None
    a = b.matrix("A2", answer.a, sizes[0], "A", scope)
    right = b.matrix("B2", answer.b, sizes[1], "B", scope)
    total = b.matrix("C2", answer.accumulator, sizes[2], "Accumulator", scope)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    fresh, kept = (right, a) if as_a else (a, right)
    body: list[Instruction] = [load(b, p.a, source), load(b, p.b, source), p.step(accumulates=False)]
    body += [Cast(kept.name, "C"), load(b, fresh, source), Multiply("C2", "A2", "B2")]
    body += [store(b, total, target), store(b, p.c, target)]
    return b.draft(body, small_regime(answer.accumulator))


def waves(context: Context) -> Draft | None:
    """Several waves with matrices of their own; one operand may be the same for all, and one wave may stay out."""
    p = started(context, context.choices.integer(2, 4))
    if p is None:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    shared = draw.integer(0, 3)
    body: list[Instruction] = [
        load(b, one, source, Style(own=number != shared)) for number, one in enumerate((p.a, p.b, p.c))
    ]
    step = p.step(accumulates=True)
    if p.scope == "Wave" and b.waves > 1 and draw.chance(50):
        # The other waves keep what they have.
        body.append(Branch(b.wave_size if draw.chance(50) else 0, (step,), draw.integer(1, b.waves - 1)))
    else:
        body.append(step)
    body.append(store(b, p.c, target))
    return b.draft(body, exact_regime(p.answer.accumulator, p.answer.a, p.answer.b))


def through_arrays(context: Context) -> Draft | None:
    """A loop that stages tiles of A and B, which are multiplied; the sums go to a buffer and to an array."""
    p = started(context, context.choices.weighted(((2, 2), (1, 1))))
    if p is None:
        return None
    b, draw, caps = p.builder, context.choices, context.caps
    if not all(elements_for(one.component, caps) for one in (p.a, p.b, p.c)):
        return None
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    rooms = [
        SharedRoom(b, f"tile-{one.name}", draw.one_of(elements_for(one.component, caps)[:2])) for one in (p.a, p.b)
    ]
    loads: list[Load] = [room.load(one) for room, one in zip(rooms, (p.a, p.b), strict=True)]
    begin = load(b, p.c, source)
    with b.loop(draw.integer(2, 3)) as passes:
        nested: list[Simple] = [room.stage(source, passes) for room in rooms]
        nested += [Barrier(), *loads, MultiplyAccumulate("C", "A", "B"), Barrier()]
    body: list[Instruction] = [begin, Repeat(passes, tuple(nested)), store(b, p.c, target)]
    if draw.chance(50):
        out = SharedRoom(b, "total", draw.one_of(elements_for(p.c.component, caps)))
        stored = out.store(p.c)
        body += [out.stage(source, data="beside"), Barrier(), stored, Barrier(), out.unstage(target)]
        out.finish()
    for room in rooms:
        room.finish()
    return b.draft(body, small_regime(p.answer.accumulator)) if fits(b) else None


def rounding(regime: str) -> Callable[[Context], Draft | None]:
    """Floats for which nothing is exact: signs, specials, subnormals, the ends of the range; a short chain."""

    def build(context: Context) -> Draft | None:
        p = started(context)
        return None if p is None else _chained(p, regime)

    return build


def overflow(context: Context) -> Draft | None:
    """Sums that leave the range of the accumulator at both ends."""
    p = started(context)
    if p is None or not far_apart(p.answer.accumulator, p.answer.a, p.answer.b):
        return None  # where nearly everything overflows, nearly nothing is judged
    return _chained(p, "overflow")


def _chained(p: Product, regime: str) -> Draft:
    b, draw = p.builder, p.builder.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = [load(b, one, source, PLAIN) for one in (p.c, p.a, p.b)]
    body.append(p.step())
    if draw.chance(30):
        body += [store(b, p.c, target), MultiplyAccumulate("C", "A", "B")]
    body.append(store(b, p.c, target))
    return b.draft(body, regime)
