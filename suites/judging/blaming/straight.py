"""Loops and branches written out: what fails in them alone has to do with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.programs.base import Place, Program
from mmaspec.programs.outside import in_pass
from mmaspec.programs.unused import unused
from mmaspec.suites.judging.blaming.circumstances import Variation, on_the_same_memory, sources_of

LONGEST = 256
"""So many instructions are written out at most in place of a loop."""


def straight(case: Case, program: Program, place: Place) -> Variation | None:
    """The loop around a place written out, on the same memory; None outside of loops and for long ones.

    A declaration that depends on the pass, such as a layout, is declared once for each.
    """
    whole: Any = program
    loop = program.body[place.path[0]]
    if len(place.path) < 2 or not _is_loop(loop) or loop.count * len(loop.body) > LONGEST:
        return None
    data = {source.name for source in sources_of(case, program) or () if source.shape[1] > 1}
    names = {item.name for _, items in _declared(whole) for item in items}
    added: dict[str, list[Any]] = {}
    body: list[Any] = []
    for number in range(loop.count):
        own: dict[str, str] = {}
        for field, items in _declared(whole):
            for item in items:
                if (here := in_pass(item, number)) != item:
                    own[item.name] = unused(f"{item.name}_{number}", names)
                    names.add(own[item.name])
                    added.setdefault(field, []).append(msgspec.structs.replace(here, name=own[item.name]))
        body += [_renamed(in_pass(step, number, data), own) for step in loop.body]
    outer = place.path[0]
    grown = {field: (*getattr(whole, field), *items) for field, items in added.items()}
    written = msgspec.structs.replace(whole, body=(*whole.body[:outer], *body, *whole.body[outer + 1 :]), **grown)
    return on_the_same_memory(case, program, written)


def all_straight(case: Case, program: Program) -> Variation | None:
    """Every loop of a program with several written out, on the same memory; None where there is one, or a long one."""
    body: Any = program.body
    if sum(map(_is_loop, body)) < 2:
        return None
    found: Variation | None = None
    while (loop := next((i for i, one in enumerate(body) if _is_loop(one)), None)) is not None:
        found = straight(case, program, Place((loop, 0)))
        if found is None:
            return None
        program, body = found.program, found.program.body
        case = dataclasses.replace(case, program=program, values={**found.values})
    return found


def branchless(case: Case, program: Program) -> Variation | None:
    """Every branch replaced by what is executed of it, on the same memory; None where there is no branch."""
    known = resolve(program, case.words)
    if not any(map(_is_branch, known.body)):
        return None
    whole: Any = program
    body: list[Any] = []
    for step, told in zip(whole.body, known.body, strict=True):
        body += step.body * bool(told.count) if _is_branch(told) else (step,)
    return on_the_same_memory(case, program, msgspec.structs.replace(whole, body=tuple(body)))


def _is_loop(step: Any) -> bool:
    """Whether it holds instructions and says how often; a copy of so many elements holds none."""
    fields = step.__struct_fields__
    return "body" in fields and "count" in fields


def _is_branch(step: Any) -> bool:
    """Whether it holds instructions, and no number of passes is given in it."""
    fields = step.__struct_fields__
    return "body" in fields and "count" not in fields


def _declared(program: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """What a program declares by name, by the field that holds it."""
    for field in program.__struct_fields__:
        items = getattr(program, field)
        if isinstance(items, tuple) and items and all(hasattr(item, "name") for item in items):
            yield field, items


def _renamed(step: Any, names: Mapping[str, str]) -> Any:
    """An instruction that names other declarations."""
    fields = {field: getattr(step, field) for field in step.__struct_fields__}
    new = {field: names[value] for field, value in fields.items() if isinstance(value, str) and value in names}
    return msgspec.structs.replace(step, **new)
