"""Loops: how many passes, what a pass does, and what moves from pass to pass. A program has several, in turn."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    Scaling,
    Simple,
    Store,
    SumAccumulate,
)
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import end, lines
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Style

LITERAL = Style(run_time=0)
DEPTHS = "depths"
SCALARS: tuple[tuple[type[Scaling], int], ...] = (
    (ScalarAdd, 3), (ScalarMultiply, 2), (ScalarSubtract, 2), (ScalarDivide, 2),
)  # fmt: skip
"""Operations that together add 2, so that numbers stay small."""
LONG = 32
"""Passes from which on a body of several operations has one of them: what shows is how often it is done."""
WAVES = {"several": (2, 3), "one": (1,)}


def _program(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    waves = context.choices.one_of(WAVES[things[0]["loop-waves"]])
    shop = Workshop(ProgramBuilder(context, waves))
    for thing in things:
        _loop(shop, thing)
    return shop.builder.draft(shop.body, regime_of(context.row), batch=2)


def _loop(shop: Workshop, thing: Chosen) -> None:
    counts = within("loop-count", thing["loop-count"])
    count = shop.builder.choices.one_of(counts[:4])
    left, right, total = shop.matrix("left"), shop.matrix("right"), shop.matrix("accumulator")
    column, row = shop.matrix("left-col-acc"), shop.matrix("right-row-acc")
    for matrix in (left, right, total, column, row):
        shop.give(matrix, "buffer-row")
    moves = _moves(shop, thing["loop-moves"], count, left, right)
    body = _body(shop, thing["loop-body"], count, (left, right, total), (column, row))
    shop.body.append(Repeat(count, (*moves, *body)))
    for matrix in (total, column, row):
        shop.use(matrix, "buffer-row")


def _body(
    shop: Workshop, what: str, count: int, product_of: tuple[Matrix, Matrix, Matrix], fragments: tuple[Matrix, Matrix]
) -> tuple[Simple, ...]:
    (left, right, total), (column, row) = product_of, fragments
    product = MultiplyAccumulate(total.name, left.name, right.name)
    fmt = FORMATS[total.element]

    def again(matrix: Matrix) -> Load:
        return shop.builder.load(matrix, "in", LITERAL, data=f"{matrix.name}-again")

    def stored(matrix: Matrix) -> Simple:
        return _moving(shop, count, lambda: shop.builder.store(matrix, "out", LITERAL))

    fixed: dict[str, tuple[Simple, ...]] = {
        "empty": (),
        "accumulate-only": (product,),
        "multiply": (Multiply(total.name, left.name, right.name),),
        "fill-and-accumulate": (Fill(total.name, Literal(encoded(fmt, 3))), product),
        "sums": (SumAccumulate(column.name, left.name), SumAccumulate(row.name, right.name)),
        "additions": (Add(total.name, column.name), Add(total.name, row.name)),
        "scalar": tuple(method(total.name, Literal(encoded(fmt, value))) for method, value in SCALARS),
    }
    if what in fixed:
        # Not of additions, which take least: some body has to be very long.
        several = what in ("sums", "scalar") and count >= LONG
        return fixed[what][:1] if several else fixed[what]
    match what:
        case "loads-and-accumulate":
            return again(left), again(right), product
        case "one-load-inside":
            return again(left), product
        case "store-each-pass":
            return product, stored(total)
        case "rotate":
            return product, again(left), again(right)
    other = shop.matrix("accumulator")
    return shop.builder.load(other, "in", LITERAL), stored(other)


def _moving(shop: Workshop, count: int, make: Callable[[], Simple]) -> Simple:
    """An access with a place of its own in every pass."""
    shop.builder.passes = count
    made = make()
    shop.builder.passes = 1
    return made


def _moves(shop: Workshop, what: str, count: int, left: Matrix, right: Matrix) -> tuple[Simple, ...]:
    builder = shop.builder

    def loaded(matrix: Matrix) -> Simple:
        return _moving(shop, count, lambda: builder.load(matrix, "in", LITERAL, data=f"{matrix.name}-moving"))

    match what:
        case "left-offset":
            return (loaded(left),)
        case "right-offset":
            return (loaded(right),)
        case "both-offsets":
            return loaded(left), loaded(right)
        case "fragment-offset":
            moved = shop.matrix("right-row-acc")
            return loaded(moved), _moving(shop, count, lambda: builder.store(moved, "out", LITERAL))
        case "depth-offset":
            if DEPTHS not in builder.rooms:
                builder.room(DEPTHS)
            return (_moving(shop, count, lambda: builder.depth(right, DEPTHS)),)
        case "stride" | "orientation":
            return _turning(shop, what, count)
        case "store-offset":
            return (_moving(shop, count, lambda: builder.store(right, "out", LITERAL)),)
    return ()


def _turning(shop: Workshop, what: str, count: int) -> tuple[Simple, ...]:
    """A matrix loaded and stored with another stride or orientation each pass, at places far enough apart."""
    builder, matrix = shop.builder, shop.matrix("accumulator")
    made: list[Simple] = []
    side = max(matrix.rows, matrix.cols) * FORMATS[matrix.element].nbytes
    for buffer in ("in", "out"):
        room = builder.rooms[buffer]
        start = -(-room.used // 4) * 4 + 4
        step = 4 if what == "stride" else 0
        last = side + step * count
        apart = last * max(lines(matrix, 0), lines(matrix, 1)) + side
        room.used = end(matrix, start + apart * count * builder.waves, last, 0)
        stride = Affine(side, loop=step) if step else side
        turned = Affine(0, loop=1) if what == "orientation" else 0
        where = Affine(start, apart * count if builder.waves > 1 else 0, apart)
        access = Load(matrix.name, buffer, where, stride, turned, 0, f"{matrix.name}-turning")
        made.append(access if buffer == "in" else _stored(access))
    return tuple(made)


def _stored(load: Load) -> Store:
    return Store(load.matrix, "out", load.offset, load.stride, load.col_major, load.alignment)


_COUNTS = ("one", "two", "three", "four", "to-seven", "eight", "to-31", "to-255", "many")
_MOVING = "left-offset|right-offset|both-offsets|store-offset|stride|orientation|fragment-offset|depth-offset"

LOOPS = Packed(
    "loops",
    ("WM-MAC", "WM-MUL", "WM-LOAD-ALL", "WM-STORE-ALL", "WM-ADDR-ROW", "WM-ADDR-COL"),
    {
        "loop-count": _COUNTS,
        "loop-waves": tuple(WAVES),
        "loop-moves": ("nothing", *_MOVING.split("|")),
        "loop-body": (
            "loads-and-accumulate", "accumulate-only", "one-load-inside", "multiply", "fill-and-accumulate", "sums",
            "additions", "scalar", "load-and-store", "store-each-pass", "rotate", "empty",
        ),
    },
    _program,
    ("repeat",),
    6,
    (
        f"loop-count=one|to-255|many with loop-moves={_MOVING}",
        "loop-count=one|to-255|many with loop-body=load-and-store|store-each-pass",
        # What is loaded in every pass, or multiplied, hundreds of times would take as long as all the rest.
        "loop-count=many with loop-body=loads-and-accumulate|one-load-inside|rotate|multiply|fill-and-accumulate",
        "loop-moves=orientation with loop-count=three|four|to-seven|eight|to-31",  # it is 0 or 1
        "loop-body=accumulate-only with loop-moves=left-offset|right-offset|both-offsets",
        "loop-body=load-and-store with loop-moves=depth-offset",
        "loop-body=one-load-inside with loop-moves=right-offset|both-offsets",
        "loop-moves=nothing with loop-body=load-and-store|store-each-pass",
        f"loop-body=empty with loop-moves={_MOVING}",
    ),
    alike="loop-waves",
)  # fmt: skip
"""Loops in turn."""
