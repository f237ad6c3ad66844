"""Ablations of matrices in optimal layouts: sums of outer products, and conversions of layouts."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import is_linear
from mmaspec.oracle.hlsl_linalg.blame.constants import constant
from mmaspec.oracle.hlsl_linalg.blame.declared import fresh_matrix, fresh_vector, moved_name, with_matrix, with_vector
from mmaspec.oracle.hlsl_linalg.blame.edits import VIEW, tight, turned
from mmaspec.oracle.spec import PLAIN, Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Buffer, Place
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    ConvertLayout,
    InterlockedAccumulate,
    LinalgProgram,
    Matrix,
    OuterProduct,
    Repeat,
    Store,
    VectorLoad,
)


def of_conversion(program: LinalgProgram, place: Place, one: ConvertLayout) -> Iterator[Ablation]:
    """What was added to the matrix in between; the layout of the source."""
    if not is_linear(one.source_layout):
        yield from _of_sums(program, place, one)
    elif one.data is not None:
        yield _otherwise(program, place, one)


def _otherwise(program: LinalgProgram, place: Place, one: ConvertLayout) -> Ablation:
    """LINALG-LAYOUT-CONVERT: the source in the other layout, in a buffer of its own."""
    layout = turned(one.source_layout)
    memory = moved_name(program)
    like = Matrix("", one.component, one.m, one.n, "A", "Thread")
    stride = tight(like, layout)
    size = stride * (one.n if layout == "ColMajor" else one.m)
    changed = replace(program, buffers=(*program.buffers, Buffer(memory, size, VIEW)))
    new = replace(one, source=memory, source_offset=0, source_stride=stride, source_layout=layout)
    return Ablation("LINALG-LAYOUT-CONVERT", tree.replace(changed, place, new))


def _of_sums(program: LinalgProgram, place: Place, one: ConvertLayout) -> Iterator[Ablation]:
    """LINALG-ATOMIC: by one thread, once; LINALG-OUTER: of constants; LINALG-OUTER-SUM: nothing is added."""
    adding = [
        (where, step)
        for where, step, _ in tree.walk(program)
        if isinstance(step, InterlockedAccumulate)
        and step.memory == one.source
        and program.matrix(step.matrix).scope == "Thread"
    ]
    if not adding:
        return
    first = adding[0][0]
    single = tree.drop(program, {where.path for where, _ in adding[1:]})
    around = single.body[first.path[0]]
    inside = around.body if isinstance(around, Branch | Repeat) else (around,)
    by_one = Branch(1, tuple(inside), 1)
    single = replace(single, body=(*single.body[: first.path[0]], by_one, *single.body[first.path[0] + 1 :]))
    if single != program:
        shift = len(program.body) - len(single.body)
        yield Ablation("LINALG-ATOMIC", single, Place((place.path[0] - shift,)), others=True)
    yield from _of_constants(program, place, first)
    nothing = tree.drop(program, {where.path for where, _ in adding})
    shift = len(program.body) - len(nothing.body)
    yield Ablation("LINALG-OUTER-SUM", nothing, Place((place.path[0] - shift,)), others=True)


def _of_constants(program: LinalgProgram, place: Place, first: Place) -> Iterator[Ablation]:
    """One vector is a constant, which the group stores as a matrix: elements of the product are alike along it."""
    products = [(where, step) for where, step, _ in tree.walk(program) if isinstance(step, OuterProduct)]
    if len(products) != 1 or products[0][0].path > first.path:
        return
    where, product = products[0]
    for side in ("row", "column"):
        name = getattr(product, side)
        vector = program.vector(name)
        matrix = replace(program.matrix(product.matrix), component=vector.component, scope="ThreadGroup")
        held, alike = fresh_matrix(program, matrix, "constant"), fresh_vector(program, vector, side)
        stride, memory = tight(held, "RowMajor"), moved_name(program)
        changed = with_vector(with_matrix(program, held), alike)
        changed = replace(changed, buffers=(*program.buffers, Buffer(memory, held.m * stride, VIEW)))
        changed = tree.replace(changed, where, replace(product, **{side: alike.name}))
        steps = (
            constant(held, PLAIN),
            Store(held.name, memory, 0, stride),
            Barrier(),
            VectorLoad(alike.name, memory, 0),
        )
        for step in reversed(steps):
            changed = tree.insert(changed, Place(where.path[:1]), step)
        here = tree.at(changed, Place((place.path[0] + len(steps),)))
        # Groups are whole waves, as matrices of their scope need them; the vector of before is not loaded.
        changed = _without_loads(replace(changed, threads=0), name)
        there = len(changed.body) - 1 - changed.body[::-1].index(here)
        yield Ablation("LINALG-OUTER", changed, Place((there,)), others=True)


def _without_loads(program: LinalgProgram, name: str) -> LinalgProgram:
    return tree.keep(program, lambda _, step: not (isinstance(step, VectorLoad) and step.vector == name))
