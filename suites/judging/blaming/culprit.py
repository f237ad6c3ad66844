"""Locating a failure: the first step whose state is wrong, and the items and probes that show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.judge import slight_bits
from mmaspec.oracle.numerics.legal import distance
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import AnySpec, DataEdit, spec_named
from mmaspec.oracle.wrong_elements import Buffers, stored
from mmaspec.programs.base import Buffer, Place, Program
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import paths
from mmaspec.suites.judging.ask import Held, buffers_of
from mmaspec.suites.judging.blaming.probes import edited, lone, sketched, tame
from mmaspec.suites.judging.blaming.surest import surest
from mmaspec.suites.judging.blaming.trial import Seen, Shows, Trial, among_stores, wrong_there

ADDED = Buffer("", 0)
KINDS = ("tame", "signed", "sketch")
"""The probes that are run: small whole numbers, without and with signs, and with zeros where the item has them."""
PROBES = 4
"""Items of each kind of probe."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A failing item and the probes beside it, and in which of them something is wrong."""

    trial: Trial
    program: Program
    wrong: NDArray[np.bool_]

    def unlike(self, backend: Runner) -> bool:
        """Whether another backend is wrong in others of them: not for the same reason then, whatever bytes agree."""
        seen = replace(self.trial, backend=backend, unrun=[]).states(self.program, "")
        return seen is not None and bool((seen[0].items != self.wrong).any())


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first wrong step, and a trial of all items that show it there."""

    step: Step
    trial: Trial
    sources: tuple[Source, ...]
    seen: Seen
    """Of these items, what an instrumented program left."""
    shows: Shows
    structural: bool = False
    """Probes show it: small whole numbers."""
    tame: bool = False
    """Probes without signs do."""
    probed: bool = False
    """Whether probes were run, whatever they show."""
    exact: bool = True
    """Whether the step's state is demanded to the bit in some of these, so that their being right tells most."""
    in_state: bool = True
    """Whether a state is wrong; else every state is right, so that the store is."""
    beside: Beside | None = None
    """All that was run to find it."""

    def with_data(self, edit: DataEdit, program: Program) -> Culprit | None:
        """The same with other data; None where the step is not wrong then."""
        values = edited(edit, self.trial.case.values, self.sources)
        found = self.trial.states(program, edit, values)
        if found is None or found[0].legal:
            return None
        varied = replace(self, seen=found[0], shows=found[1])
        return varied if varied.region is not None else None

    @property
    def buffers(self) -> Buffers:
        """Those of the instrumented program: buffers that were added start as all do by default."""
        return defaultdict(lambda: ADDED, buffers_of(self.trial.case.program))

    @property
    def region(self) -> int | None:
        """The region of the instrumented program that shows the wrong state; None if none does."""
        for number, region in enumerate(self.seen.expected.regions):
            if region.buffer in self.shows and self.seen.wrong.regions[number].any():
                shown = Place(self.shows[region.buffer].path, self.seen.expected.steps[region.step].place.loop)
                if shown == self.step.place:
                    return number
        return None

    @property
    def wave(self) -> int:
        """A wave in which the state is wrong."""
        number = self.region
        wrong = self.seen.wrong.regions
        masks = [wrong[number]] if number is not None else [one for one in wrong if one.any()]
        return int(masks[0].any(axis=(0, 2, 3)).argmax()) if masks else 0

    @property
    def slight(self) -> bool:
        """Whether every wrong element of the state is a float near its legal set (`slight_bits`)."""
        number = self.region
        if number is None or not self.seen.expected.regions[number].legal.fmt.is_float:
            return False
        legal, wrong = self.seen.expected.regions[number].legal, self.seen.wrong.regions[number]
        for answer in self.seen.answers:
            far = distance(legal, stored(self.seen.expected, number, answer.after, self.buffers))
            if (far[wrong] > 1 << slight_bits(legal.fmt)).any():
                return False
        return True

    def still_wrong(
        self, program: Program, what: str, place: Place | None = None, values: Mapping[str, Bits] | None = None
    ) -> bool | None:
        """Whether the step's state is still wrong in some item under an ablated program; None where it cannot be run.

        ``place`` is where the instruction now stands, if that is somewhere else.
        """
        there = place or self.step.place
        found = self.trial.states(program, what, values)
        if found is None:
            return None
        seen, shows = found
        if seen.legal:
            return False
        for first, wrong in zip(seen.firsts(shows), seen.items, strict=True):
            if first is None:  # every state is right, so some store is wrong
                if wrong and not self.in_state:
                    # Elements of other stores may be wrong for its neighbours alone.
                    mine = among_stores(self.step.place, self.shows) in self.seen.wrong_paths
                    # Where instructions were added or left out, what they store may be wrong in its place.
                    alike = paths(program) == paths(self.trial.case.program)
                    return among_stores(there, shows) in seen.wrong_paths if mine and alike else True
            elif first.path <= there.path:
                return True
        return False

    def acting(
        self, program: Program, place: Place | None = None, values: Mapping[str, Bits] | None = None
    ) -> set[str]:
        """The coverage points of the step's instruction in an ablated program, in every pass.

        ``place`` as above. Nothing is run; the program is defined.
        """
        expected, shows = self.trial.demanded(program, values)
        there = among_stores(place or self.step.place, shows)
        return {point for step in expected.steps if step.place.path == there for point in step.points}


