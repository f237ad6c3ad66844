"""Cases written out by hand, for the tests of what is seen in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

import msgspec
import numpy as np

from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.intel_subgroup_mma import SPEC
from mmaspec.oracle.intel_subgroup_mma.functions import Signature
from mmaspec.oracle.intel_subgroup_mma.semantics import execute
from mmaspec.oracle.intel_subgroup_mma.sources import sources
from mmaspec.oracle.intel_subgroup_mma.undefined import undefined
from mmaspec.oracle.intel_subgroup_mma.validity import rejected
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.source import Source
from mmaspec.programs.base import Buffer, Word
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Instruction, Load, Mad, MadProgram, Store
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.axes.observation import Seen, Subject, seen_in
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.intel_subgroup_mma.observations import OBSERVER

from .programs import fragments, function

NAME = "intel-subgroup-mma"
CATALOGUE = SPEC.catalogue
SPACE = space_of(NAME)

I8, U8, I4 = "i8_i8_i32", "u8_u8_i32", "i4_i4_i32"
F16, F16_F16, BF16, BF16_BF16 = "f16_f16_f32", "f16_f16_f16", "bf16_bf16_f32", "bf16_bf16_bf16"

A, B, C = Load("a", "in_a", 0, "A"), Load("b", "in_b", 0, "B"), Load("acc", "in_acc", 0, "C")
SAVE = Store("d", "out", 0)


class Kernel:
    """One function with variables for it: ``a``, ``b``, ``acc`` and ``d``, and buffers of sixteen blocks for them."""

    def __init__(self, form: str = I8, size: int = 8, rows: int = 2, fills: Mapping[str, int] | None = None) -> None:
        self.signature: Signature = function(size, form, rows)
        a, b, acc = fragments(self.signature)
        held = (a, b, acc, msgspec.structs.replace(acc, name="d"))
        fills = fills or {}
        self.fragments = tuple(msgspec.structs.replace(one, fill=fills.get(one.name)) for one in held)

    def call(self, d: str = "d", c: str | None = "acc", a: str = "a", b: str = "b") -> Mad:
        """``d = a * b + c``."""
        return Mad(self.signature.function, d, a, b, c)

    def program(self, *body: Instruction, waves: int = 1, extra: tuple[Fragment, ...] = ()) -> MadProgram:
        """A kernel of these statements."""
        size = self.signature.size
        names = ("in_a", "in_b", "in_acc", "out")
        buffers = tuple(Buffer(name, 16 * size * 32) for name in names)
        return MadProgram(size, buffers, (*self.fragments, *extra), body, waves)

    def plain(self, **values: object) -> Case:
        """Load, multiply, store; the data by name."""
        return case(self.program(A, B, C, self.call(), SAVE), values)


def case(
    of: MadProgram, values: Mapping[str, object] | None = None, batch: int = 1, words: tuple[Word, ...] = ()
) -> Case:
    """A case of a kernel; a matrix that is not given has elements that differ as far as their format allows."""
    given, size = values or {}, of.sub_group_size
    found = {
        source.name: _matrix(source, given.get(source.name), batch, number)
        for number, source in enumerate(sources(resolve(of, words)))
    }
    return Case(NAME, "", "by hand", of, Caps(size, FORMS_OF[size]), batch, found, words)  # type: ignore[arg-type, index]


def _matrix(source: Source, given: object, batch: int, number: int) -> Bits:
    shape = (batch, *source.shape)
    if given is not None:
        return np.broadcast_to(np.asarray(given, np.uint64), shape).copy()
    one = source.fmt.bias << source.fmt.fraction_bits if source.fmt.is_float else 0
    count = np.arange(int(np.prod(shape)), dtype=np.uint64).reshape(shape)
    return (one + count * np.uint64(2 * number + 1) % np.uint64(1 << min(source.fmt.bits - 1, 8))).astype(np.uint64)


class ByHand(Subject):
    """A case of a specification that no catalogue of the oracle names yet."""

    def __init__(self, of: Case) -> None:
        self.case, self.caps = of, of.caps
        self.program = resolve(of.program, of.words)

    @cached_property
    def expectation(self) -> Defined:
        """Executed as it is; valid and defined it has to be."""
        assert rejected(self.program, self.caps) == undefined(self.program, self.caps) == frozenset()
        memory = Memory(self.program.buffers, self.case.batch)
        for source in sources(self.program):
            for number, copy in enumerate(source.addresses):
                bits = None if source.first_bits is None else source.first_bits[number]
                memory.place(source.buffer, copy, self.case.values[source.name], source.fmt, bits)
        for word in self.case.words:
            memory.place(
                word.buffer,
                np.array([word.offset]),
                np.full((self.case.batch, 1), word.value, np.uint64),
                format_named("u32"),
            )
        images, known = memory.initial(), memory.known
        steps = execute(self.program, memory, PRACTICE, Readings({}))
        return Defined(images, known, memory.owned(), steps, memory.regions())


@cache
def found_in(of: Case) -> tuple[Seen, ...]:
    """Everything that is seen in a case."""
    return tuple(seen_in(ByHand(of), OBSERVER, SPACE))


def shown(of: Case, group: str, axis: str) -> set[str]:
    """The classes of an axis that the things of a group have; no two classes of them contradict."""
    found = found_in(of)
    assert [rule.together for rule, _ in contradictions(SPACE, found)] == []
    assert (
        not {f"{a}={one}" for thing in found for a, some in thing.classes.items() for one in some}
        & OBSERVER.unseen.keys()
    )
    return {one for thing in found if thing.thing.group == group for one in thing.classes.get(axis, ())}
