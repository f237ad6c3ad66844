"""Axes that are numbers: dimensions, strides, offsets, indices, sizes of matrices, counts."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.nv_coopmat2.addresses import addresses
from mmaspec.programs.arguments import argument_values
from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.operands import writes
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Store,
    StoreTensor,
)
from mmaspec.strategies.axes.observation import Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, facts, numbered
from mmaspec.strategies.nv_coopmat2.observations.operations.reductions import combined

UINT32 = 0xFFFF_FFFF


def tensor_number(axis: str, of: Callable[[TensorFacts], int | None]) -> Look:
    """The look of a number of a well-typed tensor access."""

    def number(subject: Subject, thing: Thing) -> int | None:
        assert thing.place is not None
        one = tensor_facts(subject, thing.place)
        return of(one) if one.states else None

    return numbered(axis, number)


def matrix_of(known: Facts, thing: Thing) -> Matrix:
    """The matrix that stands for a thing: itself, what an access moves, what an operation makes."""
    if isinstance(thing.of, Matrix):
        return thing.of
    name = getattr(thing.of, "matrix", None) if isinstance(thing.of, Access) else writes(thing.of)
    assert name is not None
    return known.matrix(name)


def linear_index(one: TensorFacts) -> int | None:
    """The largest index of an element that has one."""
    top = max(int(state.found.index.max()) for state in one.states)
    return top if top >= 0 else None


def byte_offset(subject: Subject, thing: Thing) -> int | None:
    """The largest byte of the buffer's view at which an element starts."""
    assert thing.place is not None
    known = facts(subject)
    if isinstance(thing.of, LoadTensor | StoreTensor):
        one = tensor_facts(subject, thing.place)
        top = max((int(one.bytes_of(state).max()) for state in one.states), default=-1)
    else:
        last = min(known.passes[thing.place], 64) - 1
        top = max(int(addresses(known.program, thing.of, loop).max()) for loop in {0, max(last, 0)})
    return top if top >= 0 else None


def argument(index: Index, known: Facts, thing: Thing) -> int:
    """The largest value of an argument over waves and passes, 32 bits."""
    assert thing.place is not None
    passes = max(known.passes[thing.place], 1)
    return max(value & UINT32 for value in argument_values(index, known.program.waves, min(passes, 64)))


def offset(subject: Subject, thing: Thing) -> int:
    """The offset of an access."""
    return argument(thing.of.offset, facts(subject), thing)


def stride(subject: Subject, thing: Thing) -> int | None:
    """The stride of a plain access."""
    return argument(thing.of.stride, facts(subject), thing) if isinstance(thing.of, Load | Store) else None


def rows(subject: Subject, thing: Thing) -> int:
    """Rows of the matrix that stands for a thing."""
    return matrix_of(facts(subject), thing).rows


def columns(subject: Subject, thing: Thing) -> int:
    """Columns of the matrix that stands for a thing."""
    return matrix_of(facts(subject), thing).cols


def terms(subject: Subject, thing: Thing) -> int:
    """K of a product."""
    product: MulAdd = thing.of
    return facts(subject).matrix(product.a).cols


def alive(subject: Subject, _: Thing) -> int:
    """How many matrices hold something that is used later, at most at once."""
    known = facts(subject)
    spans = []
    for turn, one in enumerate(known.text):
        name = writes(one.instruction)
        if name is not None:
            uses = known.users(name, one.place)
            inside = [t for t, other in enumerate(known.text) if other.place.path[0] == one.place.path[0]]
            turned = any(use.turned for use in uses)
            start = min(inside) if turned else turn
            end = max([known.turn[use.place] for use in uses] + ([max(inside)] if turned else []), default=turn)
            spans.append((start, end, name))
    return max(
        (len({name for start, end, name in spans if start <= turn <= end}) for turn in range(len(known.text))),
        default=0,
    )


def written_out(subject: Subject, _: Thing) -> int:
    """How many operations the body has; loops count once."""
    return len(facts(subject).text)


def tensor_accesses(subject: Subject, _: Thing) -> int:
    """How many tensor accesses a program has."""
    return sum(isinstance(one.instruction, LoadTensor | StoreTensor) for one in facts(subject).accesses)


def rank(subject: Subject, thing: Thing) -> int:
    """Dimensions of the layout."""
    assert thing.place is not None
    return tensor_facts(subject, thing.place).declared.rank


def view_rank(subject: Subject, thing: Thing) -> int | None:
    """Dimensions of the view."""
    assert thing.place is not None
    viewed = tensor_facts(subject, thing.place).viewed
    return None if viewed is None else viewed.rank


def view_largest(one: TensorFacts, what: str) -> int | None:
    """The largest stride or dimension of a view that has its own."""
    found = [getattr(state.v, what) for state in one.states if state.v is not None and state.v.has_dimensions]
    return max((number for words in found for number in words), default=None)


LOOKS: dict[str, Look] = {
    "tensor-rank": numbered("tensor-rank", rank),
    "outer-stride": tensor_number("outer-stride", lambda one: max(max(s.t.stride, default=0) for s in one.states)),
    "inner-stride": tensor_number("inner-stride", lambda one: one.t.stride[-1] if one.rank else None),
    "dimension-size": tensor_number("dimension-size", lambda one: max(one.t.layout_dimension, default=None)),
    "inner-dimension-size": tensor_number(
        "inner-dimension-size", lambda one: one.t.layout_dimension[-1] if one.rank else None
    ),
    "slice-offset-size": tensor_number(
        "slice-offset-size", lambda one: max((abs(word) for s in one.states for word in s.t.offset), default=None)
    ),
    "span-size": tensor_number(
        "span-size", lambda one: max((word for s in one.states for word in s.t.span), default=None)
    ),
    "block-size": tensor_number("block-size", lambda one: max(one.t.block_size, default=None)),
    "linear-index": tensor_number("linear-index", linear_index),
    "view-rank": numbered("view-rank", view_rank),
    "view-stride-size": tensor_number("view-stride-size", lambda one: view_largest(one, "view_stride")),
    "view-dimension-size": tensor_number("view-dimension-size", lambda one: view_largest(one, "view_dimension")),
    "byte-offset": numbered("byte-offset", byte_offset),
    "element-offset-size": numbered("element-offset-size", offset),
    "plain-offset": numbered("plain-offset", offset),
    "plain-stride": numbered("plain-stride", stride),
    "matrix-rows": numbered("matrix-rows", rows),
    "matrix-columns": numbered("matrix-columns", columns),
    "product-k": numbered("product-k", terms),
    "reduce-source-size": numbered("reduce-source-size", combined),
    "loop-count": numbered("loop-count", lambda _, thing: int(thing.of.count)),
    "scope-instances": numbered("scope-instances", lambda subject, _: int(subject.program.waves)),
    "body-length": numbered("body-length", written_out),
    "live-matrices": numbered("live-matrices", alive),
    "accesses-per-program": numbered("accesses-per-program", tensor_accesses),
    "buffer-size": numbered("buffer-size", lambda _, thing: int(thing.of.size)),
    "decode-struct-bytes": numbered("decode-struct-bytes", lambda _, thing: int(thing.of.decode.struct_bytes)),
}
"""Axis -> how its number is seen."""
