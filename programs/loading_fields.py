"""Which fields of the parts of programs may hold an argument that is loaded at run time, by their declared types."""

from __future__ import annotations

from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from mmaspec.programs.base import RunTime

_PLAIN = (int, float, str, bytes, NoneType, Enum)
"""Types of values without parts; of whatever is none of these, and no structure, nothing is known."""


@cache
def loading_fields(kind: type) -> tuple[str, ...]:
    """The fields of a structure that may hold a ``RunTime``, at any depth, in order; none of any other type."""
    if not issubclass(kind, Struct):
        return ()
    hints = get_type_hints(kind)
    return tuple(name for name in kind.__struct_fields__ if _may_load(hints[name], set()))


def _may_load(hint: Any, seen: set[type]) -> bool:
    """Whether a value of a declared type may hold a ``RunTime``; ``seen`` are the structures looked at already."""
    if get_args(hint):
        return get_origin(hint) is not Literal and any(_may_load(part, seen) for part in get_args(hint))
    if not isinstance(hint, type) or hint is RunTime:
        return hint is not ...
    if not issubclass(hint, Struct):
        return not issubclass(hint, _PLAIN)
    if hint in seen:
        return False
    seen.add(hint)
    return any(_may_load(part, seen) for part in get_type_hints(hint).values())
