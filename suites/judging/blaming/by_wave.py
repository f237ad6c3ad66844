"""Arguments that differ between waves, one by one made the same: which of them a failure in one of the waves needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from mmaspec.oracle.case import Case
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Place, Program
from mmaspec.programs.outside import in_one_wave
from mmaspec.suites.judging.blaming.circumstances import Variation, on_the_same_memory


def alike_in_waves(case: Case, program: Program, place: Place) -> Iterator[tuple[str, Variation]]:
    """Every argument of an instruction that differs between waves, ``slice.offsets``, and the program without that.

    All waves then have what the first one has. The arguments of what the instruction names, such as a layout, are its
    own too. Left out are those without which the program would need other data.
    """
    step = tree.at(program, place)
    changed = [(argument, tree.replace(program, place, new)) for argument, new in _alike(step)]
    whole: Any = program
    named = {getattr(step, field) for field in step.__struct_fields__ if isinstance(getattr(step, field), str)}
    for field in whole.__struct_fields__:
        parts = getattr(whole, field)
        for number, part in enumerate(parts if isinstance(parts, tuple) and field != "body" else ()):
            if getattr(part, "name", None) in named:
                changed += [
                    (argument, msgspec.structs.replace(whole, **{field: (*parts[:number], new, *parts[number + 1 :])}))
                    for argument, new in _alike(part)
                ]
    for argument, new in changed:
        made = on_the_same_memory(case, program, new)
        if made is not None:
            yield argument, made


def called(kind: type[msgspec.Struct], field: str) -> str:
    """An argument by the kind of instruction or setter that has it: ``load.stride``, ``slice.offsets``."""
    return f"{kind.__struct_config__.tag or kind.__name__.lower()}.{field}"


def _alike(node: Any) -> Iterator[tuple[str, Any]]:
    """Every argument that depends on the wave, by its name, and the node with that one as in the first wave."""
    for field in node.__struct_fields__:
        value = getattr(node, field)
        items = value if isinstance(value, tuple) else (value,)
        if any(isinstance(item, Affine) for item in items):
            if (same := in_one_wave(value)) != value:
                yield called(type(node), field), msgspec.structs.replace(node, **{field: same})
            continue
        for number, item in enumerate(items):
            if isinstance(item, msgspec.Struct):
                for argument, changed in _alike(item):
                    new = (*items[:number], changed, *items[number + 1 :]) if isinstance(value, tuple) else changed
                    yield argument, msgspec.structs.replace(node, **{field: new})
