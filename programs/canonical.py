"""One encoding for equal values, so that their hashes are equal."""

from __future__ import annotations

from functools import cache
from operator import is_
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

Value = TypeVar("Value")

_LEAVES = frozenset({int, str, bool, float, type(None)})
"""Types of which nothing has fields."""


def canonical(value: Value) -> Value:
    """An equal value in which every field that equals its default *is* the default.

    Fields with their defaults are not encoded, but a string or a tuple counts as one only if it is the very same
    object: what was written out in full, decoded or sent to another process would otherwise have other bytes.
    """
    return _canonical(value)  # type: ignore[no-any-return]


def _canonical(value: Any) -> Any:
    if isinstance(value, tuple):
        parts = [part if type(part) in _LEAVES else _canonical(part) for part in value]
        return value if all(map(is_, parts, value)) else tuple(parts)
    if not isinstance(value, Struct):
        return value
    changed = {}
    for name, default in _fields(type(value)):
        found = getattr(value, name)
        kind = type(found)
        if found is default:
            continue
        if kind is type(default) and found == default:
            changed[name] = default
        elif kind not in _LEAVES and (kept := _canonical(found)) is not found:
            changed[name] = kept
    return msgspec.structs.replace(value, **changed) if changed else value


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, object], ...]:
    """The fields of a struct and their defaults."""
    return tuple((field.name, field.default) for field in msgspec.structs.fields(kind))
