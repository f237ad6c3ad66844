"""A toy specification of two rows, four instructions and three clauses, with a grammar, for testing the machinery."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from msgspec import Struct

from mmaspec.oracle import spec as spec_module
from mmaspec.oracle.clauses import Catalogue, Clause
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import Row, Spec
from mmaspec.programs import specifications
from mmaspec.programs.base import Buffer, Index, RunTime, Word, at
from mmaspec.programs.base import Literal as LiteralBits
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.strategies import enumerate as enumerate_module
from mmaspec.strategies.grammar import Draft, DrawContext, Grammar, Template

NAME, SIZE = "toy-mac", 8


class Load(Struct, frozen=True, tag="load"):
    """One 8 x 8 matrix, row-major without padding."""

    matrix: Literal["a", "b", "c"]
    buffer: str
    offset: Index
    data: str


class Mac(Struct, frozen=True, tag="mac"):
    """c += a * b."""


class Fill(Struct, frozen=True, tag="fill"):
    """A matrix of one value."""

    matrix: str
    value: LiteralBits


class Store(Struct, frozen=True, tag="store"):
    """c to memory."""

    buffer: str
    offset: Index


class Repeat(Struct, frozen=True, tag="repeat"):
    """A loop."""

    count: int
    body: tuple[Load | Mac | Fill | Store, ...]


class ToyProgram(Struct, frozen=True):
    """a, b and c of one element type each."""

    buffers: tuple[Buffer, ...]
    body: tuple[Load | Mac | Fill | Store | Repeat, ...]
    factor: str = "f16"
    addend: str = "f32"
    waves: int = 1
    read_only: tuple[str, ...] = ()


class ToyCaps(Struct, frozen=True):
    """Which rows there are."""

    names: tuple[str, ...] = ("half", "byte")


ROWS = {
    "half": Row("half", "f16", frozenset({"float", "acc-f32"}), ("f16", "f32")),
    "byte": Row("byte", "s8", frozenset({"int"}), ("s8", "s32")),
}


def loads(program: ToyProgram) -> Iterator[tuple[Load, int]]:
    """Every load, with its passes."""
    for node in program.body:
        if isinstance(node, Repeat):
            yield from ((nested, node.count) for nested in node.body if isinstance(nested, Load))
        elif isinstance(node, Load):
            yield node, 1


def rejected(program: ToyProgram, _: ToyCaps) -> frozenset[str]:
    found = set()
    for load, _ in loads(program):
        offset = at(load.offset, 0, 0)
        found |= {"T-EVEN"} if offset % 2 else set()
        found |= {"T-ALIGN"} if offset % 4 else set()
    return frozenset(found | ({"T-WAVES"} if program.waves > 4 else set()))


def sources(program: ToyProgram) -> tuple[Source, ...]:
    buffers, found = {buffer.name: buffer for buffer in program.buffers}, []
    for load, count in loads(program):
        if load.buffer not in buffers:
            raise BadInput(f"program: no buffer named {load.buffer!r}")
        fmt = format_named(program.addend if load.matrix == "c" else program.factor)
        moves = isinstance(load.offset, int)
        waves, passes = (1, 1) if moves else (program.waves, count)
        addresses = np.empty((1, waves, passes, SIZE, SIZE), np.int64)
        for wave in range(waves):
            for loop in range(passes):
                start = at(load.offset, wave, loop)
                addresses[0, wave, loop] = start + np.arange(SIZE * SIZE).reshape(SIZE, SIZE) * fmt.nbytes
        found.append(Source(load.data, load.matrix, fmt, load.buffer, addresses))
    return tuple(found)


def none(*_: Any) -> Any:
    """What strategies never ask of a specification."""
    raise AssertionError("strategies need nothing of this")


def nothing_undefined(*_: Any) -> frozenset[str]:
    return frozenset()


CATALOGUE = Catalogue(
    spec=NAME,
    title="Toy",
    revision="1",
    document="none",
    clause={
        "T-ALIGN": Clause(kind="V", basis="document", statement="offsets are multiples of 4"),
        "T-EVEN": Clause(kind="V", basis="document", statement="offsets are even", entails=("T-ALIGN",)),
        "T-WAVES": Clause(kind="V", basis="document", statement="at most 4 waves", rows=("int",)),
    },
)

SPEC = Spec(
    catalogue=CATALOGUE,
    program_type=ToyProgram,
    caps_type=ToyCaps,
    default_caps=ToyCaps(),
    rows=lambda caps: tuple(ROWS[name] for name in caps.names),
    rejected=rejected,
    undefined=nothing_undefined,
    sources=sources,
    execute=none,
    text=none,
    instrumented=none,
    ablations=none,
    untouched="T-ALIGN",
)


def mac(context: DrawContext[ToyCaps]) -> Draft:
    factor, addend = context.row.entry
    gap = 4 * context.choices.integer(1, 40)
    body = (
        Load("c", "inputs", RunTime("words", 4), "C"),
        Load("a", "inputs", 1024, "A"),
        Load("b", "inputs", 2048, "B"),
        Mac(),
        Store("out", gap),
    )
    buffers = (Buffer("inputs", 4096), Buffer("words", 8), Buffer("out", 1024))
    program = ToyProgram(buffers, body, factor, addend, read_only=("inputs", "words"))
    return Draft(program, "window", 4, (Word("words", 4, gap),))


def frame(context: DrawContext[ToyCaps], draft: Draft) -> Draft:
    choices = context.choices
    fill = Fill(choices.one_of(("a", "b", "c")), LiteralBits(choices.integer(1, 9)))
    program = msgspec.structs.replace(draft.program, body=(fill, *draft.program.body))
    return Draft(program, draft.regime, draft.batch, draft.words)


def shifted(by: int) -> Any:
    def near_miss(context: DrawContext[ToyCaps], draft: Draft) -> Draft | None:
        if context.choices.chance(50):
            return None
        words = tuple(Word(word.buffer, word.offset, word.value + by) for word in draft.words)
        return Draft(draft.program, draft.regime, 1, words)

    return near_miss


def crowded(context: DrawContext[ToyCaps], draft: Draft) -> Draft:
    program = msgspec.structs.replace(draft.program, waves=context.choices.integer(5, 9))
    return Draft(program, draft.regime, 1, draft.words)


def never(_: DrawContext[ToyCaps]) -> Draft | None:
    return None


GRAMMAR = Grammar(
    spec=NAME,
    templates=(
        Template("mac", ("T-ALIGN",), mac, weight=12),
        Template("int-only", (), mac, rows=("int",), weight=2),
        Template("never", (), never),
    ),
    near_misses={
        "T-ALIGN": shifted(2),
        "T-EVEN": shifted(1),
        "T-WAVES": crowded,
    },
    near_miss_base=mac,
    frame=frame,
    free=mac,
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The toy specification, installed under its name for one test."""
    for name, value in (("toy.oracle", {"SPEC": SPEC}), ("toy.strategies", {"GRAMMAR": GRAMMAR})):
        module = ModuleType(name)
        vars(module).update(value)
        monkeypatch.setitem(sys.modules, name, module)
    entries = (EntryPoint(NAME, "toy", specifications.GROUP),)
    monkeypatch.setattr(specifications, "entry_points", lambda group: entries if group == specifications.GROUP else ())
    caches = (specifications._others, specifications._names, specifications.specification)
    for cache in (*caches, spec_module.spec_named, enumerate_module.grammar_of):
        cache.cache_clear()
    yield SimpleNamespace(**{key: value for key, value in globals().items() if not key.startswith("_")})
    for cache in (*caches, spec_module.spec_named, enumerate_module.grammar_of):
        cache.cache_clear()


def make_source(name: str, role: Any, fmt: str, shape: tuple[int, ...], *, tensor: bool = False) -> Source:
    """A source without a layout: the regimes look at its shape only."""
    return Source(name, role, format_named(fmt), "inputs", np.zeros((1, *shape), np.int64), tensor)


def make_triple(factor: str, addend: str, size: int = 16, passes: int = 1, depth: int = 16) -> tuple[Source, ...]:
    """A, B and C of one product; ``passes`` different As."""
    return (
        make_source("A", "a", factor, (1, passes, size, depth)),
        make_source("B", "b", factor, (1, 1, depth, size)),
        make_source("C", "c", addend, (1, 1, size, size)),
    )


@pytest.fixture
def source() -> Any:
    """Makes a source: name, role, format, shape."""
    return make_source


@pytest.fixture
def triple() -> Any:
    """Makes A, B and C: factor's and addend's format, size, passes, depth."""
    return make_triple
