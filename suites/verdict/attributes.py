"""What can be said of one part of a program, of whatever specification: its fields, and those of what it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec
from msgspec import Struct

from mmaspec.programs.base import Affine, RunTime

NAMES = frozenset({"name", "data", "windows"})
"""Fields that say nothing of a program: what something is called, which bytes of a large buffer are looked at."""
SMALL = 64
"""Larger numbers are told by bounds alone: what fails at exactly one of them is hardly ever about that one."""
MULTIPLES = (2, 4, 16)
"""That a number is no multiple of one of these is worth saying of it."""
PLAIN = (bool, int, str, type(None))
"""What a field may hold of which everything is known without the program."""
REMEMBERED = 1 << 16
"""How many fields with what they hold are remembered, as most come again in other cases."""


class Attribute(NamedTuple):
    """Something that is true of one part of a program. A lower ``rank`` tells a reader more."""

    rank: int
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """What the fields of an instruction refer to."""

    declared: Mapping[str, Struct]
    """Name -> the buffer, matrix, ... that is declared under it."""
    words: Mapping[tuple[str, int], int]
    """Buffer and offset -> what an argument finds there at run time."""


NOTHING = Context({}, {})
"""Of fields that hold no names: one of a few words is no name, whatever a program calls what it declares."""


def noun(part: Struct) -> str:
    """What a part of a program is called: the tag of an instruction, the type of a declaration."""
    return _noun(type(part))


@cache
def _noun(kind: type[Struct]) -> str:
    config = kind.__struct_config__
    if isinstance(config.tag, str):
        return config.tag
    name = kind.__name__
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def one(called: str) -> str:
    """Such a part, with its article."""
    return f"{'an' if called[:1] in 'aeiou' else 'a'} {called}"


def attributes(part: Struct, context: Context) -> Iterator[Attribute]:
    """All that can be said of one instruction or declaration."""
    named: dict[str, str] = {}
    for field in type(part).__struct_fields__:
        value = getattr(part, field)
        if field in NAMES or field == "body":
            continue
        word = _is_word(type(part), field)
        yield from of_field(field, value, NOTHING if word else context, argument=_is_argument(type(part), field))
        if isinstance(value, str) and not word and value in context.declared:
            if value in named:
                yield Attribute(1, f"{field} the same as {named[value]}")
            named.setdefault(value, field)
            yield from _of_declared(field, context.declared[value])


def numbers(part: Struct, context: Context) -> Iterator[tuple[str, int]]:
    """The fields of an instruction or declaration that hold one number, with it: that of the first wave and pass."""
    for field in type(part).__struct_fields__:
        value = getattr(part, field)
        if isinstance(value, RunTime):
            value = context.words.get((value.buffer, value.offset))
        if isinstance(value, int) and not isinstance(value, bool):
            yield field, value


def of_field(field: str, value: Any, context: Context, *, argument: bool = False) -> Iterator[Attribute]:
    """All that can be said of one field; ``argument``: what it holds may be known at run time only."""
    if isinstance(value, PLAIN):
        if value not in context.declared:
            yield from _of_plain(field, value, argument=argument)
        return
    match value:
        case RunTime(buffer, offset):
            yield Attribute(1, f"{field} read at run time")
            if (buffer, offset) in context.words:
                yield from _of_number(field, context.words[buffer, offset], argument=True)
        case Affine():
            yield from _of_affine(field, value)
        case tuple():
            yield from _of_tuple(field, value, context)
        case Struct():
            yield Attribute(1, f"{field} {noun(value)}")
            yield from _of_fields(field, value, context)


@lru_cache(maxsize=REMEMBERED, typed=True)  # 1 is not true
def _of_plain(field: str, value: bool | int | str | None, *, argument: bool) -> tuple[Attribute, ...]:
    """What can be said of a field whatever else is in the program."""
    match value:
        case None:
            return (Attribute(1, f"no {field}"),)
        case bool():
            return (Attribute(0, f"{field} = {str(value).lower()}"),)
        case int():
            literal = _of_literal(field, value) if argument else ()
            return (*literal, *_of_number(field, value, argument=argument))
        case _:
            return (Attribute(1, f"{field} = {value}" if value else f"no {field}"),)


def _of_fields(prefix: str, part: Struct, context: Context) -> Iterator[Attribute]:
    for inside in type(part).__struct_fields__:
        if inside not in NAMES:
            yield from of_field(f"{prefix}.{inside}", getattr(part, inside), context)


def _of_literal(field: str, value: int) -> Iterator[Attribute]:
    yield Attribute(2, f"a literal {field}")
    if abs(value) <= SMALL:
        yield Attribute(3, f"a literal {field} of {value}")


@lru_cache(maxsize=REMEMBERED)
def _of_number(field: str, value: int, *, argument: bool) -> tuple[Attribute, ...]:
    near = (Attribute(1 if value in (0, 1) else 3, f"{field} = {value}"),) if abs(value) <= SMALL else ()
    some = (Attribute(2, f"{field} not 0"),) if value else ()
    odd = [Attribute(3, f"{field} no multiple of {of}") for of in MULTIPLES if argument and value % of]
    return (*near, *some, *odd)


def _of_affine(field: str, value: Affine) -> Iterator[Attribute]:
    if value.wave or value.row:
        yield Attribute(1, f"{field} different in each wave")
    if value.loop:
        yield Attribute(1, f"{field} different in each pass")
    if value.lane:
        yield Attribute(1, f"{field} different in each lane")


def _of_tuple(field: str, value: tuple[Any, ...], context: Context) -> Iterator[Attribute]:
    if not value:
        yield Attribute(1, f"no {field}")
        return
    yield Attribute(3, f"{len(value)} {field}")
    for number, item in enumerate(value):
        if not isinstance(item, Struct):
            yield from of_field(f"{field}[{number}]", item, context, argument=True)
        elif isinstance(item, Affine | RunTime):
            yield from of_field(f"{field}[{number}]", item, context)
        else:
            yield Attribute(1, f"{noun(item)} in {field}")
            yield from _of_fields(noun(item), item, context)


@lru_cache(maxsize=REMEMBERED)
def _of_declared(field: str, part: Struct) -> tuple[Attribute, ...]:
    found = [Attribute(0, f"{field} {noun(part)}"), *_of_fields(field, part, NOTHING)]
    found += [said for is_so in _yes_or_no(type(part)) for said in of_field(*_asked(field, part, is_so), NOTHING)]
    return tuple(Attribute(said.rank + 1, said.text) for said in found)


@cache
def _yes_or_no(part: type[Struct]) -> tuple[str, ...]:
    """The properties of a struct that sum up its fields, such as ``is_fragment``."""
    return tuple(name for name in vars(part) if name.startswith("is_") and isinstance(vars(part)[name], property))


def _asked(field: str, part: Struct, is_so: str) -> tuple[str, bool]:
    return f"{field}.{is_so.removeprefix('is_')}", bool(getattr(part, is_so))


@cache
def _is_argument(part: type[Struct], field: str) -> bool:
    """Whether a field may hold an argument that is known at run time only, so that a literal is one of several ways."""
    found = next(entry.type for entry in msgspec.structs.fields(part) if entry.name == field)
    return RunTime in get_args(found) or (get_origin(found) is tuple and RunTime in get_args(get_args(found)[0]))


@cache
def _is_word(part: type[Struct], field: str) -> bool:
    """Whether a field holds one of a few words, such as the use of a fragment."""
    found = next(entry.type for entry in msgspec.structs.fields(part) if entry.name == field)
    return any(get_origin(one) is Literal for one in (found, *get_args(found)))
