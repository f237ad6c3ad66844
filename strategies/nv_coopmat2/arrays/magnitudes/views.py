"""Views in which one number has a magnitude, and views, clips and clamp values that go with any layout."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.formats import format_named
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.nv_coopmat2.arrays.extents import factors
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.families import Task, within
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.shapes import WHOLE, Shape, ViewShape, Words, implied

PRIMES = (131, 257, 263, 521, 1031)
HALF = 1 << 31


def order(choices: Choices, rank: int) -> Words:
    """Any order of so many axes, half of the time none that is written."""
    left, found = list(range(rank)), []
    if choices.chance(30):
        return ()
    while left:
        found.append(left.pop(choices.integer(0, len(left) - 1)))
    return tuple(found)


def _small(task: Task) -> Shape:
    """A layout of about as many elements as the matrix, or of a prime number of them."""
    choices = task.choices
    if choices.chance(60):
        size = choices.one_of([prime for prime in PRIMES if prime > task.elements] or [task.elements])
        return Shape((size,), choices.integer(0, 4), (0,), (size,))
    sizes = factors(task.rows, task.cols, choices.integer(2, 5))
    return within(Shape(sizes), task, sizes)


def view_stride(task: Task) -> Shape:
    """The largest stride of the view is the number."""
    number, choices = task.number, task.choices
    shape, rank = _small(task), choices.integer(1, 5)
    dims = factors(task.rows, task.cols, rank)
    strides = [min(number, step) for step in implied(dims)]
    if choices.chance(40):
        strides = [min(number, choices.one_of((1, 2, 3, 0, 17))) for _ in dims]
    strides[choices.integer(0, rank - 1)] = number
    shape.view = ViewShape(rank, order(choices, rank), dims, tuple(strides))
    return shape


def view_dimension(task: Task) -> Shape:
    """The largest dimension of the view is the number."""
    number, choices = task.number, task.choices
    shape, rank = _small(task), choices.integer(1, 5)
    dims = [min(number, size) for size in factors(task.rows, task.cols, rank)]
    axis = choices.integer(0, rank - 1) if number > task.elements else 0
    if task.store and number < 5:
        dims = [number] * rank
    dims[axis] = number
    shape.view = ViewShape(rank, order(choices, rank), tuple(dims))
    if choices.chance(30):
        shape.view.strides = tuple(step & WHOLE for step in implied(factors(task.rows, task.cols, rank)))
    if number == 0:
        shape.kept = ["nothing"]
    return shape


VIEW_FAMILIES: dict[str, Callable[[Task], Shape]] = {
    "view-stride-size": view_stride,
    "view-dimension-size": view_dimension,
}
"""Axis -> a small layout, and the view in which the number of a task is that of the axis."""


def dressed(task: Task, shape: Shape, component: str, *, plainly: bool) -> Shape:
    """The layout with a clamp mode, a clamp value and a view of any kind; plain ones in the end."""
    choices = task.choices
    if "nothing" in shape.kept:
        own = shape.view is not None or choices.chance(50)
        shape.view = shape.view or ViewShape(shape.rank, order(choices, shape.rank))
        none, some = nothing(choices, task.rows), clip(choices, task.cols)
        if choices.chance(50):
            none, some = clip(choices, task.rows), nothing(choices, task.cols)
        shape.view.clip = (*none, *some)
        shape.view.unset = shape.view.dimensions is None and own
    if plainly:
        if task.store and choices.chance(50):
            shape.view = shape.view or ViewShape(shape.rank)
            shape.view.clip = shape.view.clip or (task.rows - 1, 1, 0, 1)
        return shape
    if choices.chance(12):
        shape.mode = 0
    if choices.chance(40):
        shape.clamp = clamp_value(choices, component)
    if shape.view is None and choices.chance(55):
        shape.view = any_view(task, shape)
    if shape.view is not None and shape.view.clip is None and choices.chance(55):
        shape.view.clip = (*clip(choices, task.rows), *clip(choices, task.cols))
    return shape


def any_view(task: Task, shape: Shape) -> ViewShape:
    """A permutation of the spans, or dimensions of its own that split, merge or reshape them."""
    choices = task.choices
    if choices.chance(45) or task.number > HALF:
        return ViewShape(shape.rank, order(choices, shape.rank))
    spans = shape.spans or shape.sizes
    kind = choices.one_of(("merged", "spans", "matrix", "ones", "swapped", "backwards", "fewer"))
    if kind == "merged" and shape.rank > 1 and spans[0] * spans[1] <= WHOLE:
        dims: Words = (spans[0] * spans[1], *spans[2:])
    elif kind == "spans":
        dims = spans
    elif kind == "ones":
        dims = (1,) * choices.integer(1, 5)
    else:
        dims = factors(task.rows, task.cols, choices.integer(1, 5))
    rank = len(dims)
    view = ViewShape(rank, order(choices, rank), dims)
    if kind == "fewer":
        view.dimensions = (max(1, dims[0] // 2), *dims[1:])
    if kind == "swapped" and rank > 1:
        turned = implied(dims[::-1])[::-1]
        view.strides = turned
    if kind == "backwards":
        # What is added wraps: the view runs downwards from its last row.
        steps = implied(dims)
        view.strides = ((-steps[0]) & WHOLE, *steps[1:])
    if rank == 1 and kind == "matrix" and choices.chance(40):
        view.strides = (choices.one_of((1, 2, 3, 5)),)
    return view


def clip(choices: Choices, extent: int) -> tuple[int, int]:
    """Offset and span of a clip in every position."""
    if choices.chance(1):
        return choices.one_of(((1, WHOLE), (2, WHOLE - 1)))  # the sum wraps, or it does not: both are read
    middle = choices.integer(1, max(1, extent - 2))
    return choices.one_of(
        (
            (0, WHOLE), (0, WHOLE), (0, WHOLE), (0, WHOLE), (0, extent), (0, extent - 1), (1, extent - 1),
            (0, middle), (middle, extent - middle), (middle, max(1, extent - middle - 1)), (middle, 1), (0, 1),
            (extent - 1, 1), (middle, extent - 1), (middle, extent + 3), (1, WHOLE - 1), (0, HALF), (0, HALF + 7),
            (middle, HALF), (0, extent // 2), (extent // 2, extent - extent // 2),
        )
    )  # fmt: skip


def nothing(choices: Choices, extent: int) -> tuple[int, int]:
    """Offset and span of a clip that leaves nothing."""
    return choices.one_of(((0, 0), (extent, 4), (extent + 1, WHOLE // 2), (HALF, 5), (extent, 1)))


def clamp_value(choices: Choices, component: str) -> int:
    """A clamp value of any class."""
    fmt = format_named(component)
    shift = WHOLE >> 32 - min(fmt.bits, 31)
    found = [0, 0x3C7B_1942, WHOLE, 0x65, 1 << min(fmt.bits, 32) - 1, ~shift & WHOLE]
    if fmt.is_float:
        top = fmt.infinity_magnitude
        found += [top, top | fmt.sign_bit, top | 1, fmt.nan_bits, 3, 0x4049_0FDB]
    return choices.one_of(found) & WHOLE
