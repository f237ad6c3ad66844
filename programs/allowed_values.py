"""Errors of decoders that say that a value is not one of a few, with those that are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

MOST = 12
"""So many allowed values are listed at most."""
NEAREST = 3
"""Of more, so many that are like what was found."""
_PLACE = re.compile(r"^Invalid (?:enum )?value .* - at `\$(?P<place>[^`]*)`$", re.DOTALL)
_STEP = re.compile(r"\.(?P<field>\w+)|\[[^\]]*\]")


@contextmanager
def telling_allowed(kind: Any) -> Iterator[None]:
    """Errors of this block, which decodes a ``kind``, name the allowed values where one of a few was expected."""
    try:
        yield
    except msgspec.ValidationError as error:
        known = allowed_values(kind, str(error))
        if not known:
            raise
        raise msgspec.ValidationError(f"{error}; expected {_listed(known, str(error))}") from error


def _listed(known: tuple[Any, ...], says: str) -> str:
    """The allowed values as words; of many those that are most like what was found, and how many more there are."""
    if len(known) <= MOST:
        return " or ".join(map(repr, known))
    found = says.split("'")[1] if says.count("'") > 1 else ""
    like = get_close_matches(found, map(str, known), NEAREST, cutoff=0.5)
    named = f"{' or '.join(map(repr, like))}, or " if like else ""
    return f"{named}one of {len(known) - len(like)} {'others' if like else 'names'}"


def allowed_values(kind: Any, says: str) -> tuple[Any, ...]:
    """The values that are allowed where an error of decoding a ``kind`` says that one is not; empty if unknown."""
    found = _PLACE.match(says)
    kinds = [kind] if found else []
    for step in _STEP.finditer(found["place"] if found else ""):
        kinds = [inner for one in kinds for inner in _inside(one, step["field"])]
    return tuple(dict.fromkeys(value for one in kinds for value in _values(one)))


def _inside(kind: Any, field: str | None) -> Iterator[Any]:
    """What a field of a type holds, or an item where no field is named; of a union that of each member."""
    members = _members(kind)
    for member in members:
        if field is None:
            yield from (argument for argument in get_args(member) if argument is not Ellipsis)
        elif isinstance(member, type) and issubclass(member, msgspec.Struct):
            names = {one.encode_name: one.name for one in msgspec.structs.fields(member)}
            if field in names:
                yield get_type_hints(member)[names[field]]
            elif field == member.__struct_config__.tag_field:
                yield Literal[member.__struct_config__.tag]


def _values(kind: Any) -> Iterator[Any]:
    for member in _members(kind):
        if get_origin(member) is Literal:
            yield from get_args(member)


def _members(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the type itself."""
    if get_origin(kind) in (Literal, tuple, list, dict, frozenset) or not get_args(kind):
        return (kind,)
    return tuple(member for one in get_args(kind) for member in _members(one))
