"""One encoding for equal values, so that their hashes are equal."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

Value = TypeVar("Value")


def canonical(value: Value) -> Value:
    """An equal value in which every field that equals its default *is* the default.

    Fields with their defaults are not encoded, but a string or a tuple counts as one only if it is the very same
    object: what was written out in full, decoded or sent to another process would otherwise have other bytes.
    """
    return _canonical(value)  # type: ignore[no-any-return]


def _canonical(value: Any) -> Any:
    if isinstance(value, tuple):
        parts = [_canonical(part) for part in value]
        return tuple(parts) if any(map(_differs, parts, value)) else value
    if not isinstance(value, Struct):
        return value
    changed = {}
    for name, default in _fields(type(value)):
        found = getattr(value, name)
        kept = default if type(found) is type(default) and found == default else _canonical(found)
        if kept is not found:
            changed[name] = kept
    return msgspec.structs.replace(value, **changed) if changed else value


def _differs(one: object, other: object) -> bool:
    return one is not other


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, object], ...]:
    """The fields of a struct and their defaults."""
    return tuple((field.name, field.default) for field in msgspec.structs.fields(kind))
