"""Programs that store where they loaded, in one buffer or beside the words of their arguments.

What a program stored it may not touch again (KHRCM-ORDER), so that nothing more happens in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Index, RunTime, Word
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, Load, Matrix, Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

INSTANCES = {"one": 1, "two": 2}
WHOLE = "whole"
"""The buffer of a program that has one only."""


def _turned(layout: int) -> int:
    return COLUMN_MAJOR if layout == ROW_MAJOR else ROW_MAJOR


def _stride(matrix: Matrix, layout: int) -> int:
    """Rows (columns) without gaps."""
    return matrix.rows if layout == COLUMN_MAJOR else matrix.cols


def _in_place(builder: ProgramBuilder, matrix: Matrix, layout: int) -> None:
    """A store in place of what was loaded in the other memory layout; of several waves, all of it was loaded before."""
    width = format_named(matrix.component).nbytes
    extent = matrix.rows * matrix.cols * width
    room, again = builder.region(WHOLE, extent * builder.waves, lcm(LINE, width)), like(builder, matrix)
    where: Index = room // width
    if builder.waves > 1:
        where = Affine(room // width, extent // width)
    turned = _turned(layout)
    first = Load(matrix.name, WHOLE, where, _stride(matrix, layout), layout, "", builder.name("P"))
    if builder.waves == 1:
        builder.matrices.remove(again)
        builder.add(first, Store(matrix.name, WHOLE, where, _stride(matrix, turned), turned))
        return
    builder.add(first, Load(again.name, WHOLE, where, _stride(matrix, turned), turned))
    builder.add(Store(again.name, WHOLE, where, _stride(matrix, layout), layout), store(builder, matrix, buffer="out"))


def _one_buffer(builder: ProgramBuilder, matrix: Matrix, layout: int) -> None:
    """One buffer for everything, in which the same load stands before a store and after it."""
    again = like(builder, matrix)
    first = load(builder, matrix, layout=layout, buffer=WHOLE)
    builder.add(first, store(builder, matrix, buffer=WHOLE))
    builder.add(replace(first, matrix=again.name, data=None), store(builder, again, buffer=WHOLE))


def _words(builder: ProgramBuilder, matrix: Matrix, layout: int) -> None:
    """Arguments lie beside the data; one word is offset and stride at once."""
    width = format_named(matrix.component).nbytes
    number = lcm(_stride(matrix, layout), LINE // width)
    lines = matrix.cols if layout == COLUMN_MAJOR else matrix.rows
    for kind, buffer, other in ((Load, "in", "out"), (Store, "out", "in")):
        # The words of a load lie where the program stores, but not under its elements, and the other way round.
        start = max(builder.used.get(other, 0), (number * (lines + 2)) * width)
        word = RunTime(other, -(-start // LINE) * LINE)
        builder.words.append(Word(word.buffer, word.offset, number))
        builder.used[other] = word.offset + LINE
        builder.used[buffer] = max(builder.used.get(buffer, 0), number * (lines + 1) * width)
        if kind is Load:
            builder.add(Load(matrix.name, buffer, word, word, layout, "", builder.name("P")))
        else:
            builder.add(Store(matrix.name, buffer, word, word, layout))


def _own_words(builder: ProgramBuilder, matrix: Matrix, layout: int) -> None:
    """Words in buffers of their own, the first of them at their start."""
    width = format_named(matrix.component).nbytes
    for buffer in ("in", "out"):
        number = lcm(_stride(matrix, layout), LINE // width)
        words = [RunTime(f"{buffer}-words", 4 * turn) for turn in range(2)]
        builder.words += [Word(word.buffer, word.offset, number) for word in words]
        builder.used[f"{buffer}-words"] = 8
        builder.used[buffer] = number * (max(matrix.rows, matrix.cols) + 2) * width
        if buffer == "in":
            builder.add(Load(matrix.name, buffer, words[0], words[1], layout, "", builder.name("P")))
        else:
            builder.add(Store(matrix.name, buffer, words[0], words[1], layout))


def _overwritten(builder: ProgramBuilder, matrix: Matrix, layout: int) -> None:
    """The words of a load lie where its result is stored afterwards."""
    width = format_named(matrix.component).nbytes
    number = lcm(_stride(matrix, layout), LINE // width)
    words = [RunTime("out", number * width + 4 * turn) for turn in range(2)]
    builder.words += [Word(word.buffer, word.offset, number) for word in words]
    builder.used["in"] = builder.used["out"] = number * (max(matrix.rows, matrix.cols) + 2) * width
    builder.add(Load(matrix.name, "in", words[0], words[1], layout, "", builder.name("P")))
    builder.add(Store(matrix.name, "out", number, number, layout))


WAYS: dict[str, Callable[[ProgramBuilder, Matrix, int], None]] = {
    "in-place": _in_place,
    "one-buffer": _one_buffer,
    "words-beside-data": _words,
    "words-alone": _own_words,
    "words-overwritten": _overwritten,
}


def _placed(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context)
    builder.waves = INSTANCES[chosen["scope-instances"]]
    matrix = builder.matrix(USES[chosen["use"]])
    WAYS[chosen["place"]](builder, matrix, {"row": ROW_MAJOR, "column": COLUMN_MAJOR}[chosen["plain-major"]])
    return None if builder.odd_lines() else builder.draft("distinct", batch=2)


IN_PLACE = Array(
    name="in-place",
    focus=("NVCM2-STORE-ONLY-ELEMS", "KHRCM-LOAD-ROW"),
    axes={
        "place": tuple(WAYS),
        "use": tuple(USES),
        "plain-major": ("row", "column"),
        "scope-instances": tuple(INSTANCES),
    },
    build=_placed,
    # All waves would store to one place.
    rules=("place=words-beside-data|words-alone|words-overwritten with scope-instances=two",),
    rows=("addresses",),
)
"""Loads and stores that share their buffers with each other, or with the words of arguments."""
