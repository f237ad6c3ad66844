"""Unrolling, affine arguments and run-time arguments."""

from __future__ import annotations

import pytest
from msgspec import Struct

from mmaspec.oracle.expect import resolve
from mmaspec.programs.base import Affine, Buffer, Index, Place, RunTime, Word, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import unrolled


class Act(Struct, frozen=True):
    where: Index


class Repeat(Struct, frozen=True):
    count: int
    body: tuple[Act, ...]


class Toy(Struct, frozen=True):
    body: tuple[Act | Repeat, ...]
    buffers: tuple[Buffer, ...] = ()
    waves: int = 1


def test_unrolled_repeats_the_body_in_order() -> None:
    program = Toy((Act(0), Repeat(2, (Act(1), Act(2)))))
    assert [str(place) for place, _ in unrolled(program)] == [
        "1", "2.1 (pass 1)", "2.2 (pass 1)", "2.1 (pass 2)", "2.2 (pass 2)",
    ]  # fmt: skip
    assert next(iter(unrolled(program)))[0] == Place((0,))


def test_affine_argument_counts_waves_and_passes() -> None:
    assert at(Affine(base=100, wave=10, loop=1), wave=2, loop=3) == 123
    assert at(7, wave=2, loop=3) == 7


def test_run_time_argument_resolves_to_its_word() -> None:
    program = Toy((Repeat(1, (Act(RunTime("args", 4)),)),))
    assert resolve(program, (Word("args", 4, 96),)) == Toy((Repeat(1, (Act(96),)),))


def test_missing_word_is_bad_input() -> None:
    with pytest.raises(BadInput, match="byte 4 of buffer args"):
        resolve(Toy((Act(RunTime("args", 4)),)), ())


def test_unresolved_argument_has_no_value() -> None:
    with pytest.raises(TypeError, match="args"):
        at(RunTime("args", 0), wave=0, loop=0)
