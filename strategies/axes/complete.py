"""Whether a parameter space forgets nothing: every field, value of an enumeration and clause has its place."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from mmaspec.oracle.spec import AnySpec
from mmaspec.strategies.axes.space import Axis, Impossible, Space

LONGEST = 100
"""Characters of what is said of a class."""


def flaws(space: Space, spec: AnySpec) -> Iterator[str]:
    """What is wrong with the space of a specification, and what it forgets."""
    known = expressed(spec)
    testable = {name for name, clause in spec.catalogue.clause.items() if clause.testable}
    for name, axis in space.axis.items():
        for group in axis.groups:
            if group not in space.group:
                yield f"axis {name}: no group {group}"
        yield from (f"axis {name}: no field {field}" for field in axis.fields if field not in known)
        yield from (f"axis {name}: no testable clause {clause}" for clause in axis.clauses if clause not in testable)
        yield from (f"axis {name}: {flaw}" for flaw in _of_classes(axis, known))
    yield from (flaw for each in space.impossible for flaw in _of_impossible(space, spec, known, each))
    yield from _forgotten(space, known, testable)


def expressed(spec: AnySpec) -> dict[str, tuple[str, ...]]:
    """Every field of every program and caps struct, as ``Load.stride``, with the values of its enumeration if any."""
    found: dict[str, tuple[str, ...]] = {}
    todo: list[Any] = [spec.program_type, spec.caps_type]
    seen: set[Any] = set()
    while todo:
        hint = todo.pop()
        if get_origin(hint) is not None or isinstance(hint, types.UnionType):
            todo += get_args(hint)
        elif isinstance(hint, type) and issubclass(hint, Struct) and hint not in seen:
            seen.add(hint)
            for field, inside in get_type_hints(hint).items():
                if field in hint.__struct_fields__:
                    found[f"{hint.__name__}.{field}"] = tuple(str(value) for value in _values(inside))
                    todo.append(inside)
    return found


def _values(hint: Any) -> Iterator[object]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        for inside in get_args(hint):
            yield from _values(inside)


def _of_classes(axis: Axis, known: dict[str, tuple[str, ...]]) -> Iterator[str]:
    if len(axis.classes) < 2:
        yield "fewer than two classes"
    before: int | None = None
    for name, one in axis.classes.items():
        if not one.says or len(one.says) > LONGEST:
            yield f"class {name}: says nothing, or more than {LONGEST} characters"
        if axis.kind == "number":
            if one.least is None or one.most is None or one.least > one.most:
                yield f"class {name}: no range"
                continue
            if before is not None and one.least != before + 1:
                yield f"class {name}: a gap or an overlap after {before}"
            before = one.most
        elif one.least is not None or one.most is not None:
            yield f"class {name}: a range, of something that is no number"
        for value in one.values:
            if not any(value in known.get(field, ()) for field in axis.fields):
                yield f"class {name}: {value} is no value of {', '.join(axis.fields)}"


def _of_impossible(space: Space, spec: AnySpec, known: dict[str, tuple[str, ...]], each: Impossible) -> Iterator[str]:
    named = " with ".join(each.together)
    if not 2 <= len(each.together) <= 3:
        yield f"impossible {named}: {len(each.together)} classes"
    yield from (f"impossible {named}: no class {one}" for some in each.together for one in space.unknown(some))
    if sum(map(bool, (each.clause, each.caps, each.arithmetic))) != 1:
        yield f"impossible {named}: expected one reason"
    if each.clause and each.clause not in spec.catalogue.clause:
        yield f"impossible {named}: no clause {each.clause}"
    if each.caps and each.caps not in known:
        yield f"impossible {named}: no field {each.caps}"


def _forgotten(space: Space, known: dict[str, tuple[str, ...]], testable: set[str]) -> Iterator[str]:
    left_out = space.left_out
    fields = {field for axis in space.axis.values() for field in axis.fields}
    clauses = {clause for axis in space.axis.values() for clause in axis.clauses}
    values = {
        f"{field}={value}"
        for axis in space.axis.values()
        for one in axis.classes.values()
        for value in one.values
        for field in axis.fields
    }
    yield from (f"group {group}: no axis" for group in space.group if not _axes(space, group))
    for field, named in known.items():
        if field in left_out.fields:
            continue
        if field not in fields:
            yield f"field {field}: in no axis"
        for value in named:
            if f"{field}={value}" not in {*values, *left_out.values}:
                yield f"value {field}={value}: in no class"
    yield from (f"clause {clause}: in no axis" for clause in sorted(testable - clauses - set(left_out.clauses)))
    without = {} if space.shared is None else space.shared.without
    kinds = (("fields", left_out.fields), ("clauses", left_out.clauses), ("values", left_out.values))
    for kind, gone in (*kinds, ("shared axes", without)):
        yield from (f"left out of {kind}: {name} without a reason" for name, why in gone.items() if not why)


def _axes(space: Space, group: str) -> list[str]:
    return [name for name, axis in space.axis.items() if group in axis.groups]
