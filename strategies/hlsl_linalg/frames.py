"""Frames (instructions around a draft, which must not matter) and free programs (random, valid and defined)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Barrier,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    Instruction,
    LinalgProgram,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Scope,
    Simple,
    Splat,
    Use,
    Vector,
)
from mmaspec.programs.hlsl_linalg.removed import Unary
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load, read_elements, store, write_elements
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.sizes import made, product_sizes
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier
from mmaspec.strategies.hlsl_linalg.templates.earlier.operators import EXACT
from mmaspec.strategies.hlsl_linalg.templates.earlier.operators import step as operator
from mmaspec.strategies.hlsl_linalg.templates.parts import holds, is_float, size_for, sums_are_judged
from mmaspec.strategies.hlsl_linalg.templates.products import group_waves
from mmaspec.strategies.hlsl_linalg.templates.vectors import known

QUIET = Style(run_time=0)

LONGEST = 10
"""Most instructions of a random program, its last stores not counted."""
FEW = 64
"""Extents up to which a second product is added."""


def frame(context: DrawContext[LinalgCaps], draft: Draft) -> Draft:
    """The draft's program with a matrix and a vector moved meanwhile, splats that it overwrites, a second product."""
    draw = context.choices
    program: LinalgProgram = draft.program
    b = ProgramBuilder(context, wave_size=program.wave_size)
    b.waves, b.threads = program.waves, program.threads
    source, target = b.room("frame-in", read_only=draw.chance(50)), b.room("frame-out")
    before, body, after = _parts(program)
    whole = b.group % b.wave_size == 0
    places = [n for n, one in enumerate(body) if isinstance(one, Multiply | MultiplyAccumulate)]
    if places and max(max(one.m, one.n) for one in program.matrices) <= FEW:
        # A product of the same operands into another accumulator must leave theirs alone.
        found = draw.one_of(places)
        product = body[found]
        assert isinstance(product, Multiply | MultiplyAccumulate)
        other = replace(program.matrix(product.matrix), name="frame-C")
        b.matrices.append(other)
        again = draw.one_of((Multiply, MultiplyAccumulate))("frame-C", product.a, product.b)
        body[found + 1 : found + 1] = [load(b, other, source, QUIET), again, store(b, other, target, QUIET)]
    moved: list[tuple[Instruction, Instruction]] = []
    if whole and made(context.caps):
        # Of a type that the program has, for which its data are.
        there = {one.component for one in program.matrices}
        types: list[ComponentType] = [one for one in made(context.caps) if one in there]
        scope: Scope = draw.one_of(("Wave", "ThreadGroup"))
        matrix = _any_matrix(b, "frame-X", scope, types or made(context.caps))
        if matrix is not None:
            moved.append((load(b, matrix, source, QUIET), store(b, matrix, target, QUIET)))
    if not moved or draw.chance(30):
        held = {one.component for one in program.matrices} | {one.component for one in program.vectors}
        own: list[ComponentType] = [one for one in known(context) if one in held]
        vector = b.vector("frame-v", draw.one_of(own or known(context)), draw.integer(1, 6))
        moved.append((vector_load(b, vector, source), vector_store(b, vector, target)))
    for first, last in moved:
        # What is loaded early is stored late.
        early = draw.integer(0, max(len(body) - 1, 0))
        body.insert(early, first)
        body.insert(draw.integer(early + 1, len(body)), last)
    if draw.chance(20):
        body.insert(draw.integer(0, len(body)), Barrier())
    for one in program.matrices:
        # What the program writes before it reads may hold anything before.
        if whole and one.scope != "Thread" and draw.chance(30):
            scalar = "float" if is_float(one.component) else "int"
            body.insert(0, Splat(one.name, scalar, b.scalar("frame", scalar, plain=True)))  # type: ignore[arg-type]
    return _joined(b, draft, [*before, *body, *after])