def located(
    alone: Trial, spec: AnySpec, program: Program, held: Held, base: Step, *, probed: bool = True
) -> Culprit | None:
    """The first wrong step of the one item of a trial; the store itself if every state is right; None if all is well.

    Probes are run beside it, unless they are not wanted. Those that show the same step wrong speak for the failure
    from then on.
    """
    sources = sources_of(spec, program)
    case, kinds = _probed(alone.case, sources) if probed else (alone.case, ["listed"])
    trial = replace(alone, case=case)
    found = trial.states(program, "a store after every instruction")
    if found is None and len(kinds) > 1:
        case, kinds = alone.case, ["listed"]
        trial = alone
        found = trial.states(program, "a store after every instruction")
    if found is None:
        nothing = alone.run(alone.case.program, "one item of the batch alone")
        return None if nothing is None else Culprit(base, alone, sources, nothing, {})
    if not found[0].items[0]:
        return None
    trial, (seen, shows) = surest(spec, trial, program, found)
    firsts = seen.firsts(shows)
    place = firsts[0]
    step = base if place is None else next((one for one in held.expected.steps if one.place == place), base)
    alike = [
        item
        for item, first in enumerate(firsts)
        if seen.items[item]
        and (first is None) == (place is None)
        and (first is None or place is None or first.path == place.path)
    ]
    # What a program computes of its own constants is the same in probes, which then tell nothing.
    telling = {
        item for item, name in enumerate(kinds) if name != "listed" and _computes_another(seen, shows, place, item)
    }
    alike = [item for item in alike if kinds[item] == "listed" or item in telling]
    kind = _first_kind({kinds[item] for item in alike})
    # Listed items beside the probes: an ablation has to explain both.
    chosen = [item for item in alike if kinds[item] in (kind, "listed")]
    some = np.asarray(chosen)
    # Probes may be wrong before that, and there as well.
    there = set() if place is None else wrong_there(program, held.expected.steps, seen, shows, place)
    kind = _first_kind({kind, *(kinds[item] for item in telling & there)})
    return Culprit(
        step,
        trial.of(some),
        sources,
        _of_items(seen, some),
        shows,
        structural=kind != "listed",
        tame=kind in ("tame", "sketch"),
        probed=bool(telling),
        exact=place is None or any(_is_exact(seen, shows, place, item) for item in telling),
        in_state=place is not None,
        beside=Beside(trial, program, seen.items),
    )


def _first_kind(kinds: Collection[str]) -> str:
    """The kind of probes that says most, of those that show something."""
    return next((one for one in ("tame", "sketch", "signed") if one in kinds), "listed")


