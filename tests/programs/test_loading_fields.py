"""Fields that may hold an argument that is loaded at run time: what the declared types say."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import Affine, Buffer, Index, RunTime
from mmaspec.programs.loading_fields import loading_fields
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, Load, Matrix, Repeat, SetClip, Slice


class Around(Struct, frozen=True):
    """A structure that may hold others of its own type."""

    name: str
    inside: tuple[Around, ...] = ()
    first: Index = 0


class Anything(Struct, frozen=True):
    """A structure of which the types say nothing."""

    part: Any


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (int, ()),
        (Affine, ()),
        (Buffer, ()),
        (Matrix, ()),
        (Slice, ("offsets", "spans")),
        (SetClip, ("row_offset", "row_span", "col_offset", "col_span")),
        (Load, ("offset", "stride")),
        (Repeat, ("body",)),
        (CoopMatProgram, ("body", "layouts", "views")),
        (Around, ("inside", "first")),
        (Anything, ("part",)),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_fields_that_may_load(kind: Any, fields: tuple[str, ...]) -> None:
    assert loading_fields(kind) == fields


def test_arguments_are_found_at_any_depth() -> None:
    deep = Around("a", (Around("b", (Around("c", first=RunTime("in", 8)),), RunTime("in", 4)),))
    assert loaded_arguments(deep) == (RunTime("in", 8), RunTime("in", 4))
    assert loaded_arguments(Anything((Anything(RunTime("in", 0)),))) == (RunTime("in", 0),)