def _parts(program: LinalgProgram) -> tuple[list[Instruction], list[Instruction], list[Instruction]]:
    """Conversions before the shader, the shader, conversions after it."""
    shader = [n for n, one in enumerate(program.body) if not isinstance(one, ConvertLayout)]
    first, last = (shader[0], shader[-1] + 1) if shader else (len(program.body), len(program.body))
    return list(program.body[:first]), list(program.body[first:last]), list(program.body[last:])


def _joined(b: ProgramBuilder, draft: Draft, body: list[Instruction]) -> Draft:
    """The draft with what the builder declared beside it; names that both have are renamed."""
    program: LinalgProgram = draft.program
    added = b.draft([], draft.regime).program
    taken = {one.name for one in program.buffers}
    names = {one.name: f"frame-{one.name}" if one.name in taken else one.name for one in added.buffers}
    own: Any = [_renamed(one, names) if one not in program.body else one for one in body]
    return Draft(
        replace(
            program,
            buffers=(*program.buffers, *(replace(one, name=names[one.name]) for one in added.buffers)),
            matrices=(*program.matrices, *added.matrices),
            vectors=(*program.vectors, *added.vectors),
            body=tuple(own),
            read_only=(*program.read_only, *(names[one] for one in added.read_only)),
        ),
        draft.regime,
        draft.batch,
        (*draft.words, *(replace(one, buffer=names[one.buffer]) for one in b.words)),
    )


def _renamed(node: Any, names: dict[str, str]) -> Any:
    """An instruction of the frame with the names that its buffers have then."""
    changes: dict[str, Any] = {}
    for field in node.__struct_fields__:
        value = getattr(node, field)
        if field in ("memory", "buffer") and value in names:
            changes[field] = names[value]
        elif hasattr(value, "__struct_fields__"):
            changes[field] = _renamed(value, names)
    return replace(node, **changes) if changes else node


def _any_matrix(b: ProgramBuilder, name: str, scope: Scope, components: Sequence[ComponentType]) -> Matrix | None:
    component = b.choices.one_of(components)
    use: Use = b.choices.one_of(("A", "B", "Accumulator"))
    size = size_for(b.context, scope, (component, use))
    return None if size is None else b.matrix(name, component, size, use, scope)


def free(context: DrawContext[LinalgCaps]) -> Draft:
    """Up to ten instructions on a few matrices or vectors, each written before it is read."""
    kind = next(iter(context.row.tags & {"matrix", "wave", "group", "vector", "outer", "atomic"}))
    if kind in ("wave", "group") and (found := _free_product(context)) is not None:
        return found
    if kind == "matrix":
        return _Free(context, _matrices(context)).draft()
    return _free_vectors(context)


