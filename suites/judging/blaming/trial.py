"""Variations of a failing case, run on the backend: which items of the batch still fail, and from which step on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Unasked, error_line
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined, Step
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.readings import Assignment
from mmaspec.oracle.spec import Instrumented, spec_named
from mmaspec.oracle.wrong_elements import WrongElements, wrong_elements
from mmaspec.programs.base import Place, Program, Word
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Pin, Profile
from mmaspec.programs.tree import Path, at, walk
from mmaspec.suites.judging.ask import Answer, ask, buffers_of

Flags = NDArray[np.bool_]
Shows = Mapping[str, Place]
"""Buffer of an instrumented program -> the instruction whose states it takes."""


MANY = 3
"""So many states, all wrong, are not each made wrong by their own instruction."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one program left: what was demanded under the reading that explains most, the answers, what is wrong."""

    expected: Defined
    answers: Sequence[Answer]
    wrong: WrongElements
    independent: frozenset[Place] = frozenset()
    """Instructions of the program that take nothing from memory or from other instructions."""
    blind: bool = False
    """What stores the states is known to be wrong: they tell nothing."""

    @property
    def items(self) -> Flags:
        """Which items of the batch have something wrong."""
        return self.wrong.items

    @property
    def legal(self) -> bool:
        """Whether none has."""
        return not self.items.any()

    @property
    def wrong_paths(self) -> frozenset[Path]:
        """The instructions that stored some wrong element; where these stand in the program that was run."""
        steps = self.expected.steps
        pairs = zip(self.expected.regions, self.wrong.regions, strict=True)
        return frozenset(steps[region.step].place.path for region, wrong in pairs if wrong.any())

    def firsts(self, shows: Shows) -> list[Place | None]:
        """Of each item the first instruction whose state is wrong.

        None where every state is right or nothing can be told, and where every one of many is wrong, although one of
        them comes from nothing but its own instruction: then it is what stores them.
        """
        order = sorted(
            (number for number, region in enumerate(self.expected.regions) if region.buffer in shows),
            key=lambda number: self.expected.regions[number].step,
        )
        found: list[Place | None] = [None] * len(self.items)
        if self.blind:
            return found
        for number in order:
            region = self.expected.regions[number]
            place = Place(shows[region.buffer].path, self.expected.steps[region.step].place.loop)
            for item in np.flatnonzero(self.wrong.regions[number].any(axis=(1, 2, 3))):
                found[item] = found[item] or place
        if len(order) >= MANY and any(shows[self.expected.regions[n].buffer] in self.independent for n in order):
            every = np.logical_and.reduce([self.wrong.regions[number].any(axis=(1, 2, 3)) for number in order])
            for item in np.flatnonzero(every):
                found[item] = None
        return found


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs variations of one case. ``unrun`` collects those that the backend did not take."""

    backend: Runner
    profile: Profile
    case: Case
    times: int = 1
    """How often a variation is run before it is legal: more than once where answers vary."""
    unlike: Struct | None = None
    """States are stored otherwise than after this instruction (``Spec.instrumented_otherwise``); None: as usual."""
    blind: bool = False
    """States tell nothing: what stores them is wrong."""
    unrun: list[str] = field(default_factory=list)
    latest: list[tuple[Program, tuple[Word, ...], Mapping[str, Bits], ByReading]] = field(default_factory=list)
    """The last program with its arguments resolved, its words and data, and what is demanded of them."""

    def of(self, some: NDArray[np.intp] | Sequence[int]) -> Trial:
        """The same with some items of the batch only."""
        values = {name: bits[some] for name, bits in self.case.values.items()}
        return replace(self, case=replace(self.case, batch=len(some), values=values))

    def under(self, reading: Assignment) -> Trial:
        """The same where only one of the readings counts."""
        mine = {name for name, _ in reading}
        pins = (*(pin for pin in self.profile.pins if pin.ambiguity not in mine), *(Pin(*pair) for pair in reading))
        return replace(self, profile=structs.replace(self.profile, pins=pins), latest=[])

    def run(self, program: Program, what: str, values: Mapping[str, Bits] | None = None) -> Seen | None:
        """The items under another program or with other values; None where that is not defined, or not answered.

        ``what`` says in words what was varied. Raises ``Unasked``, which says nothing of the program, and ``Died``.
        """
        case = self._varied(program, values)
        try:
            by_reading = self._expected(case)
        except BadInput:
            return None
        if not isinstance(by_reading.first, Defined):
            return None
        seen: Seen | None = None
        try:
            for _ in range(self.times):
                seen = _seen(case, by_reading, ask(self.backend, case, by_reading.first))
                if not seen.legal:
                    break
        except Unasked:
            raise
        except Refused as refusal:
            self._missed(what, f"refused: {refusal.reason}")
            return None
        except (Raised, BadReply) as error:
            self._missed(what, error_line(error))
            return None
        return seen

    def _expected(self, case: Case) -> ByReading:
        """What is demanded of a case: where arguments come from changes nothing of it."""
        program = resolve(case.program, case.words)
        if self.latest:
            known, words, values, by_reading = self.latest[0]
            if (known, words) == (program, case.words) and values is case.values:
                return by_reading
        by_reading = expect_by_reading(case, self.profile)
        self.latest[:] = [(program, case.words, case.values, by_reading)]
        return by_reading

    def states(
        self, program: Program, what: str, values: Mapping[str, Bits] | None = None
    ) -> tuple[Seen, Shows] | None:
        """The same with a store after every instruction."""
        instrumented = self._instrumented(program)
        seen = self.run(instrumented.program, what, values)
        if seen is None:
            return None
        return replace(seen, independent=independent(program), blind=self.blind), instrumented.shows

    def demanded(self, program: Program, values: Mapping[str, Bits] | None = None) -> tuple[Defined, Shows]:
        """What ``states`` demands, of a program that is defined, under the default reading; nothing is run."""
        instrumented = self._instrumented(program)
        expected = self._expected(self._varied(instrumented.program, values)).first
        assert isinstance(expected, Defined)
        return expected, instrumented.shows

    def _instrumented(self, program: Program) -> Instrumented:
        spec = spec_named(self.case.spec).of(self.case.caps)
        if self.unlike is None or spec.instrumented_otherwise is None:
            return spec.instrumented(program)
        return spec.instrumented_otherwise(program, self.unlike)

    def _varied(self, program: Program, values: Mapping[str, Bits] | None) -> Case:
        case = self.case.with_program(program)
        if values is None:
            return case
        batch = len(next(iter(values.values()))) if values else case.batch
        return replace(case, values=values, batch=batch)

    def _missed(self, what: str, why: str) -> None:
        line = f"{what} ({why})"
        if line not in self.unrun:
            self.unrun.append(line)


def _seen(case: Case, by_reading: ByReading, answers: Sequence[Answer]) -> Seen:
    """What is wrong with answers under the reading that explains most, the default one if it explains as much."""
    where, runs = buffers_of(case.program), [(answer.before, answer.after) for answer in answers]
    variants = sorted((variant for _, variant in by_reading.variants), key=lambda one: one is not by_reading.first)
    found = [Seen(variant, answers, wrong_elements(variant, runs, where)) for variant in variants]
    return min(found, key=lambda seen: seen.wrong.amount)


def among_stores(place: Place, shows: Shows) -> Path:
    """Where the instruction at a place stands in the instrumented program: behind a store of each one before it."""
    outer, *inner = place.path
    before = [one.path for one in shows.values()]
    first = outer + sum(len(path) == 1 and path[0] < outer for path in before)
    return (first, *(step + sum(path[:-1] == (outer,) and path[-1] < step for path in before) for step in inner))


def independent(program: Program) -> frozenset[Place]:
    """The instructions that name no buffer, and nothing that an instruction before them names."""
    named = {buffer.name for buffer in program.buffers}
    found = set()
    for place, instruction, _ in walk(program):
        own = set(names(instruction))
        if own.isdisjoint(named):
            found.add(place)
        named |= own
    return frozenset(found)


def names(node: object) -> Iterator[str]:
    """Every text in an instruction, those of what it holds included: names, and words such as those of operations."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, msgspec.Struct):
        for name in node.__struct_fields__:
            yield from names(getattr(node, name))
    elif isinstance(node, tuple):
        for item in node:
            yield from names(item)