def _is_exact(seen: Seen, shows: Shows, place: Place, item: int) -> bool:
    """Whether all that is judged at a place has one legal value: beside some constants small sums have more."""
    mine = [one for one in seen.expected.regions if one.buffer in shows and shows[one.buffer].path == place.path]
    judged = [region.legal.index(item) for region in mine if not region.legal.why[item].any()]
    return all(bool((legal.lo >= legal.hi).all()) for legal in judged)


def _computes_another(seen: Seen, shows: Shows, place: Place | None, item: int) -> bool:
    """Whether the step at a place leaves something else in an item than in the first; True where no state is wrong."""
    if place is None:
        return True
    mine = [one for one in seen.expected.regions if one.buffer in shows and shows[one.buffer].path == place.path]
    limits = [limit for region in mine for limit in (region.legal.lo, region.legal.hi)]
    return any(not np.array_equal(limit[item], limit[0]) for limit in limits)


def fails_probes(trial: Trial, steps: Sequence[Step], told_apart: Collection[str]) -> bool:
    """Whether a case fails with small whole numbers for data, or shows a wrong state where no accuracy is in question.

    Where a store after every instruction hides the failure, the program itself is run with such data.
    ``steps`` are those of the case; ``told_apart`` the clauses about accuracy.
    """
    spec = spec_named(trial.case.spec).of(trial.case.caps)
    program = resolve(trial.case.program, trial.case.words)
    case, _ = _probed(trial.case.item(0), sources_of(spec, program), (*KINDS, "lone"))
    probing = replace(trial, case=case)
    found = probing.states(program, "a store after every instruction")
    if found is None:
        return False
    seen, shows = found
    if seen.legal:
        plainly = probing.run(program, "small whole numbers")
        return plainly is not None and bool(plainly.items[1:].any())
    first = seen.firsts(shows)[0]
    at_first = [name for step in steps if step.place == first for name in step.clauses]
    return bool(seen.items[1:].any()) or bool(at_first and not set(told_apart).intersection(at_first))


def sources_of(spec: AnySpec, program: Program) -> tuple[Source, ...]:
    """The data that a program loads; none where that cannot be told."""
    try:
        return spec.sources(program)
    except BadInput:
        return ()


def _probed(case: Case, sources: tuple[Source, ...], wanted: Sequence[str] = KINDS) -> tuple[Case, list[str]]:
    """The items of a case with probes of the wanted kinds behind them, and of which kind each item is."""
    kinds = ["listed"] * case.batch
    values = {name: [bits] for name, bits in case.values.items()}
    if {source.name for source in sources} != set(values) or not sources:
        return case, kinds
    key = case.origin or case.template
    for kind in wanted:
        if kind == "sketch":
            drawn = sketched(sources, case.values, PROBES, key)
        else:
            drawn = (
                lone(sources, PROBES, key) if kind == "lone" else tame(sources, PROBES, key, signed=kind == "signed")
            )
        if drawn is None:
            continue
        kinds += [kind] * PROBES
        for source in sources:
            kept = np.repeat(case.values[source.name][:1], PROBES, axis=0)
            values[source.name].append(kept if source.role == "scalar" else drawn[source.name])
    whole = {name: np.concatenate(parts) for name, parts in values.items()}
    return replace(case, batch=len(kinds), values=whole), kinds


def _of_items(seen: Seen, some: NDArray[np.intp]) -> Seen:
    """What was seen of some items."""
    expected = seen.expected.items(some)
    answers = [
        replace(
            answer,
            before={n: image[some] for n, image in answer.before.items()},
            after={n: image[some] for n, image in answer.after.items()},
        )
        for answer in seen.answers
    ]
    wrong = replace(seen.wrong, regions=tuple(mask[some] for mask in seen.wrong.regions), items=seen.wrong.items[some])
    return Seen(expected, answers, wrong, seen.independent)
