"""The score of the suite on backends with known defects: defects caught, clauses blamed, false alarms.

Every case is drawn and expected once and all backends are judged on it, under the ``practice`` profile; a legal variant
that declares another profile is judged under that. What the score says does not depend on how many processes worked on
it, but for the seconds.

Counterfactuals are known to the suite: a failure is compared with what they would answer. Defects are not, so what it
names for them it would name for a backend never seen before.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from mmaspec.backends.faults import defects_of, fault_named, faults_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.legal import LEGAL, LegalVariant
from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import DOCUMENT, PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.sensitivity import accepts, candidates, escapes, made, wrong
from mmaspec.suites.planning.lists import listed, listed_whole
from mmaspec.suites.planning.prepare import effective
from mmaspec.suites.pool import Progress, processes
from mmaspec.suites.score.matrix import every_row

STRIP = 300
"""Cases that one process takes at a time, at most."""
KILLS = 3
"""Of how many cases that catch a counterfactual the finding is looked at: the first ones of the list."""

PARTS = ("faults", "legal")
"""What may be scored."""

_Named: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


class FaultScore(Struct, frozen=True, kw_only=True):
    """The score of one counterfactual or defect."""

    name: str
    spec: str
    family: str
    """``clause`` for a counterfactual; ``arithmetic``, ``integer`` or ``state`` for a defect."""
    clause: str
    """The one that it was made to break."""
    killed: bool
    blamed: bool
    """In most of the first cases that catch it, its clause is the first one named."""
    blamed_unknown: bool
    """The same with this counterfactual struck from those that a failure is compared with, as if never seen before;
    defects are never among those."""
    first_kill_s: float | None
    """Seconds of one process from the start of the list to the first case that catches it: drawing and expecting
    every case, and running it where its clause acts."""
    named: tuple[str, ...] = ()
    """The clause named first in each of those cases."""
    named_unknown: tuple[str, ...] = ()


class LegalScore(Struct, frozen=True, kw_only=True):
    """The score of one legal variant: every failure is a false alarm."""

    name: str
    spec: str
    failed: int
    cases: int
    judged: int
    """Elements judged."""


class Score(Struct, frozen=True, kw_only=True):
    """The score of the case lists of some specifications."""

    tier: str
    seed: int
    cases: int
    faults: tuple[FaultScore, ...]
    legal: tuple[LegalScore, ...]

    @property
    def perfect(self) -> bool:
        """Whether everything is caught and blamed correctly, without false alarms."""
        return all(fault.killed and fault.blamed for fault in self.faults) and not any(
            variant.failed for variant in self.legal
        )


@dataclass(slots=True)
class _Tally:
    """The measurements of one process: positions in the list and seconds."""

    drawn: dict[int, float] = field(default_factory=dict)
    """Position -> seconds to draw and expect the case."""
    kills: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    ran: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    """Counterfactual -> position -> seconds that it ran."""
    legal: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    """Variant -> failed cases, cases, elements."""

    def add(self, other: _Tally) -> None:
        """Add the measurements of another process."""
        self.drawn.update(other.drawn)
        for name, positions in other.kills.items():
            self.kills[name] = sorted([*self.kills[name], *positions])[:KILLS]
        for name, seconds in other.ran.items():
            self.ran[name].update(seconds)
        for name, counts in other.legal.items():
            self.legal[name] = [a + b for a, b in zip(self.legal[name], counts, strict=True)]

    def plain(self) -> _Tally:
        """A copy without the parts that cannot be sent to another process."""
        return _Tally(self.drawn, dict(self.kills), dict(self.ran), dict(self.legal))


def score(
    specs: Sequence[str],
    tier: str,
    seed: int,
    workers: int,
    progress: Progress,
    parts: Sequence[str] = PARTS,
) -> Score:
    """Score the case lists of ``specs`` in so many processes. Raises ``BadInput`` for unknown names."""
    faults: list[FaultScore] = []
    legal: list[LegalScore] = []
    cases = 0
    with processes(workers) as run:
        for spec in specs:
            recipes = listed_whole(spec, tier, seed)
            cases += len(recipes)
            seen = _Tally()
            step = max(workers, -(-len(recipes) // STRIP))
            strips = [_Strip(recipes[start::step], start, step, tuple(parts)) for start in range(step)]
            strips += [one for variant in _elsewhere(spec, parts) for one in _own_strips(variant, spec, tier, seed)]
            for part in run(_judge_strip, strips, progress):
                seen.add(part)
            todo = [(name, [recipes[at] for at in positions]) for name, positions in sorted(seen.kills.items())]
            named = dict(run(_named_first, todo, progress))
            if "faults" in parts:
                faults.extend(
                    _of_fault(seen, fault, named) if fault.misreports is None else _of_report(fault)
                    for fault in planted(spec)
                )
            legal.extend(
                LegalScore(name=name, spec=spec, failed=failed, cases=count, judged=judged)
                for name, (failed, count, judged) in sorted(seen.legal.items())
            )
    return Score(tier=tier, seed=seed, cases=cases, faults=tuple(faults), legal=tuple(legal))


def _elsewhere(spec: str, parts: Sequence[str]) -> list[LegalVariant]:
    """The legal variants that report caps of their own: they have a case list of their own as well."""
    return [variant for variant in LEGAL.values() if spec in variant.caps] if "legal" in parts else []


def _own_strips(variant: LegalVariant, spec: str, tier: str, seed: int) -> list[_Strip]:
    """The list under a variant's own caps. Nothing is planted in it."""
    recipes = listed(spec, variant.caps[spec], tier, seed)
    step = -(-len(recipes) // STRIP)
    return [_Strip(recipes[start::step], start, step, ("legal",), variant.name) for start in range(step)]


def planted(spec: str) -> tuple[Fault, ...]:
    """Every counterfactual and every defect of a specification that differs in some row of its devices."""
    found = spec_named(spec)
    tags = [row.tags for row in every_row(found)]
    return tuple(
        fault
        for fault in (*faults_of(spec), *defects_of(spec))
        if any(
            found.catalogue.applies(fault.clause, row) and (not fault.rows or not row.isdisjoint(fault.rows))
            for row in tags
        )
    )


def _of_fault(seen: _Tally, fault: Fault, named: dict[str, _Named]) -> FaultScore:
    name, clause = fault.name, fault.clause
    right = {clause, *fault.also}
    found, unknown = named.get(name, ((), ()))
    seconds = None
    if seen.kills.get(name):
        first = seen.kills[name][0]
        seconds = sum(taken for at, taken in seen.drawn.items() if at <= first)
        seconds += sum(taken for at, taken in seen.ran[name].items() if at <= first)
    return FaultScore(
        name=name,
        spec=fault.spec,
        family=fault.family,
        clause=clause,
        killed=seconds is not None,
        blamed=_mostly(found, right),
        blamed_unknown=_mostly(unknown, right),
        first_kill_s=None if seconds is None else round(seconds, 3),
        named=found,
        named_unknown=unknown,
    )


def _of_report(fault: Fault) -> FaultScore:
    """The score of a counterfactual that only misreports its caps: they are judged before any case."""
    assert fault.misreports is not None
    started = time.perf_counter()
    spec = spec_named(fault.spec)
    found = tuple(breach.clause for _, breach in spec.reported(fault.misreports(spec.default_caps)).breaches())
    blamed = _mostly(found, {fault.clause})
    return FaultScore(
        name=fault.name,
        spec=fault.spec,
        family=fault.family,
        clause=fault.clause,
        killed=bool(found),
        blamed=blamed,
        blamed_unknown=blamed,
        first_kill_s=round(time.perf_counter() - started, 3) if found else None,
        named=found[:KILLS],
        named_unknown=found[:KILLS],
    )


def _mostly(names: Sequence[str], right: Collection[str]) -> bool:
    """Whether more than half of the names are right."""
    return 2 * sum(name in right for name in names) > len(names)


@dataclass(frozen=True, slots=True)
class _Strip:
    """Every n-th case of a list, for one process."""

    recipes: Sequence[Recipe]
    start: int
    step: int
    parts: tuple[str, ...]
    variant: str = ""
    """The only legal variant that it is for; empty for all those without caps of their own."""


def _judge_strip(strip: _Strip) -> _Tally:
    """Judge some cases on every backend; each is drawn once and its expectation computed once."""
    seen = _Tally()
    if not strip.recipes:
        return seen
    spec = spec_named(strip.recipes[0].spec)
    faults = planted(spec.name) if "faults" in strip.parts else ()
    chosen = [LEGAL[strip.variant]] if strip.variant else [v for v in LEGAL.values() if spec.name not in v.caps]
    variants = [(variant, variant.make()) for variant in chosen if spec.name in variant.specs]
    for number, recipe in enumerate(strip.recipes):
        if "faults" not in strip.parts and recipe.target:
            continue  # near misses say nothing of legal variants
        at = strip.start + number * strip.step
        started = time.perf_counter()
        case = materialise(recipe)
        by_reading = expect_by_reading(case, PRACTICE)
        if not strip.variant:
            seen.drawn[at] = time.perf_counter() - started
        wanted = (fault for fault in faults if len(seen.kills[fault.name]) < KILLS)
        for fault in candidates(case, by_reading, wanted):
            started = time.perf_counter()
            if caught(made(fault, case.caps), case, by_reading):
                seen.kills[fault.name].append(at)
            seen.ran[fault.name][at] = time.perf_counter() - started
        if "legal" in strip.parts and isinstance(by_reading.first, Defined):
            tags = spec.row(case.caps, case.row).tags
            practice = by_reading, _judged(by_reading)
            for variant, backend in variants:
                if not tags.isdisjoint(variant.rows):
                    backend.report(spec.name, case.caps)  # a list may have several devices
                    demanded, judged = practice
                    declared = effective(backend.describe().profile, None, variant.authority)
                    if variant.authority == "document":
                        declared = DOCUMENT
                    if declared != PRACTICE:
                        demanded = expect_by_reading(case, declared)
                        judged = _judged(demanded)
                    counts = seen.legal[variant.name]
                    counts[0] += wrong(backend, case, demanded, 1)  # units know nothing of memory
                    counts[1] += 1
                    counts[2] += judged
    return seen.plain()


def _judged(by_reading: ByReading) -> int:
    """The number of judged elements of a valid program."""
    assert isinstance(by_reading.first, Defined)
    return sum(
        int(((region.legal.why == 0) & np.broadcast_to(region.live, region.legal.why.shape)).sum())
        for region in by_reading.first.regions
    )


def caught(backend: Runner, case: Case, by_reading: ByReading) -> bool:
    """Whether a case fails a backend; ``by_reading`` comes from the ``practice`` profile."""
    if isinstance(by_reading.first, Rejected):
        return accepts(backend, case)
    return isinstance(by_reading.first, Defined) and escapes(backend, case, by_reading)


def _named_first(task: tuple[str, Sequence[Recipe]]) -> tuple[str, _Named]:
    """The clause named first in each of some cases that catch a counterfactual, known and as if unknown.

    Once one of `KILLS` names has the majority, the rest cannot change it and is not looked at.
    """
    name, recipes = task
    fault = fault_named(name)
    named: dict[tuple[str, ...], list[str]] = {(): [], (name,): []} if fault.family == "clause" else {(): []}
    for recipe in recipes:
        case = materialise(recipe)
        by_reading = expect_by_reading(case, PRACTICE)
        backend = made(fault, case.caps)
        for struck, found in named.items():
            if max(Counter(found).values(), default=0) > KILLS // 2:
                continue
            case_judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0, unknown=struck)
            finding = case_judge.judge(case, recipe.id, by_reading)[0].finding
            found.append(finding.blamed[0] if finding is not None and finding.blamed else "")
    return name, (tuple(named[()]), tuple(named.get((name,), named[()])))