class _Free:
    """A random program on the matrices of a builder."""

    def __init__(self, context: DrawContext[LinalgCaps], builder: ProgramBuilder) -> None:
        self.context, self.b, self.draw = context, builder, context.choices
        self.written: list[Matrix] = []
        self.source = builder.room("in", read_only=self.draw.chance(50))
        self.target = builder.room("out")

    def draft(self, batch: int = 0) -> Draft:
        """Up to ten instructions, and a store of something that was written."""
        body: list[Instruction] = []
        for _ in range(self.draw.integer(3, LONGEST)):
            body += self.loop() if self.draw.chance(15) else self.any()
        body.append(store(self.b, self.draw.one_of(self.written), self.target))
        floats = all(is_float(one.component) for one in self.b.matrices)
        regimes = ("window", "window", "normal", "specials") if floats else ("small", "small", "wild")
        return self.b.draft(body, self.draw.one_of(regimes), batch)

    def loop(self) -> list[Instruction]:
        """A few of them in a loop."""
        with self.b.loop(self.draw.integer(2, 3)) as passes:
            nested = [one for _ in range(self.draw.integer(1, 3)) for one in self.any()]
        return [Repeat(passes, tuple(nested))] if nested else []

    def any(self) -> list[Simple]:
        """An instruction that has what it needs."""
        draw, written = self.draw, self.written
        options = [(3, self.load)]
        if written:
            options += [(1, self.splat), (2, self.store), (1, self.elements), (2, self.cast), (2, self.add)]
            options.append((4, self.product))
        return draw.weighted(options)() or self.load()

    def fresh(self) -> Matrix:
        """A matrix, sooner one that was not written yet."""
        left = [one for one in self.b.matrices if one not in self.written]
        matrix = self.draw.one_of(left if left and self.draw.chance(75) else self.b.matrices)
        if matrix not in self.written:
            self.written.append(matrix)
        return matrix

    def load(self) -> list[Simple]:
        """New data."""
        matrix = self.fresh()
        return [load(self.b, matrix, self.source, data=f"{matrix.name}-{self.b.rooms['in'].used}")]

    def splat(self) -> list[Simple]:
        """A small constant."""
        matrix = self.fresh()
        scalar = "float" if is_float(matrix.component) else "int"
        return [Splat(matrix.name, scalar, self.b.scalar(matrix.name, scalar, plain=True))]  # type: ignore[arg-type]

    def store(self) -> list[Simple]:
        """Something that was written."""
        return [store(self.b, self.draw.one_of(self.written), self.target)]

    def elements(self) -> list[Simple]:
        """Some elements set, or all read, with barriers around; in the text of 2025-09-19 an operator."""
        natives = [one for one in self.written if COMPONENTS[one.component].native]
        if not natives:
            return []
        matrix = self.draw.one_of(natives)
        if is_earlier(self.context.caps):
            return [operator(self.b, matrix, self.draw.one_of(("add", "sub", "mul")), plain=True)]
        if self.draw.chance(50):
            return [Barrier(), read_elements(self.b, matrix, self.target), Barrier()]
        data = f"{matrix.name}-set-{self.b.rooms['in'].used}"
        step = write_elements(self.b, matrix, self.source, self.draw.one_of((0, 2, 3)), data=data)
        return [Barrier(), step, Barrier()]

    def cast(self) -> list[Simple]:
        """From one that was written to another of the same size, whose type has its values."""
        pairs = [
            (to, of)
            for of in self.written
            for to in self.b.matrices
            if to is not of and (to.m, to.n, to.scope) == (of.m, of.n, of.scope) and holds(to.component, of.component)
        ]
        if not pairs:
            return []
        to, of = self.draw.one_of(pairs)
        if to not in self.written:
            self.written.append(to)
        return [Cast(to.name, of.name)]

    def add(self) -> list[Simple]:
        """An A or B to an accumulator; in the text of 2025-09-19 a unary operation."""
        if is_earlier(self.context.caps):
            return self.unary()
        pairs = [
            (total, one)
            for total in self.written
            for one in self.written
            if total.use == "Accumulator"
            and one.use != "Accumulator"
            and (total.m, total.n, total.scope) == (one.m, one.n, one.scope)
            and sums_are_judged(total.component)
        ]
        if not pairs:
            return []
        total, one = self.draw.one_of(pairs)
        return [Accumulate(total.name, one.name)]

    def unary(self) -> list[Simple]:
        """An operation in place that has one exact result."""
        natives = [one for one in self.written if COMPONENTS[one.component].native]
        if not natives:
            return []
        matrix = self.draw.one_of(natives)
        row = COMPONENTS[matrix.component]
        signs = row.format.is_float or row.format.signed
        return [Unary(matrix.name, self.draw.one_of(EXACT if signs else EXACT[:1]), matrix.name)]

    def product(self) -> list[Simple]:
        """A product of what is there."""
        names = {one.name for one in self.written}
        if not {"A", "B", "C"} <= names:
            return []
        totals: list[str] = ["C", *(["D"] if "D" in names else [])]
        factors: list[str] = ["A", *(["A2"] if "A2" in names else [])]
        total, a = self.draw.one_of(totals), self.draw.one_of(factors)
        return [MultiplyAccumulate(total, a, "B") if self.draw.chance(60) else Multiply(total, a, "B")]


