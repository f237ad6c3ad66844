"""One spelling for equal values, so that what hashes them gets the same bytes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct


def canonical(value: Any) -> Any:
    """An equal value in which every field that equals its default *is* the default.

    Fields with their defaults are not encoded, but a tuple counts as one only if it is the very same object: caps
    that a device wrote out in full would otherwise list other case IDs than the same caps left out.
    """
    if isinstance(value, tuple):
        return tuple(canonical(part) for part in value)
    if not isinstance(value, Struct):
        return value
    changed = {}
    for field in msgspec.structs.fields(value):
        found = getattr(value, field.name)
        changed[field.name] = field.default if found == field.default else canonical(found)
    return msgspec.structs.replace(value, **changed)
