"""Arguments that differ between waves or passes, one by one made the same: which of them a failure in one needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from mmaspec.oracle.case import Case
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Place, Program
from mmaspec.programs.outside import in_one_wave, outside_loops
from mmaspec.suites.judging.blaming.circumstances import Variation, on_the_same_memory

Each = Literal["wave", "pass"]


def alike_in(each: Each, case: Case, program: Program, place: Place) -> Iterator[tuple[str, Variation]]:
    """Every argument of an instruction that differs between waves, ``slice.offsets``, and the program without that.

    All waves, or passes, then have what the first one has. The arguments of what the instruction names, such as a
    layout and the layout that it is made from, are its own too. Left out are those without which the program would
    need other data.
    """
    step = tree.at(program, place)
    changed = [(argument, tree.replace(program, place, new)) for argument, new in _alike(each, step)]
    whole: Any = program
    for field, number, part in _named(whole, step):
        parts = getattr(whole, field)
        changed += [
            (argument, msgspec.structs.replace(whole, **{field: (*parts[:number], new, *parts[number + 1 :])}))
            for argument, new in _alike(each, part)
        ]
    for argument, new in changed:
        made = on_the_same_memory(case, program, new)
        if made is not None:
            yield argument, made


def _named(program: Any, step: Any) -> Iterator[tuple[str, int, Any]]:
    """The declarations that an instruction names, and those that these name: their field, number and themselves."""
    tables = [
        (field, number, part)
        for field in program.__struct_fields__
        if field != "body" and isinstance(parts := getattr(program, field), tuple)
        for number, part in enumerate(parts)
        if isinstance(part, msgspec.Struct)
    ]
    names = _words(step)
    for name in names:  # which grows
        for field, number, part in tables:
            if getattr(part, "name", None) == name:
                yield field, number, part
                names += [word for word in _words(part) if word not in names]


def _words(node: Any) -> list[str]:
    return [value for field in node.__struct_fields__ if isinstance(value := getattr(node, field), str)]


def called(kind: type[msgspec.Struct], field: str) -> str:
    """An argument by the kind of instruction or setter that has it: ``load.stride``, ``slice.offsets``."""
    return f"{kind.__struct_config__.tag or kind.__name__.lower()}.{field}"


def _alike(each: Each, node: Any) -> Iterator[tuple[str, Any]]:
    """Every argument that depends on the wave, or pass, by its name, and the node with that one as in the first."""
    first = in_one_wave if each == "wave" else outside_loops
    for field in node.__struct_fields__:
        value = getattr(node, field)
        items = value if isinstance(value, tuple) else (value,)
        if any(isinstance(item, Affine) for item in items):
            if (same := first(value)) != value:
                yield called(type(node), field), msgspec.structs.replace(node, **{field: same})
            continue
        for number, item in enumerate(items):
            if isinstance(item, msgspec.Struct):
                for argument, changed in _alike(each, item):
                    new = (*items[:number], changed, *items[number + 1 :]) if isinstance(value, tuple) else changed
                    yield argument, msgspec.structs.replace(node, **{field: new})