def _free_product(context: DrawContext[LinalgCaps]) -> Draft | None:
    """A random program on two A, one B and two accumulators of a product."""
    draw, answer = context.choices, context.row.entry.answer
    scope: Scope = "ThreadGroup" if "group" in context.row.tags else "Wave"
    sizes = product_sizes(draw, context.caps, answer, scope)
    if sizes is None:
        return None
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    if scope == "ThreadGroup":
        counts = group_waves(context, answer, b.wave_size)
        if not counts:
            return None
        b.waves = counts[0]
    m, k, n = sizes
    for name, component, size, use in (
        ("A", answer.a, (m, k), "A"),
        ("A2", answer.a, (m, k), "A"),
        ("B", answer.b, (k, n), "B"),
        ("C", answer.accumulator, (m, n), "Accumulator"),
        ("D", answer.accumulator, (m, n), "Accumulator"),
    ):
        b.matrix(name, component, size, use, scope)  # type: ignore[arg-type]
    b.work += m * n * k // 8 * b.waves
    return _Free(context, b).draft()


def _matrices(context: DrawContext[LinalgCaps]) -> ProgramBuilder:
    """A builder with matrices of the row's type and another one, all of one size and scope."""
    draw = context.choices
    own: ComponentType = context.row.entry.answer.component
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    scope: Scope = draw.one_of(("Wave", "ThreadGroup"))
    uses: tuple[Use, ...] = ("A", "B", "Accumulator")
    other = draw.one_of(made(context.caps))
    for _ in uses:
        every: list[tuple[ComponentType, Use]] = [(kind, use) for kind in (own, other) for use in uses]
        size = size_for(context, scope, *every)
        if size is not None:
            break
    else:
        size, other = size_for(context, scope, (own, "Accumulator")), own
        assert size is not None
        uses = ("Accumulator",)
    kinds: list[tuple[ComponentType, Use]] = [(kind, use) for kind in (own, other) for use in uses]
    for number, (component, use) in enumerate(kinds):
        b.matrix(f"M{number}", component, size, use, scope)
    return b


def _free_vectors(context: DrawContext[LinalgCaps]) -> Draft:
    """Vectors loaded, converted where no value is lost, and stored, some of them in branches."""
    draw = context.choices
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    vectors = [b.vector(f"v{n}", draw.one_of(known(context)), draw.one_of((4, 8, 12))) for n in range(5)]
    written: list[Vector] = []
    body: list[Instruction] = []
    for _ in range(draw.integer(3, LONGEST)):
        pairs = [
            (to, of)
            for of in written
            for to in vectors
            if to is not of and to.length == of.length and holds(to.component, of.component)
            if not is_earlier(context.caps)  # which converts no vectors
        ]
        what = draw.weighted(((3, "load"), (2 if written else 0, "store"), (4 if pairs else 0, "convert")))
        if what == "load":
            vector = draw.one_of(vectors)
            written += [] if vector in written else [vector]
            body.append(vector_load(b, vector, source, data=f"{vector.name}-{b.rooms['in'].used}"))
        elif what == "convert":
            to, of = draw.one_of(pairs)
            written += [] if to in written else [to]
            body.append(Convert(to.name, of.name))
        else:
            stored = vector_store(b, draw.one_of(written), target)
            body.append(Branch(draw.integer(1, b.wave_size), (stored,)) if draw.chance(30) else stored)
    body.append(vector_store(b, draw.one_of(written), target))
    floats = all(is_float(one.component) for one in vectors)
    return b.draft(body, draw.one_of(("window", "normal", "specials") if floats else ("small", "wild", "edges")))
