"""Layouts in which one number has a magnitude: the largest stride, a dimension, an offset, a span, a block size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from mmaspec.strategies.choices import Choices
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.shapes import Shape, Words, implied

BUDGET = 1 << 18
"""Elements among which those of an access lie, at most: a buffer of a megabyte."""
SMALL = (2, 3, 5, 7, 9, 12, 16, 17, 20)
SIGNED = 1 << 31


@dataclass(frozen=True)
class Task:
    """What a layout is for."""

    choices: Choices
    number: int
    rows: int
    cols: int
    width: int
    """Bytes of a component."""
    store: bool
    room: int = 0
    """Bytes over which a tensor may reach; 0: about a megabyte."""

    @property
    def elements(self) -> int:
        """Of the matrix."""
        return self.rows * self.cols

    @property
    def budget(self) -> int:
        """Elements that a tensor may reach over."""
        if self.room:
            return self.room // self.width - 1
        return BUDGET * 4 // max(4, self.width) if self.width > 4 else BUDGET

    def few(self, most: int = 20) -> int:
        """A small size."""
        return self.choices.one_of([size for size in (1, *SMALL) if size <= most] or [1])

    def inner(self, count: int) -> Words:
        """So many small sizes, the last one most often about a row."""
        found = [self.few(5) for _ in range(count - 1)]
        last = self.cols + self.choices.integer(-2, 3) if self.choices.chance(60) else self.few()
        return (*found, last)


def within(shape: Shape, task: Task, touched: Words) -> Shape:
    """With a slice over what may be touched of each dimension, now and then a little more or less."""
    choices = task.choices
    offsets, spans = [], []
    for size in touched:
        offset = choices.integer(0, min(2, size - 1)) if size > 1 and choices.chance(50) else 0
        offsets.append(offset)
        spans.append(max(1, size - offset + choices.weighted([(5, 0), (1, 1), (1, -1), (1, 3)])))
    shape.offsets, shape.spans = tuple(offsets), tuple(spans)
    if any(o + s > size for o, s, size in zip(offsets, spans, touched, strict=True)):
        shape.mode = choices.integer(1, 4)
    if task.store and choices.chance(60):
        _dropping(task, shape)
    return shape


def _dropping(task: Task, shape: Shape) -> None:
    """What the tensor has no room for is out of bounds, and not stored: nothing is stored twice."""
    assert shape.spans is not None
    shape.spans = (max(task.elements, shape.spans[0]), *shape.spans[1:])
    shape.mode = task.choices.integer(1, 4)


def outer_stride(task: Task) -> Shape:
    """The outermost stride is the number."""
    number, choices = task.number, task.choices
    if number == 0:
        some: Words = (task.few(), task.few())[: choices.integer(1, 2)]
        return within(Shape(some, strides=(0,) * len(some)), task, some)
    rank = choices.integer(2, 5)
    sizes: Words = (1,)
    while len(sizes) < rank:
        room = number // prod(sizes)
        sizes = (*sizes, min(room, task.cols if len(sizes) == rank - 1 else task.few(4)))
    strides = list(implied(sizes))
    reach = task.budget // number
    outer = min(reach + 1, task.few()) if reach else 1
    strides[0] = number
    return within(Shape((outer, *sizes[1:]), strides=tuple(strides)), task, (outer, *sizes[1:]))


def inner_stride(task: Task) -> Shape:
    """The innermost stride is the number."""
    number, choices = task.number, task.choices
    rank = choices.integer(1, 3)
    sizes: Words = (task.few(), task.cols)
    if number == 0:
        return within(Shape(sizes, strides=(choices.one_of((1, 3, 40)), 0)), task, sizes)
    reach = max(1, task.budget // number)
    sizes = (min(reach, task.cols + choices.integer(0, 2)),)
    strides, step = [number], number * sizes[0] + choices.one_of((0, 0, 1, 8))
    for _ in range(rank - 1):
        left = max(1, task.budget // step) if step else 1
        sizes = (min(left, task.few()), *sizes)
        strides.insert(0, min(step, 0xFFFF_FFFF))
        step *= sizes[0]
    shape = within(Shape(sizes, strides=tuple(strides)), task, sizes)
    if task.elements > prod(sizes) and choices.chance(50):
        # What is beyond is clamped, or not stored.
        assert shape.spans is not None
        shape.spans, shape.mode = (*shape.spans[:-1], task.elements), choices.integer(1, 4)
    return shape


def outer_dimension(task: Task) -> Shape:
    """The outermost dimension is the number, and the largest."""
    number, choices = task.number, task.choices
    if number >= SIGNED:
        return Shape((number, task.few()), 1, (0, 0), (task.few(), 3), kept=["nothing"])
    if number < 2:
        sizes = (number,) * choices.integer(1, 3)
        return Shape(sizes, 1 if number == 0 else choices.integer(1, 3), (0,) * len(sizes), (task.few(),) * len(sizes))
    room = max(1, min(task.cols + 2, task.budget // number, number))
    inner = (task.few(min(4, room)), task.few(room))[choices.integer(0, 1) :]
    sizes = (number, *inner)
    if number * prod(inner) > task.budget:
        if choices.chance(50) and not task.store:
            return _at_end(task, Shape(sizes, strides=(0,) * len(sizes)), 0)
        sizes = (number, *(min(number, size) for size in task.inner(choices.integer(1, 2))))
        shape = Shape(sizes, strides=None)
        return within(shape, task, (min(number, task.rows), *sizes[1:]))
    return _at_end(task, Shape(sizes), 0)


def _at_end(task: Task, shape: Shape, axis: int) -> Shape:
    """The slice lies at the end of a dimension, or leaves it by a few."""
    choices = task.choices
    spans = [min(size, task.few()) or 1 for size in shape.sizes]
    size = shape.sizes[axis]
    if task.store:
        spans[axis] = max(1, task.elements // prod(spans[:axis] + spans[axis + 1 :]))
    over = choices.one_of((0, 0, 1, max(1, spans[axis] // 2), spans[axis] - 1))
    offsets = [0] * len(spans)
    offsets[axis] = min(size - spans[axis] + over, SIGNED - 1 - spans[axis])
    if over:
        shape.mode = choices.integer(1, 4)
    shape.offsets, shape.spans = tuple(offsets), tuple(spans)
    return shape


def inner_dimension(task: Task) -> Shape:
    """The innermost dimension is the number."""
    number, choices = task.number, task.choices
    outer = (task.few(4), task.few())[choices.integer(0, 2) :]
    sizes = (*outer, number)
    if number == 0:
        return Shape(sizes, 1, (0,) * len(sizes), tuple(max(1, size) for size in sizes))
    if (choices.chance(35) and not task.store) or number > task.budget:
        packed = implied((*outer, 1)) if choices.chance(70) else (0,) * len(sizes)
        return _at_end(task, Shape(sizes, strides=(*packed[:-1], 0)), len(sizes) - 1)
    if number * prod(outer) > task.budget:
        sizes = (min(2, task.budget // number + 1), number)
    if choices.chance(50):
        return _at_end(task, Shape(sizes), len(sizes) - 1)
    touched = (*(min(size, task.budget // number + 1) for size in sizes[:-1]), min(number, task.cols))
    return within(Shape(sizes), task, touched)


def offset(task: Task) -> Shape:
    """The largest offset has this magnitude: inside a large dimension, or out of bounds in some clamp mode."""
    number, choices = task.number, task.choices
    if number * 2 <= task.budget and choices.chance(60):
        width = task.elements + choices.integer(-3, 9)
        mode = choices.integer(0, 4) if width <= task.elements + 4 else 1
        return Shape((number + task.elements + 4,), mode, (number,), (width,))
    rank = choices.integer(1, 4)
    sizes = task.inner(rank)
    axis = choices.integer(0, rank - 1)
    if number > SIGNED:
        # The sum of two offsets, of which nothing may make use.
        first = tuple(-SIGNED if at == axis else 0 for at in range(rank))
        least = tuple(-1 if at == axis else 0 for at in range(rank))
        return Shape(sizes, 1, least, sizes, first=first, kept=["nothing"])
    away = -number if number > SIGNED - 400 or choices.chance(50) else number
    if number == SIGNED - 1:
        away = number
    spans = [max(1, size + choices.integer(-1, 2)) for size in sizes]
    if away + spans[axis] > SIGNED:
        spans[axis] = 1
    offsets = [choices.integer(-1, 2) if choices.chance(40) else 0 for _ in sizes]
    offsets[axis] = away
    if task.store and number > 1 and 0 < -away < sizes[axis] + 40:
        spans[axis] = number + 2
    return Shape(sizes, choices.integer(1, 4), tuple(offsets), tuple(spans))


def span(task: Task) -> Shape:
    """The largest span is the number."""
    number, choices = task.number, task.choices
    rank = 5 if task.store and number < 5 else choices.integer(1, 4)
    sizes = [max(1, min(size, number)) for size in task.inner(rank)]
    axis = choices.integer(0, rank - 1) if number > task.elements or choices.chance(50) else 0
    spans = [max(1, min(number, size + choices.one_of((0, 0, 1, -1)))) for size in sizes]
    spans[axis] = number
    reach = task.elements // prod(spans[axis + 1 :]) + 1
    sizes[axis] = min(number, reach + choices.one_of((0, 1, -2)) if reach > 4 else reach)
    if task.store and number < 5:
        spans = [number] * rank
        sizes = [number + choices.integer(0, 2) for _ in spans]
    if number == 0:
        return Shape((3, 4), 1, (0, 0), (0, 0), kept=["nothing"])
    mode = 0 if all(a <= b for a, b in zip(spans, sizes, strict=True)) else 1
    return Shape(tuple(sizes), choices.integer(mode, 4), (0,) * rank, tuple(spans))


def block(task: Task) -> Shape:
    """The largest block size is the number."""
    number, choices = task.number, task.choices
    rank = choices.integer(1, 4)
    axis = choices.integer(0, rank - 1)
    sizes, blocks = list(task.inner(rank)), [1] * rank
    blocks[axis] = number
    others = choices.one_of(("ones", "one", "all"))
    for other in range(rank):
        if other != axis and others != "ones" and number > 1:
            blocks[other] = choices.one_of([size for size in (2, 3, 6, number) if size <= min(number, 70)])
            others = "ones" if others == "one" else others
    count = choices.integer(1, 3)
    sizes[axis] = max(1, number * count + choices.one_of((0, 0, 1, -1, number // 2)))
    start = max(0, number * choices.integer(0, count) - choices.integer(0, 5))
    offsets, spans = [0] * rank, [max(1, min(size, 9)) for size in sizes]
    offsets[axis], spans[axis] = min(start, sizes[axis] - 1), choices.one_of((task.cols, task.rows + 3, number + 1))
    shape = Shape(tuple(sizes), choices.integer(1, 4), tuple(offsets), tuple(spans), blocks=tuple(blocks))
    if number == 0:
        shape.blocks, shape.late_blocks, shape.kept = (0,) * rank, True, ["nothing"]
    return shape


def index(task: Task) -> Shape:
    """The largest index of an element is the number, which ``base`` may still change."""
    number, choices = task.number, task.choices
    inner = max(1, min(task.cols, (number + 1) // 2))
    outer = choices.integer(2, max(2, min(task.rows, (number + 1) // inner)))
    step = (number - inner + 1) // (outer - 1)
    if (number - inner + 1) % (outer - 1) or step < inner:
        outer, step = 2, number - inner + 1
    shape = Shape((outer, inner), choices.integer(0, 4), (0, 0), (outer, inner), strides=(step, 1))
    if step < inner:
        shape = Shape((number + 1,), choices.integer(0, 4), (0,), (number + 1,))
    shape.kept = ["index"]
    if task.store:
        _dropping(task, shape)
    return shape


FAMILIES: dict[str, Callable[[Task], Shape]] = {
    "outer-stride": outer_stride,
    "inner-stride": inner_stride,
    "dimension-size": outer_dimension,
    "inner-dimension-size": inner_dimension,
    "slice-offset-size": offset,
    "span-size": span,
    "block-size": block,
    "linear-index": index,
}
"""Axis -> the layout in which the number of a task is that of the axis."""
