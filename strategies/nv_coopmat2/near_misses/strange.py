"""Near misses of operations on matrices of a scope, or a use, that there is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_ROW,
    USE_B,
    Access,
    Arithmetic,
    Combine,
    Convert,
    EachComponent,
    ElementFunction,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    SetDimension,
    Simple,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, form_of
from mmaspec.strategies.nv_coopmat2.builder.program import with_program
from mmaspec.strategies.nv_coopmat2.features import CONVERTING, PER_ELEMENT, REDUCING, TENSORS, Feature, has
from mmaspec.strategies.nv_coopmat2.near_misses.edits import followed

Step = Callable[[Matrix], Simple]

STEPS: dict[str, tuple[Step, tuple[Feature, ...]]] = {
    "loaded": (lambda odd: Load(odd.name, "strange", 0, 4 * odd.cols), ()),
    "stored": (lambda odd: Store(odd.name, "strange", 0, 4 * odd.cols), ()),
    "converted": (lambda odd: Convert(odd.name, odd.name), ()),
    "added": (lambda odd: Arithmetic(odd.name, odd.name, "+", odd.name), ()),
    "negated": (lambda odd: Negate(odd.name, odd.name), ()),
    "by components": (lambda odd: EachComponent(odd.name, "negate"), ()),
    "by elements": (lambda odd: PerElement(odd.name, odd.name, ElementFunction("triangle")), PER_ELEMENT),
    "reduced": (lambda odd: Reduce(odd.name, odd.name, REDUCE_ROW, Combine("max")), REDUCING),
    "loaded as a tensor": (lambda odd: LoadTensor(odd.name, "strange", 0, ROWS), TENSORS),
    "stored as a tensor": (lambda odd: StoreTensor(odd.name, "strange", 0, ROWS), TENSORS),
}
"""What is done with the matrix, and what a device needs for that."""

ROWS = "rows"
"""The layout of a tensor as large as the matrix."""
IN_SCOPE = ("converted", "by components", "by elements", "reduced")
IN_USE = (
    "loaded", "stored", "added", "negated", "by components", "by elements", "loaded as a tensor", "stored as a tensor",
)  # fmt: skip


def _done(draft: Draft, odd: Matrix, how: str) -> Draft:
    """The draft with one step more, on a matrix that is declared and filled for it."""
    step = STEPS[how][0](odd)
    extra = (Buffer("strange", 0),) if isinstance(step, Access) else ()
    rows = Layout(ROWS, (SetDimension((odd.rows, odd.cols)),))
    layouts = (*draft.program.layouts, rows) if isinstance(step, LoadTensor | StoreTensor) else draft.program.layouts
    return followed(draft, step, matrices=(odd,), buffers=(*draft.program.buffers, *extra), layouts=layouts)


def in_scope(_: DrawContext[CoopMatCaps], draft: Draft, how: str) -> Draft:
    """Every matrix of the scope that no property has; one of them has an operation of its own."""
    done = _done(draft, replace(draft.program.matrices[2], name="odd"), how)
    matrices = tuple(replace(matrix, scope="device") for matrix in done.program.matrices)
    return with_program(done, replace(done.program, matrices=matrices))


def turned(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """Every matrix of the scope that no property has; one is the transpose of another."""
    source = replace(draft.program.matrices[2], name="odd")
    result = replace(source, name="turned", rows=source.cols, cols=source.rows, use=USE_B)
    done = followed(draft, Transpose(result.name, source.name), matrices=(source, result))
    matrices = tuple(replace(matrix, scope="device") for matrix in done.program.matrices)
    return with_program(done, replace(done.program, matrices=matrices))


def in_use(_: DrawContext[CoopMatCaps], draft: Draft, how: str) -> Draft:
    """One operation more, on a matrix of a use that has no name."""
    return _done(draft, replace(draft.program.matrices[0], name="odd", use=3), how)


def _possible(how: str, row: Row[Any], caps: CoopMatCaps) -> bool:
    return has(caps, STEPS[how][1]) and "bf16" not in (row.entry.a, row.entry.c)


def of_scope() -> Iterator[Form]:
    """The forms of KHRCM-CAPS-MATCH about operations."""
    for how in IN_SCOPE:
        yield form_of(in_scope, how, f"device scope, {how}", possible=partial(_possible, how))
    yield form_of(turned, "", "device scope, turned", possible=lambda _, caps: has(caps, CONVERTING))


def of_use() -> Iterator[Form]:
    """The forms of KHRCM-ENUMS about operations."""
    for how in IN_USE:
        yield form_of(in_use, how, f"use 3, {how}", possible=partial(_possible, how))