def wrong_there(program: Program, steps: Sequence[Step], seen: Seen, shows: Shows, place: Place) -> set[int]:
    """The items in which the state after the instruction at a place is wrong, and none on which it depends is.

    ``steps`` are those of the program.
    """
    feeding = _feeding(program, steps, place.path)
    wrong: set[int] = set()
    spoilt: set[int] = set()
    for region, mask in zip(seen.expected.regions, seen.wrong.regions, strict=True):
        if region.buffer not in shows:
            continue
        path, items = shows[region.buffer].path, set(np.flatnonzero(mask.any(axis=(1, 2, 3))).tolist())
        if path == place.path:
            wrong |= items
        elif path in feeding:
            spoilt |= items
    return wrong - spoilt


def _feeding(program: Program, steps: Sequence[Step], path: Path) -> frozenset[Path]:
    """The instructions that write what the one at ``path`` takes, or what those take, as far back as that goes.

    Those behind it are among them where they stand in the same loop. More may be than matter: each that ever wrote it.
    """
    loop = path[:1] if len(path) > 1 else ()
    writers = {one.place.path: one.writes for one in steps if one.place.path < path or one.place.path[:1] == loop}
    needed = set(names(at(program, Place(path))))
    found: set[Path] = set()
    while fresh := [here for here, written in writers.items() if here not in {*found, path} and written in needed]:
        found.update(fresh)
        needed.update(name for here in fresh for name in names(at(program, Place(here))))
    return frozenset(found)
