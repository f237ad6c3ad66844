"""What can be said of a case of any specification: of its program, instruction by instruction, and of its data.

A feature is told from the recipe alone; no data are drawn for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct

from mmaspec.oracle.spec import Row
from mmaspec.programs.tree import nested
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.verdict.attributes import NAMES, Attribute, Context, attributes, noun, numbers, of_field, one

LISTED = 9
"""The rank of what a list says of a case and its program does not."""

Part = tuple[str, frozenset[Attribute]]
"""A part of a program, by what it is called, and what is true of it."""
Said = tuple[str, Attribute | None]
"""What a part is called, and something that is true of it; None: that there is one."""


@dataclass(frozen=True, slots=True)
class Features:
    """One case. ``amounts`` maps what can be counted in it, with ``{}`` in place of the number, to the largest such."""

    facts: frozenset[Attribute]
    """What is true of the case as a whole."""
    parts: frozenset[Part]
    """Its instructions and declarations; equal ones are one."""
    amounts: dict[str, int]

    @property
    def said(self) -> frozenset[Said]:
        """What is there, and all that is true of some one of it."""
        return frozenset((called, attribute) for called, found in self.parts for attribute in (None, *found))


def features(recipe: Recipe, row: Row[object]) -> Features:
    """The features of the case that a recipe makes for a caps row."""
    program = recipe.program
    declared: dict[str, Struct] = {}
    for field in _fields(program):
        value = getattr(program, field)
        for item in value if isinstance(value, tuple) else ():
            if isinstance(item, Struct) and isinstance(name := getattr(item, "name", None), str):
                declared[name] = item
    context = Context(declared, {(word.buffer, word.offset): word.value for word in recipe.words})
    parts: set[Part] = set()
    amounts: Counter[str] = Counter()
    for part, inside in (*((item, False) for item in declared.values()), *_instructions(program.body)):
        called = noun(part)
        found = frozenset((*attributes(part, context), *([Attribute(1, "its place in a loop")] if inside else ())))
        parts.add((called, found))
        if getattr(part, "name", None) not in declared:
            amounts[f"{{}} {called} instructions"] += 1
        for field, number in numbers(part, context):
            key = f"{one(called)} with {field} {{}}"
            amounts[key] = max(amounts.get(key, number), number)
    amounts |= {"{} waves": program.waves, "{} items in the batch": recipe.batch}
    return Features(frozenset(_facts(recipe, row)), frozenset(parts), dict(amounts))


def _fields(program: object) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(program, "__struct_fields__", ())
    return tuple(field for field in found if field != "body")


def _instructions(body: tuple[Struct, ...], *, inside: bool = False) -> Iterator[tuple[Struct, bool]]:
    """Every instruction, loops included, and whether it stands in one."""
    for instruction in body:
        yield instruction, inside
        if (more := nested(instruction)) is not None:
            yield from _instructions(more, inside=True)


def _facts(recipe: Recipe, row: Row[object]) -> Iterator[Attribute]:
    program = recipe.program
    nothing = Context({}, {})
    for field in _fields(program):
        value = getattr(program, field)
        if field not in NAMES and not isinstance(value, tuple):
            yield from of_field(field, value, nothing)
    if program.waves > 1:
        yield Attribute(0, "more than one wave")
    if recipe.batch > 1:
        yield Attribute(1, "more than one item in the batch")
    if recipe.words:
        yield Attribute(1, "arguments read at run time")
    yield Attribute(1, f"datatype {row.datatype}")
    for tag in row.tags:
        yield Attribute(2, f"a caps row of {tag}")
    yield Attribute(3, f"caps row {recipe.row}")
    yield Attribute(2, f"data of regime {recipe.regime}")
    yield Attribute(LISTED, f"template {recipe.template}")
    for label in recipe.labels:
        yield Attribute(LISTED, f"label {label}")
