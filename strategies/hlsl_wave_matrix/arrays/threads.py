"""Thread groups of a written size, up to the largest, in which several rows of the caps meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import lanes, wave_sizes
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Instruction,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.programs.well_formed import MAX_WAVES
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.builder.program import FRAGMENT_NAMES, ProgramBuilder, shape_of

WAVES = ("one", "two", "three", "four", "to-seven", "eight", "sixteen", "to-31", "thirty-two", "more")
MANY = "sixteen|to-31|thirty-two|more"
MOST_THREADS = 1024
USED = ("one-datatype", "mixed", "both-precisions", "all")
"""Classes of ``rows-used`` and of ``type-mix``: what meets."""


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    size = min(lanes(context.row.entry.answer, context.caps))
    rows = list(_rows(context, chosen["mixture"]))
    waves = context.choices.one_of(within("waves", chosen["waves"]))
    threads = waves * size
    if threads > MOST_THREADS or waves > MAX_WAVES or len(rows) < 2:
        return None
    builder = ProgramBuilder(context, waves)
    builder.room("in", read_only=context.choices.chance(50))
    builder.room("out")
    body: list[Instruction] = []
    for number, row in enumerate(rows):
        builder.shape = shape_of(row)
        body += _product(builder, f"{number}", both=chosen["mixture"] == "both-precisions" and number == 1)
    draft = builder.draft(body, "full" if "int" in context.row.tags else "window", batch=1)
    program: WaveMatrixProgram = draft.program
    if size not in wave_sizes(program, context.caps):
        return None
    return Draft(replace(program, threads=threads, wave_size=size), draft.regime, 1, draft.words)


def _product(builder: ProgramBuilder, name: str, *, both: bool) -> list[Instruction]:
    """A product of new operands; or, into an accumulator of the other precision, of those before."""
    first, body = f"A{int(name) - 1}" if both else f"A{name}", list[Instruction]()
    second = first.replace("A", "B")
    if not both:
        for kind, factor in (("left", first), ("right", second)):
            for element in builder.shape.elements[:1] if kind == "left" else builder.shape.elements[-1:]:
                body.append(builder.load(builder.matrix(kind, factor, element), "in"))  # type: ignore[arg-type]
    total = builder.matrix("accumulator", f"C{name}")
    body += [builder.load(total, "in"), MultiplyAccumulate(total.name, first, second)]
    sums, added = [], []
    for (kind, fragment), factor in zip(FRAGMENT_NAMES, (first, second), strict=True):
        matrix = builder.matrix(kind, f"{fragment}{name}")
        body.append(builder.load(matrix, "in"))
        sums.append(SumAccumulate(matrix.name, factor))
        added.append(Add(total.name, matrix.name))
        body += [Repeat(2, tuple(sums)), builder.store(matrix, "out")] if len(sums) > 1 else []
    if both:
        body.insert(0, Multiply(f"C{int(name) - 1}", first, second))
    # Each wave has its own fragments, and adds those.
    return [*body, *added, builder.store(total, "out")]


def _rows(context: DrawContext[WaveMmaCaps], used: str) -> Iterator[Row[Entry]]:
    """The row of the context, and others that its class asks for."""
    every: tuple[Row[Any], ...] = tuple(spec_named("hlsl-wave-matrix").rows(context.caps))
    own = context.row
    yield own
    answer = own.entry.answer
    match used:
        case "one-datatype":
            found = [row for row in every if row.entry.answer.datatype == answer.datatype]
            shapes = {(row.entry.answer.m, row.entry.answer.n): row for row in found}
            yield from [row for shape, row in shapes.items() if shape != (answer.m, answer.n)][:1]
        case "both-precisions":
            others = [row for row in every if row.entry.answer == answer and row.name != own.name]
            yield from others if len(accumulators(answer)) > 1 else []
        case "mixed":
            yield from [
                row for row in every if row.entry.answer.datatype != answer.datatype and row.entry.answer.m != answer.m
            ][:1]
        case "all":
            kinds = {row.entry.answer.datatype: row for row in every[::-1]}
            yield from (row for datatype, row in kinds.items() if datatype != answer.datatype)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    rows = one_of_each(caps, 0)
    if axis == "waves":
        return name != "more" or min(lanes(row.entry.answer, caps)) < MOST_THREADS // 32
    if axis != "mixture":
        return True
    if name == "both-precisions":
        return row in [one for one in rows if len(accumulators(one.entry.answer)) > 1][:1]
    return row in rows[:1]


GROUP_SIZES = Array(
    name="thread-groups",
    focus=("WM-TG-DIVIS", "WM-ONE-PER-WAVE", "WM-MAC", "WM-TYPE-SUPPORTED", "WM-CAPS-WAVESIZE"),
    axes={"mixture": USED, "waves": WAVES},
    build=_built,
    rules=(f"waves={MANY} with mixture=both-precisions|all",),
    fits=_fits,
    costly=("waves=" + "|".join(WAVES),),
)
"""Group sizes; many waves take long, so that each has one mixture of rows at smoke."""
