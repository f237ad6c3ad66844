"""Families of programs about sums without products: Accumulate, and atomic sums in buffers and arrays."""

from __future__ import annotations

from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import AtomicSum
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ArrayType, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Barrier,
    Branch,
    Instruction,
    InterlockedAccumulate,
    Load,
    Repeat,
    Simple,
    Splat,
    Use,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, SharedRoom, fits, held
from mmaspec.strategies.hlsl_linalg.builder.sizes import made
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_accumulate, vector_load
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    drawn,
    is_float,
    scope_of,
    several,
    size_for,
    sums_are_judged,
)

WIDE = 32
"""Bits from which on sums of many small integers stay in range."""
FACTORS: tuple[Use, ...] = ("A", "B")


def sum_regime(draw: Choices, component: ComponentType, *, many: bool) -> str:
    """Data for sums: of many terms mostly such that no order and no rounding shows."""
    if not is_float(component):
        short = COMPONENTS[component].format.bits < WIDE
        return draw.weighted(((3, "small"), (1, "edges"), (1, "wild"))) if not many else "whole" if short else "small"
    if many:
        return draw.weighted(((3, "window"), (1, "normal")))
    return draw.one_of(("window", "normal", "edges", "specials", "near-tie", "cancelling", "subnormal"))


def add(context: Context) -> Draft | None:
    """An A or B matrix, of the same or another type, added to an accumulator, twice or in a loop."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    own: ComponentType = answer_of(context).component
    other = draw.one_of((own, own, *made(context.caps)))
    total, operand = (own, other) if draw.chance(60) else (other, own)
    if not sums_are_judged(total):
        total, operand = operand, total
    if not sums_are_judged(total):
        return None
    scope, use = scope_of(draw), draw.one_of(FACTORS)
    size = size_for(context, scope, (total, "Accumulator"), (operand, use))
    if size is None:
        return None
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    c = b.matrix("C", total, size, "Accumulator", scope)
    one = b.matrix("X", operand, size, use, scope)
    begin: Instruction = load(b, c, source)
    if draw.chance(30):
        scalar = "float" if is_float(total) else "int"
        begin = Splat("C", scalar, b.scalar("C", scalar, plain=True))  # type: ignore[arg-type]
    body: list[Instruction] = [begin]
    shape = draw.weighted(((4, "once"), (2, "twice"), (2, "loop")))
    if shape == "loop":
        with b.loop(draw.integer(2, 3)) as passes:
            nested: list[Simple] = [load(b, one, source), Accumulate("C", "X")]
            if draw.chance(50):
                nested.append(store(b, c, target))
        body.append(Repeat(passes, tuple(nested)))
    else:
        body += [load(b, one, source), *[Accumulate("C", "X")] * (1 if shape == "once" else 2)]
    body += [store(b, c, target), store(b, one, target)]
    narrow = any(is_float(one) and COMPONENTS[one].format.nbytes == 1 for one in (total, operand))
    regime = sum_regime(draw, total, many=shape != "once")
    return b.draft(body, "window" if narrow and regime == "near-tie" else regime)


def add_in_buffer(context: Context) -> Draft | None:
    """An accumulator added to what lies in a buffer: of every wave in one place or apart, once or several times."""
    draw = context.choices
    answer: AtomicSum = answer_of(context)
    b = ProgramBuilder(context, draw.weighted(((2, 1), (3, 2), (2, 4))))
    matrix = drawn(b, "C", answer.component, "Accumulator", scope_of(draw))
    if matrix is None or not sums_are_judged(answer.component):
        return None
    source, total, target = b.room("in", read_only=draw.chance(50)), b.room("sum"), b.room("out")
    byte = COMPONENTS[answer.component].format.nbytes == 1
    own = byte or draw.chance(40)
    before = b.matrix("D", answer.component, (matrix.m, matrix.n), "Accumulator", matrix.scope)
    begin = load(b, matrix, source)
    added = accumulate(b, matrix, total, Style(own=own))
    there = Load("D", total, added.offset, added.stride, added.layout, added.align, "D")
    body: list[Instruction] = [begin, there, Barrier()]
    times = 1
    shape = "once" if byte else draw.weighted(((3, "once"), (2, "twice"), (2, "loop"), (1, "branch")))
    if shape == "loop":
        times = draw.integer(2, 3)
        # The same place in every pass: nothing is lost.
        body.append(Repeat(times, (added,)))
    elif shape == "branch" and b.waves > 1 and matrix.scope == "Wave":
        body.append(Branch(0, (added,), draw.integer(1, b.waves - 1)))
    else:
        times = 2 if shape == "twice" else 1
        body += [added] * times
    if draw.chance(50):
        body += [Barrier(), replace_load(there), store(b, before, target)]
    many = times > 1 or (not own and b.waves > 1 and matrix.scope == "Wave")
    return b.draft(body, sum_regime(draw, answer.component, many=many))


def replace_load(one: Load) -> Load:
    """The same load of what lies there then."""
    return Load(one.matrix, one.memory, one.offset, one.stride, one.layout, one.align)


def add_stored(context: Context) -> Draft | None:
    """A matrix stored, and after a barrier another one added to it, by the same waves or by all in one place."""
    draw = context.choices
    answer: AtomicSum = answer_of(context)
    b = ProgramBuilder(context, several(draw))
    matrix = drawn(b, "C", answer.component, "Accumulator", scope_of(draw))
    if matrix is None or not sums_are_judged(answer.component):
        return None
    source, total = b.room("in", read_only=draw.chance(50)), b.room("sum")
    stored = store(b, matrix, total, Style(layout=draw.one_of(("RowMajor", "ColMajor"))))
    other = b.matrix("D", answer.component, (matrix.m, matrix.n), "Accumulator", matrix.scope)
    added = InterlockedAccumulate("D", total, stored.offset, stored.stride, stored.layout, stored.align)
    body: list[Instruction] = [load(b, matrix, source), load(b, other, source), stored, Barrier(), added]
    return b.draft(body, sum_regime(draw, answer.component, many=False))


def add_in_array(context: Context) -> Draft | None:
    """An accumulator added to what was staged in an array: of its type, of words, or of another type of its size."""
    draw = context.choices
    answer: AtomicSum = answer_of(context)
    b = ProgramBuilder(context, draw.weighted(((2, 1), (3, 2), (1, 3))))
    matrix = drawn(b, "C", answer.component, "Accumulator", scope_of(draw))
    found = _array_of_sums(context, answer.component)
    if matrix is None or found is None:
        return None
    element, target_type = found
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    shared = SharedRoom(b, "sum", element)
    byte = COMPONENTS[answer.component].format.nbytes == 1
    own = byte or draw.chance(50)
    added = shared.accumulate(matrix, target_type, own=own)
    times = 1 if byte else draw.weighted(((3, 1), (1, 2)))
    body: list[Instruction] = [load(b, matrix, source), shared.stage(source, data="held"), Barrier()]
    body += [Repeat(2, (added,))] if draw.chance(20) and not byte else [added] * times
    body += [Barrier(), shared.unstage(target)]
    shared.finish()
    many = not own or times > 1 or isinstance(body[3], Repeat)
    own_type = next((one for one, array in OWN.items() if array == element), answer.component)
    sum_type: ComponentType = own_type if target_type is None else target_type  # type: ignore[assignment]
    if not sums_are_judged(sum_type):
        return None
    regime = sum_regime(draw, answer.component if is_float(sum_type) else sum_type, many=many)
    return b.draft(body, regime) if fits(b) else None


def _array_of_sums(context: Context, component: ComponentType) -> tuple[ArrayType, ComponentType | None] | None:
    """The elements of an array in which such matrices are added, and the type that is named for packed words."""
    draw, row = context.choices, COMPONENTS[component]
    if row.format.nbytes == 1:
        packed: tuple[ComponentType, ...] = ("I8", "U8")
        return "uint8_t4_packed", draw.one_of((*packed, component) if not row.format.is_float else packed)
    options: list[tuple[ArrayType, ComponentType | None]] = []
    if component in OWN:
        options.extend(((OWN[component], None), (OWN[component], None), (OWN[component], component)))
        if "converting-sums" in context.row.tags:
            options.extend(
                (element, None)
                for element in OWN.values()
                if FORMATS[SCALARS[element]].nbytes == row.format.nbytes and element != OWN[component]
            )
    return draw.one_of(options) if options else None


def add_vectors(context: Context) -> Draft | None:
    """Vectors of all threads added to a buffer, in one place or apart, with threads that stay out of a branch."""
    draw = context.choices
    answer: AtomicSum = answer_of(context)
    component = answer.component
    if component not in OWN or not sums_are_judged(component):
        return None
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    if draw.chance(25) and b.wave_size > 1:
        b.threads = b.waves * b.wave_size - draw.integer(1, b.wave_size - 1)
    source, total = b.room("in", read_only=draw.chance(50)), b.room("sum")
    vector = b.vector("x", component, draw.one_of((1, 2, 3, 4, 7, 8, 16, 33)))
    own = draw.chance(45)
    begin = vector_load(b, vector, source)
    added = vector_accumulate(b, vector, total, own=own, run_time=0)
    first = added.offset if isinstance(added.offset, int) else added.offset.base  # type: ignore[union-attr]
    size = COMPONENTS[component].format.nbytes
    there = held(b, component, total, first, (b.rooms[total].used - first) // size * size)
    step: Instruction = added
    shape = draw.weighted(((4, "once"), (2, "branch"), (1, "loop")))
    if shape == "branch":
        step = Branch(draw.integer(0, b.wave_size), (added,), draw.integer(0, b.waves))
    elif shape == "loop":
        step = Repeat(2, (added,))
    body: list[Instruction] = [begin, there, Barrier(), step]
    return b.draft(body, sum_regime(draw, component, many=not own or shape == "loop"))
