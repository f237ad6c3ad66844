"""The score of case lists on mutants: how many of those drawn some case notices.

A mutant is judged as ``mmaspec check numpy`` would judge it, under the profile that the reference device declares.
Only cases that execute what was changed are run: no other can tell it from the device as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import ours
from mmaspec.suites.planning.lists import listed_whole
from mmaspec.suites.pool import Progress
from mmaspec.suites.score.mutants.crew import Crew, Work
from mmaspec.suites.score.mutants.drawing import Mutant, Reached, drawn
from mmaspec.suites.score.mutants.operators import OPERATORS
from mmaspec.suites.score.mutants.planting import PLUMBING, place_of, planted, text_of
from mmaspec.suites.score.mutants.reviewed import equivalents, key_of

LOUD = frozenset({"raised", "hung", "died"})
"""Ways of being noticed that need no judge."""
LIMIT = 30.0
"""Seconds for one case; what takes longer hangs."""


class Judged(Struct, frozen=True, kw_only=True):
    """A mutant, and what became of it."""

    module: str
    file: str
    """Last folders and name of its file."""
    line: int
    function: str
    operator: str
    text: str
    """The line on which the change begins."""
    before: str
    after: str
    kind: str
    """How it was noticed: illegal, refused, raised, accepted, hung or died; empty: not at all."""
    case: str
    """ID of the case that noticed it."""
    why: str = ""
    """Why it is no mistake, where that was judged."""

    @property
    def state(self) -> str:
        """``killed``, ``equivalent``, or ``survivor``; one that a case notices is killed, whatever was judged."""
        return "killed" if self.kind else "equivalent" if self.why else "survivor"


class Count(Struct, frozen=True, kw_only=True):
    """How many mutants came to what."""

    name: str
    drawn: int
    killed: int
    loud: int
    """Of those killed, the ones that broke down, hung or died: any case would have noticed them."""
    equivalent: int

    @property
    def survivors(self) -> int:
        """Those that nobody noticed and nobody has judged."""
        return self.drawn - self.killed - self.equivalent

    @property
    def rate(self) -> float | None:
        """Killed, of those that are mistakes; None if there are none."""
        mistakes = self.drawn - self.equivalent
        return self.killed / mistakes if mistakes else None

    @property
    def silent_rate(self) -> float | None:
        """The same for those that answer, rightly or wrongly, whatever they are asked; None if there are none."""
        silent = self.drawn - self.equivalent - self.loud
        return (self.killed - self.loud) / silent if silent else None


class SpecMutants(Struct, frozen=True, kw_only=True):
    """The mutants of one specification."""

    spec: str
    cases: int
    possible: int
    """Mutants that could be drawn."""
    whole: Count
    operators: tuple[Count, ...]
    mutants: tuple[Judged, ...]
    """In the order in which they were drawn."""


class MutantScore(Struct, frozen=True, kw_only=True):
    """The score of the case lists of some specifications."""

    tier: str
    seed: int
    specs: tuple[SpecMutants, ...]

    @property
    def perfect(self) -> bool:
        """Whether there is no survivor that nobody has judged."""
        return not any(spec.whole.survivors for spec in self.specs)


def score_mutants(
    specs: Sequence[str], tier: str, seed: int, number: int, workers: int, progress: Progress
) -> MutantScore:
    """Draw and try ``number`` mutants of each specification. Raises ``BadInput`` for one that is not ours."""
    if foreign := [spec for spec in specs if spec not in ours()]:
        raise BadInput(f"{foreign[0]}: mutants are made of the reference devices of {', '.join(ours())}")
    return MutantScore(
        tier=tier, seed=seed, specs=tuple(_of_spec(spec, tier, seed, number, workers, progress) for spec in specs)
    )


def _of_spec(spec: str, tier: str, seed: int, number: int, workers: int, progress: Progress) -> SpecMutants:
    backend, modules = planted(spec, {})
    recipes = listed_whole(spec, tier, seed)
    sources = {module: text_of(module) for module in sorted(modules) if module not in PLUMBING}
    work = Work(recipes, backend.describe().profile, LIMIT)
    with Crew(workers, work) as crew:
        found = drawn(sources, reach(crew, len(recipes), workers, progress), seed)
        tried = _tried(crew, found, number, progress)
    judged = tuple(tried)
    return SpecMutants(
        spec=spec,
        cases=len(recipes),
        possible=len(found),
        whole=_count("", judged),
        operators=tuple(_count(name, [one for one in judged if one.operator == name]) for name in OPERATORS),
        mutants=judged,
    )


def reach(crew: Crew, cases: int, workers: int, progress: Progress) -> dict[str, dict[int, int]]:
    """Module -> line -> the cases that execute it, a bit for each.

    Raises ``ValueError`` if a case fails the device as it is: it would notice every mutant.
    """
    found: dict[str, dict[int, int]] = {}
    step = max(1, min(cases, 4 * max(1, workers)))
    for lines, wrong in crew.traced([range(start, cases, step) for start in range(step)], progress):
        if wrong:
            raise ValueError(f"case {wrong[0]} of the list fails the reference device as it is")
        for at, by_module in lines.items():
            for module, seen in by_module.items():
                own = found.setdefault(module, {})
                for line in seen:
                    own[line] = own.get(line, 0) | 1 << at
    return found


def _tried(crew: Crew, found: Sequence[Reached], number: int, progress: Progress) -> list[Judged]:
    """The first so many that can be imported at all, tried."""
    judged: list[Judged] = []
    at = 0
    while len(judged) < number and at < len(found):
        batch = found[at : at + number - len(judged)]
        at += len(batch)
        for reached, outcome in zip(batch, crew.outcomes(batch, progress), strict=True):
            if outcome.kind != "stillborn":
                judged.append(_judged(crew.spec, reached.mutant, outcome.kind, outcome.case))
    return judged


def _judged(spec: str, mutant: Mutant, kind: str, case: str) -> Judged:
    change = mutant.mutation
    entry = equivalents().get(key_of(mutant))
    file = place_of(mutant.module)
    return Judged(
        module=mutant.module,
        file="/".join(file.parts[-2 if file.parent.name == "numpy" else -3 :]),
        line=change.line,
        function=change.function,
        operator=change.operator,
        text=mutant.text,
        before=change.before,
        after=change.after,
        kind=kind,
        case=case,
        why="" if entry is None or (entry.specs and spec not in entry.specs) else entry.why,
    )


def _count(name: str, judged: Sequence[Judged]) -> Count:
    states = [one.state for one in judged]
    return Count(
        name=name,
        drawn=len(judged),
        killed=states.count("killed"),
        loud=sum(one.kind in LOUD for one in judged),
        equivalent=states.count("equivalent"),
    )
