"""The axes of programs that must be rejected: sizes, uniform blocks, numbers of arguments, transposes."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.nv_coopmat2.caps_support import components, flexible_kind, listed, products, sizes
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Convert,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    SetClampValue,
    SetClip,
    Setter,
    Slice,
    Store,
    StoreTensor,
    Transpose,
    View,
    ViewSetter,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, anywhere, every, facts, first
from mmaspec.strategies.nv_coopmat2.observations.matrices import permuting


def uniform(subject: Subject, _: Thing) -> Answer:
    """Whether a load or store names a uniform block."""
    known = facts(subject)
    blocks = known.program.uniform
    found = every(
        ("plain-load", any(one.buffer in blocks for one in known.of_kind(Load))),
        ("tensor-load", any(one.buffer in blocks for one in known.of_kind(LoadTensor))),
        ("store", any(one.buffer in blocks for one in known.stores)),
    )
    return found or "none"


def size_rule(subject: Subject, _: Thing) -> Answer:
    """How a size misses what the device lists."""
    known, caps = facts(subject), subject.caps
    found = {name for matrix in known.program.matrices for name in _size(caps, matrix)}
    return found | set(_mixed(known, caps)) or "right"


def _size(caps: CoopMatCaps, matrix: Matrix) -> Iterator[str]:
    shape = (matrix.rows, matrix.cols)
    if listed(caps, matrix):
        if caps.maximum in shape:
            yield "at-maximum"
        return
    if matrix.use not in (USE_A, USE_B, USE_ACCUMULATOR):
        return
    kinds = [one for one in caps.properties if one.scope == matrix.scope]
    own = [one for one in kinds if matrix.component in components(one, matrix.use)]
    flexible = [sizes(one, matrix.use) for one in own if isinstance(one, FlexibleSize)]
    if not own:
        yield "matrix-without-product"
    for other in {USE_A, USE_B, USE_ACCUMULATOR} - {matrix.use}:
        if any(matrix.component in components(one, other) and sizes(one, other) == shape for one in kinds):
            yield "other-use"
    if flexible_kind(caps, matrix):
        yield from _flexible(caps, matrix, flexible)


def _flexible(caps: CoopMatCaps, matrix: Matrix, units: list[tuple[int, int]]) -> Iterator[str]:
    shape = (matrix.rows, matrix.cols)
    names = {USE_A: ("m", "k"), USE_B: ("k", "n"), USE_ACCUMULATOR: ("m", "n")}[matrix.use]
    for unit in units:
        off = [size % one != 0 or size > caps.maximum for size, one in zip(shape, unit, strict=True)]
        wrong = {name for name, missed in zip(names, off, strict=True) if missed}
        yield from every(
            ("half-granularity", any(2 * size == one for size, one in zip(shape, unit, strict=True))),
            ("one-off", any(size % one == 1 and one > 1 for size, one in zip(shape, unit, strict=True))),
            ("m-only", wrong == {"m"}),
            ("n-only", wrong == {"n"}),
            ("k-only", wrong == {"k"}),
            ("above-maximum", max(shape) > caps.maximum),
        )


def _mixed(known: Facts, caps: CoopMatCaps) -> Iterator[str]:
    for product in known.of_kind(MulAdd):
        a, b = known.matrix(product.a), known.matrix(product.b)
        c = known.matrix(product.result if product.c is None else product.c)
        if all(listed(caps, matrix) for matrix in (a, b, c)) and not any(products(caps, a, b, c)):
            yield "product-mixed"
        if len({matrix.scope for matrix in (a, b, c)}) > 1:
            yield "scopes-mixed"


def arity(subject: Subject, thing: Thing) -> Answer:
    """How many arguments setters take."""
    known = facts(subject)
    declared: tuple[Layout | View, ...]
    if thing.group == "invalid":
        declared = (*known.program.layouts, *known.program.views)
    else:
        assert thing.place is not None
        one = tensor_facts(subject, thing.place)
        declared = (one.declared,) if thing.group == "layout" else (one.viewed,) if one.viewed else ()
    found = {name for owner in declared for call in owner.calls for name in _arity(call, owner.rank)}
    wrong = found - {"right"}
    return wrong if thing.group == "invalid" and wrong else found


def _arity(call: Setter | ViewSetter, rank: int) -> tuple[str, ...]:
    if isinstance(call, SetClampValue | SetClip):
        return ()
    if isinstance(call, Slice):
        given = (len(call.offsets), len(call.spans))
        return every(
            ("right", given == (rank, rank)),
            ("spans-missing", given[1] < given[0]),
            ("one-less", given == (rank - 1, rank - 1)),
            ("one-more", given == (rank + 1, rank + 1)),
        )
    count = len(arguments(call))
    return every(("right", count == rank), ("one-less", count == rank - 1), ("one-more", count == rank + 1))


def transpose_types(known: Facts, transpose: Transpose) -> Answer:
    """Types of source and result of a transpose."""
    old, new = known.matrix(transpose.matrix), known.matrix(transpose.result)
    return first(
        ("from-a", old.use != USE_ACCUMULATOR),
        ("to-a", new.use == USE_A),
        ("to-accumulator", new.use != USE_B),
        ("component-differs", old.component != new.component),
        ("scope-differs", old.scope != new.scope),
        ("sizes-kept", (old.rows, old.cols) != (new.cols, new.rows)),
        ("right", True),
    )


def transpose_again(subject: Subject, thing: Thing) -> Answer:
    """How a transpose is checked and used."""
    known, one = facts(subject), thing.of
    assert thing.place is not None
    users = known.users(one.result, thing.place)
    stores = [user.instruction for user in users if isinstance(user.instruction, Store)]
    tensors = [user for user in users if isinstance(user.instruction, StoreTensor)]
    products_ = [user for user in users if isinstance(user.instruction, MulAdd) and user.instruction.b == one.result]
    makers = known.makers(one.matrix, thing.place)
    own = {id(at.instruction): at.instruction for at in makers}
    memory = {(each.buffer, each.data) for each in own.values() if isinstance(each, Load | LoadTensor)}
    shared = False
    for user in products_:
        assert isinstance(user.instruction, MulAdd)
        loads = [at.instruction for at in known.makers(user.instruction.a, user.place)]
        shared |= any(isinstance(each, Load | LoadTensor) and (each.buffer, each.data) in memory for each in loads)
        shared |= any(isinstance(each, Convert) and each.matrix == one.matrix for each in loads)
    return every(
        ("stored-row", any(store.layout != COLUMN_MAJOR for store in stores)),
        ("stored-column", any(store.layout == COLUMN_MAJOR for store in stores)),
        ("stored-by-view", any(permuting(tensor_facts(subject, user.place)) for user in tensors)),
        ("product", products_),
        ("product-with-own-source", shared),
        ("after-conversion", any(isinstance(at.instruction, Convert) for at in makers)),
    )


LOOKS: dict[str, Look] = {
    "uniform-block": uniform,
    "size-rule": size_rule,
    "setter-arity": arity,
    "transpose-types": anywhere(Transpose, ("right",), transpose_types),
    "transpose-again": transpose_again,
}
"""Axis -> how its class is seen."""
