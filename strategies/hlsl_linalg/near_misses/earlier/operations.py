"""Near misses of operators' and unary operations, of sums of square matrices, and of vectors of threads."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Matrix, Scope, Use, Vector
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, SumAccumulate, Unary
from mmaspec.strategies.hlsl_linalg.builder.sizes import construction_of, made, unit_of
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, forms, joined

DEEPEST = 128
"""The largest K at Wave scope."""


def _unary(edit: Edit, **changes: Any) -> Edit:
    """One more operation on the matrix that has one already, into a matrix that is otherwise declared."""
    matrix = replace(edit.program.matrix("V"), name="X", **changes)
    return edit.set(edit.find(Unary), matrix="X").more(matrices=(matrix,))


def _fits(edit: Edit, component: ComponentType, use: Use) -> bool:
    matrix = edit.program.matrix("V")
    answer = construction_of(edit.caps, component)
    if answer is None:
        return False
    unit = unit_of(answer, use)
    return matrix.m % unit.rows == matrix.n % unit.columns == 0 and COMPONENTS[component].native


def _unary_of_type(edit: Edit) -> Edit | None:
    own = edit.program.matrix("V").component
    others = [one for one in made(edit.caps) if one != own and _fits(edit, one, "A")]
    return _unary(edit, component=edit.one_of(others)) if others else None


def _unary_twice(edit: Edit, side: str) -> Edit:
    return _unary(edit, **{side: 2 * getattr(edit.program.matrix("V"), side)})


UNARY_SHAPE = joined(
    forms(
        {
            "another component type": _unary_of_type,
            "a B of an A": partial(_unary, use="B"),
            "an accumulator of an A": partial(_unary, use="Accumulator"),
            "ThreadGroup of Wave": partial(_unary, scope="ThreadGroup"),
            "twice the rows": partial(_unary_twice, side="m"),
            "twice the columns": partial(_unary_twice, side="n"),
        }
    )
)
"""LINALG-UNARY-SHAPE."""


def _sum(edit: Edit, name: str, **changes: Any) -> Edit:
    """The sum with one matrix in another's place, like it but for the changes."""
    matrix = replace(edit.program.matrix(name), name="X", **changes)
    field = {"S": "matrix", "A2": "a", "B2": "b"}[name]
    return edit.set(edit.find(SumAccumulate), **{field: "X"}).more(matrices=(matrix,))


SUMACC_USES = joined(
    forms(
        {
            "two A": partial(_sum, name="B2", use="A"),
            "two B": partial(_sum, name="A2", use="B"),
            "an accumulator in the first place": partial(_sum, name="A2", use="Accumulator"),
            "an accumulator in the second place": partial(_sum, name="B2", use="Accumulator"),
            "added to an A": partial(_sum, name="S", use="A"),
            "added to a B": partial(_sum, name="S", use="B"),
            "operands exchanged": lambda edit: edit.set(edit.find(SumAccumulate), a="B2", b="A2"),
            "an A of ThreadGroup scope": partial(_sum, name="A2", scope="ThreadGroup"),
            "a B of ThreadGroup scope": partial(_sum, name="B2", scope="ThreadGroup"),
            "an accumulator of ThreadGroup scope": partial(_sum, name="S", scope="ThreadGroup"),
        }
    )
)
"""LINALG-SUMACC-USES."""


def _larger(edit: Edit, name: str, side: str) -> Edit:
    return _sum(edit, name, **{side: 2 * getattr(edit.program.matrix(name), side)})


SUMACC_SHAPE = joined(
    forms(
        {
            f"twice the {words} of {name}": partial(_larger, name=name, side=side)
            for name in ("A2", "B2", "S")
            for side, words in (("m", "rows"), ("n", "columns"))
        }
    )
)
"""LINALG-SUMACC-SHAPE."""


def _of_vectors(edit: Edit, use: Use, scope: Scope) -> Edit | None:
    """A matrix with more columns, or rows, than there are threads to give them."""
    component = edit.program.matrix("A").component
    answer = construction_of(edit.caps, component)
    assert answer is not None
    threads = edit.program.wave_size if scope == "Wave" else edit.program.group
    count = 2 * threads if scope == "Wave" else threads + answer.min_k
    if scope == "Wave" and count > DEEPEST:
        return None
    unit = unit_of(answer, use)
    size = (max(unit.rows, 4), count) if use == "A" else (count, max(unit.columns, 4))
    if size[0] % unit.rows or size[1] % unit.columns:
        return None
    vector = Vector("u", component, size[0] if use == "A" else size[1])
    return edit.more(
        FromThreadVectors("X", "u"), matrices=(Matrix("X", component, *size, use, scope),), vectors=(vector,)
    )


FROMVEC_DIM = joined(
    forms(
        {
            f"{use} of {scope} scope": partial(_of_vectors, use=use, scope=scope)
            for use in ("A", "B")
            for scope in ("Wave", "ThreadGroup")
        },
        possible=lambda _, caps: 2 * max(caps.wave_sizes) <= DEEPEST,
    )
)
"""LINALG-FROMVEC-DIM."""


def _to_vector(edit: Edit, matrix: str, by: int = 0, component: ComponentType | None = None) -> Edit:
    """A vector of a matrix that is so much longer than it has to be, or of another type."""
    source = edit.program.matrix(matrix)
    length = (source.n if source.use == "B" else source.m) + by
    vector = Vector("u", component or source.component, length)
    return edit.more(GetThreadVector("u", matrix), vectors=(vector,))


def _from_vector(edit: Edit, use: Use, by: int = 0, component: ComponentType | None = None) -> Edit:
    source = edit.program.matrix("A")
    matrix = replace(edit.program.matrix("F"), name="X", use=use)
    vector = Vector("u", component or source.component, matrix.m + by)
    return edit.more(FromThreadVectors("X", "u"), matrices=(matrix,), vectors=(vector,))


THREADVEC_LEN = joined(
    forms(
        {
            **{
                f"of {matrix}, {abs(by)} too {'many' if by > 0 else 'few'}": partial(_to_vector, matrix=matrix, by=by)
                for matrix, by in (("A", 1), ("A", -1), ("B", 1), ("B", -1))
            },
            **{
                f"into {use}, {abs(by)} too {'many' if by > 0 else 'few'}": partial(_from_vector, use=use, by=by)  # type: ignore[arg-type]
                for use, by in (("A", 1), ("A", -1), ("B", 1), ("B", -1))
            },
        }
    )
)
"""LINALG-THREADVEC-LEN."""


def _other(edit: Edit) -> ComponentType:
    own = edit.program.matrix("A").component
    found: ComponentType = edit.one_of(one for one in ("F32", "I32", "U32", "PackedU8x32") if one != own)
    return found


THREADVEC_TYPE = joined(
    forms(
        {
            **{
                f"of {matrix}": lambda edit, matrix=matrix: _to_vector(edit, matrix, component=_other(edit))  # type: ignore[misc]
                for matrix in ("A", "B")
            },
            **{
                f"into {use}": lambda edit, use=use: _from_vector(edit, use, component=_other(edit))  # type: ignore[misc]
                for use in ("A", "B")
            },
        }
    )
)
"""LINALG-THREADVEC-TYPE."""

THREADVEC_USE = joined(
    forms(
        {
            "of an accumulator": partial(_to_vector, matrix="C"),
            "into an accumulator": partial(_from_vector, use="Accumulator"),
            "of the accumulator of a sum": partial(_to_vector, matrix="S"),
        }
    )
)
"""LINALG-THREADVEC-USE."""
