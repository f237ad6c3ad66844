"""Validators that overlook something, and which clauses notice it by their near misses.

A blind validator asks the oracle about a program from which it has taken what it does not see: all waves but one, all
passes but one, code in loops, what is read at run time, instructions of one kind. It accepts more than it may, and a
case list must hold a near miss of every clause for which that matters, or nobody would find out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, structs

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Affine, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import nested, walk
from mmaspec.strategies.circumstances import ARGUMENTS
from mmaspec.strategies.recipe import Recipe

Blindfold = Callable[[Recipe], Any]
"""From a near miss, its program as somebody sees it who overlooks something."""


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """A node with every part of it changed, the innermost first; what becomes None in a tuple is left out."""
    if isinstance(node, tuple):
        return tuple(new for new in (rebuilt(each, change) for each in node) if new is not None)
    if not isinstance(node, Struct):
        return node
    fields: dict[str, Any] = {}
    for name in node.__struct_fields__:
        old = getattr(node, name)
        if isinstance(old, Struct | tuple) and (new := rebuilt(old, change)) != old:
            fields[name] = new
    return change(structs.replace(node, **fields) if fields else node)


def most_passes(program: Any) -> int:
    """The passes of the longest loop."""
    return max((passes for _, _, passes in walk(program)), default=1)


def _one(program: Any, step: str, number: int) -> Any:
    """The program as one wave, or one pass of its loops, has it."""

    def changed(node: Any) -> Any:
        if isinstance(node, Affine):
            return structs.replace(node, base=node.base + number * getattr(node, step), **{step: 0})
        if step == "loop" and nested(node) is not None and "count" in node.__struct_fields__:
            return structs.replace(node, count=1)
        return node

    # The program itself has a body, as a loop has, and no count.
    return rebuilt(program, changed)


def first_wave(recipe: Recipe) -> Any:
    """The first wave alone."""
    return structs.replace(_one(recipe.program, "wave", 0), waves=1)


def last_wave(recipe: Recipe) -> Any:
    """The last wave alone."""
    return structs.replace(_one(recipe.program, "wave", recipe.program.waves - 1), waves=1)


def first_pass(recipe: Recipe) -> Any:
    """The first pass of loops alone."""
    return _one(recipe.program, "loop", 0)


def last_pass(recipe: Recipe) -> Any:
    """The last pass of loops alone."""
    return _one(recipe.program, "loop", most_passes(recipe.program) - 1)


def without_loops(recipe: Recipe) -> Any:
    """No instruction in a loop or branch."""
    kept = tuple(step for step in recipe.program.body if nested(step) is None)
    return structs.replace(recipe.program, body=kept)


def literals(recipe: Recipe) -> Any:
    """No instruction and no setter with an argument that is read at run time."""

    def reads(node: Any) -> bool:
        if isinstance(node, tuple):
            return any(reads(each) for each in node)
        if isinstance(node, RunTime):
            return node.buffer == ARGUMENTS
        return isinstance(node, Struct) and any(reads(getattr(node, name)) for name in node.__struct_fields__)

    def changed(node: Any) -> Any:
        return None if "name" not in node.__struct_fields__ and not isinstance(node, RunTime) and reads(node) else node

    program: Any = recipe.program
    fields = {name: rebuilt(getattr(program, name), changed) for name in ("body", "layouts") if hasattr(program, name)}
    return structs.replace(program, **fields)


def without(kind: type) -> Blindfold:
    """No instruction of a kind."""
    return lambda recipe: rebuilt(recipe.program, lambda node: None if type(node) is kind else node)


EYES: Mapping[str, Blindfold] = {
    "the first wave alone": first_wave,
    "the last wave alone": last_wave,
    "the first pass alone": first_pass,
    "the last pass alone": last_pass,
    "straight code alone": without_loops,
    "literals alone": literals,
}


def accepted(blindfold: Blindfold, recipes: Iterable[Recipe]) -> Iterator[Recipe]:
    """The near misses whose clause somebody who overlooks something takes as kept."""
    for recipe in recipes:
        spec = spec_named(recipe.spec)
        try:
            broken = spec.rejected(resolve(blindfold(recipe), recipe.words), recipe.caps)
        except (BadInput, KeyError, IndexError):
            continue  # not even a program any more: no validator would pass it
        if recipe.target not in broken:
            yield recipe


def noticed(blindfold: Blindfold, recipes: Iterable[Recipe]) -> set[str]:
    """The clauses that show it."""
    return {recipe.target for recipe in accepted(blindfold, recipes)}
