"""The axes of reductions, and of functions that programs hand over."""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    REDUCE_ROW_AND_COLUMN,
    USE_ACCUMULATOR,
    Combine,
    LoadTensor,
    PerElement,
    Reduce,
    Simple,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, anywhere, every, facts, first

MASKS = ("zero", "row", "column", "all", "two-by-two", "two-by-two-and-row", "two-by-two-and-column", "seven")


def mask(_: Subject, thing: Thing) -> Answer:
    """The mask."""
    return MASKS[thing.of.mask] if 0 <= thing.of.mask < len(MASKS) else "other"


def shape(subject: Subject, thing: Thing) -> Answer:
    """Shape of the result against the source."""
    known, given = facts(subject), thing.of.mask
    old, new = known.matrix(thing.of.matrix), known.matrix(thing.of.result)
    rows, cols = (old.rows, new.rows), (old.cols, new.cols)
    half = rows[0] == 2 * rows[1] and cols[0] == 2 * cols[1]
    whole = given == REDUCE_ROW_AND_COLUMN
    if given == REDUCE_ROW and rows[0] != rows[1]:
        return "wrong-rows"
    if given == REDUCE_COLUMN and cols[0] != cols[1]:
        return "wrong-columns"
    if given == REDUCE_2X2 and not half:
        return "not-half"
    both = rows[0] != rows[1] and cols[0] != cols[1]
    return every(
        ("same", rows[0] == rows[1] and cols[0] == cols[1]),
        ("more-columns", cols[1] > cols[0] and not both),
        ("fewer-columns", cols[1] < cols[0] and not both),
        ("more-rows", rows[1] > rows[0] and not both),
        ("fewer-rows", rows[1] < rows[0] and not both),
        ("both-differ", whole and both),
        ("half", half),
        ("exchanged", whole and (rows[0], cols[0]) == (cols[1], rows[1]) and rows[0] != cols[0]),
    )


def combined(subject: Subject, thing: Thing) -> int | None:
    """How many elements a reduction combines into one; None for a mask that is rejected."""
    source = facts(subject).matrix(thing.of.matrix)
    counts = {
        REDUCE_ROW: source.cols,
        REDUCE_COLUMN: source.rows,
        REDUCE_2X2: 4,
        REDUCE_ROW_AND_COLUMN: source.rows * source.cols,
    }
    return counts.get(thing.of.mask)


def length(subject: Subject, thing: Thing) -> Answer:
    """Whether the number of elements that are combined into one is a power of two."""
    count = combined(subject, thing)
    return None if count is None else "other" if count & (count - 1) else "power-of-two"


def source_form(subject: Subject, thing: Thing) -> Answer:
    """Rows of the source against its columns."""
    source = facts(subject).matrix(thing.of.matrix)
    return "square" if source.rows == source.cols else "wide" if source.rows < source.cols else "tall"


def types(known: Facts, reduce: Reduce) -> Answer:
    """Uses and types of source and result."""
    old, new = known.matrix(reduce.matrix), known.matrix(reduce.result)
    return first(
        ("source-not-accumulator", old.use != USE_ACCUMULATOR),
        ("result-not-accumulator", new.use != USE_ACCUMULATOR),
        ("component-differs", old.component != new.component),
        ("scope-differs", old.scope != new.scope),
        ("floats", format_named(old.component).is_float),
        ("integers", True),
    )


def parameters(_: Facts, reduce: Reduce) -> Answer:
    """Parameter types of the combining function."""
    return {kind or "matrix" for kind in reduce.combine.parameters}


def returns(_: Facts, reduce: Reduce) -> Answer:
    """Return type of the combining function."""
    return reduce.combine.returns or "matrix"


def functions(instruction: Simple) -> tuple[tuple[str, object], ...]:
    """The function that an instruction hands over, if any, with its qualifier."""
    if isinstance(instruction, Reduce):
        return ((instruction.combine.qualifier, instruction.combine),)
    if isinstance(instruction, PerElement):
        return ((instruction.function.qualifier, instruction.function),)
    if isinstance(instruction, LoadTensor) and instruction.decode is not None:
        return ((instruction.decode.qualifier, instruction.decode),)
    return ()


def qualifier(_: Facts, instruction: Simple) -> Answer:
    """Qualifier of the function's parameters."""
    return tuple(word.replace(" ", "-") for word, _ in functions(instruction))


def sharing(subject: Subject, thing: Thing) -> Answer:
    """Functions among operations of one program."""
    known = facts(subject)
    mine = functions(thing.of)
    if not mine:
        return None
    function = mine[0][1]
    peers = [
        (one.instruction, other)
        for one in known.text
        for _, other in functions(one.instruction)
        if type(other) is type(function)
    ]

    def size(one: Simple) -> tuple[int, int]:
        matrix = known.matrix(getattr(one, "matrix", ""))
        return matrix.rows, matrix.cols

    same = [one for one, other in peers if other == function]
    kind = known.matrix(thing.of.matrix).component
    others = [known.matrix(getattr(one, "matrix", "")).component for one, other in peers if other != function]
    twins = [known.matrix(getattr(one, "matrix", "")).component for one, _ in peers]
    return every(
        ("one", len(peers) == 1),
        ("shared", len(same) > 1),
        ("shapes", len({size(one) for one in same}) > 1),
        ("several", kind in others),
        ("types", len(set(twins)) > 1),
    )


def combine(_: Subject, thing: Thing) -> Answer:
    """The combining function."""
    function: Combine = thing.of.combine
    return function.name


def groups(matrix: np.ndarray, given: int) -> np.ndarray:
    """The elements that are combined into one, ``(groups, elements)``."""
    rows, cols = matrix.shape
    if given == REDUCE_ROW:
        return matrix
    if given == REDUCE_COLUMN:
        return matrix.T
    if given == REDUCE_2X2:
        cut = matrix[: rows - rows % 2, : cols - cols % 2]
        return cut.reshape(rows // 2, 2, cols // 2, 2).transpose(0, 2, 1, 3).reshape(-1, 4)
    return matrix.reshape(1, -1)


LOOKS: dict[str, Look] = {
    "reduce-mask": mask,
    "reduce-shape": shape,
    "reduce-length": length,
    "reduce-source-form": source_form,
    "reduce-types": anywhere(Reduce, ("floats", "integers"), types),
    "combine": combine,
    "combine-parameters": anywhere(Reduce, ("matrix",), parameters),
    "combine-returns": anywhere(Reduce, ("matrix",), returns),
    "function-qualifier": anywhere((Reduce, PerElement, LoadTensor), ("const-in",), qualifier),
    "function-sharing": sharing,
}
"""Axis -> how its class is seen."""
