"""The findings of a run: failing cases that fail alike, with what they share and the case files that show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs import tree
from mmaspec.strategies.recipe import decode_recipe
from mmaspec.suites.judging.kind import EVIDENCE, kind_of
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.repeats.unstable import how_often
from mmaspec.suites.judging.telling.finding import grade
from mmaspec.suites.judging.telling.found import found_in
from mmaspec.suites.planning.plan import Planned
from mmaspec.suites.verdict.chance import Holders
from mmaspec.suites.verdict.features import Features, features
from mmaspec.suites.verdict.linked import linked
from mmaspec.suites.verdict.model import FindingGroup, SpecResult
from mmaspec.suites.verdict.refuted import SOMETIMES
from mmaspec.suites.verdict.shared import shared
from mmaspec.suites.verdict.uncollected import uncollected
from mmaspec.suites.verdict.verdicts import fails
from mmaspec.suites.verdict.worked import worked_out

Kinds = dict[tuple[str, tuple[str, str]], list[Result]]
"""Specification, and clause and cause -> the cases that fail so."""

COMPARED = 20
"""Of how many findings it is told what their cases share: the largest ones."""


Filed = Callable[[Result], Case | None]
"""The case of the file of a failing result; None where it has none, or it is not to be had."""


def no_files(_: Result) -> None:
    """Where case files are not looked at."""


def findings_of(
    results: Sequence[Result],
    specs: Mapping[str, SpecResult],
    authority: str,
    cases: Sequence[Planned] = (),
    filed: Filed = no_files,
) -> list[FindingGroup]:
    """Failing cases grouped by kind, the largest group first; those that fail no run say so.

    ``cases`` is the case list; without it nothing can be told of what the cases of a group share. ``filed`` gives
    their files, of which that of the case that is shown has to have it as well.
    """
    kinds: Kinds = {}
    for result in results:
        if result.finding is not None:
            kinds.setdefault((result.spec, kind_of(result.finding)), []).append(result)
    kinds = _without_accidents(kinds)
    ranked = sorted(kinds.items(), key=lambda kind: (-len(kind[1]), kind[0]))
    comparison = _Comparison(results, cases, filed)
    with uncollected():
        shares = [
            comparison.of(members) if rank < COMPARED else ""  # hardly anybody reads the small ones
            for rank, (_, members) in enumerate(ranked)
        ]
        every = [members for _, members in ranked]
        groups = [_group(own, specs, authority, share, filed) for own, share in zip(every, shares, strict=True)]
        return linked(groups, every, comparison.of)


def _without_accidents(kinds: Kinds) -> Kinds:
    """The kinds with one for a clause of which some cases have no cause: the others may have theirs by accident."""
    found: Kinds = {}
    for (spec, (clause, cause)), members in kinds.items():
        known = cause if (spec, (clause, "")) not in kinds else ""
        found.setdefault((spec, (clause, known)), []).extend(members)
    # The first one shows the finding: one that claims no more than all do.
    return {
        kind: sorted(members, key=lambda member: bool(member.finding and member.finding.cause != kind[1][1]))
        for kind, members in found.items()
    }


def _group(
    members: Sequence[Result], specs: Mapping[str, SpecResult], authority: str, shares: str, filed: Filed
) -> FindingGroup:
    counts = Counter(member.finding.cause for member in members if member.finding is not None)
    cause = next(iter(counts)) if len(counts) == 1 else ""
    # In few values many mistakes look alike: one that most of the cases rule out is not offered.
    causes = sorted(one for one, count in counts.items() if one and 2 * count > len(members))
    shown = shown_of(members, filed)
    others = [member for member in members if member.example and member is not shown]
    assert shown.finding is not None
    clause = shown.finding.blamed[0] if shown.finding.blamed else ""
    symptom = "" if clause and shown.finding.symptom != "reported" else shown.finding.symptom
    says = shown.finding.says.removeprefix("unstable: ") + how_often(shown.finding)
    found = specs[shown.spec].clauses.get(clause) if shown.spec in specs else None
    if found is not None and not any(fails(member, authority) for member in members):
        says = f"it does not count: {found.why}; {says}"
    if symptom == "unstable" and not any(fails(member, authority) for member in members):
        says = f"it does not count: by the documents every answer is legal; {says}"
    return FindingGroup(
        clause=clause,
        cause=cause,
        candidates=() if cause else _each_once((*shown.finding.candidates, *causes)),
        suspects=shown.finding.blamed[1:],
        says=says,
        cases=len(members),
        example=shown.example,
        case=shown.case,
        evidence=tuple(member.example for member in others[:EVIDENCE]),
        shares="" if symptom == "unstable" else shares,  # which cases it hits is chance
        symptom=symptom,
        spec=shown.spec,
        grade=grade(shown.finding),
        sum=_worked_out(filed(shown)),
    )


def _each_once(texts: Sequence[str]) -> tuple[str, ...]:
    """Likely causes, each once: one that is told for all programs is not told for some of them as well."""
    narrower = {f"{text}{SOMETIMES}" for text in texts}
    return tuple(text for text in dict.fromkeys(texts) if text not in narrower)


def _worked_out(case: Case | None) -> str:
    """The sum behind what is wrong in a case from a file; empty where it says nothing of that, or it is no sum."""
    found = None if case is None else found_in(case)
    if case is None or found is None or found.shown.element is None or found.shown.symptom != "value":
        return ""
    return worked_out(case, found.shown.element, found.shown.place, found.profile)


def shown_of(members: Sequence[Result], filed: Filed) -> Result:
    """The case that a finding speaks of: of those whose files it lists the one with the fewest instructions.

    ``members`` are the cases that fail so; the first one, where none has a file.
    """
    listed = [member for member in members if member.example][: 1 + EVIDENCE]
    if not listed:
        return members[0]
    plain = [member for member in listed if _cause(member) == _cause(listed[0])]  # it claims no more than all do
    return min(plain, key=lambda member: _length(filed(member)))


def _cause(member: Result) -> str:
    return member.finding.cause if member.finding is not None else ""


def _length(case: Case | None) -> int:
    return 0 if case is None else sum(1 for _ in tree.walk(case.program))


class _Comparison:
    """The cases of a run by what can be said of them, told when first asked for."""

    def __init__(self, results: Sequence[Result], cases: Sequence[Planned], filed: Filed) -> None:
        self._results, self._filed = results, filed
        self._planned = {planned.id: planned for planned in cases}
        self._rows: dict[str, dict[str, Row[object]]] = {}
        self._holders: dict[tuple[str, frozenset[bool]], tuple[dict[str, int], Holders]] = {}

    def of(self, failing: Sequence[Result]) -> str:
        """What failing cases of one specification share that none of its legal cases has; empty if nothing is known.

        Programs that were run are compared with such, and near misses, which were not, with near misses.
        """
        if len(failing) < 2 or not all(member.case in self._planned for member in failing):
            return ""
        like = self._like(failing)
        numbers, known = self._known(like, failing)
        passing = [numbers[result.case] for result in like if result.outcome == "legal"]
        shown = shown_of(failing, self._filed)
        case = self._filed(shown)
        smallest = None if case is None else self._of(shown, case)
        return shared(known, [numbers[member.case] for member in failing], passing, smallest=smallest)

    def _like(self, failing: Sequence[Result]) -> list[Result]:
        """The results of all cases with which these can be compared, themselves included."""
        targets = {bool(member.target) for member in failing}
        return [
            result
            for result in self._results
            if result.spec == failing[0].spec and bool(result.target) in targets and result.case in self._planned
        ]

    def _known(self, like: Sequence[Result], failing: Sequence[Result]) -> tuple[dict[str, int], Holders]:
        """The numbers of cases that can be compared, and what can be said of them: the same for many findings."""
        key = failing[0].spec, frozenset(bool(member.target) for member in failing)
        if key not in self._holders:
            numbers = {result.case: number for number, result in enumerate(like)}
            self._holders[key] = numbers, Holders([self._of(result) for result in like])
        return self._holders[key]

    def _of(self, result: Result, case: Case | None = None) -> Features:
        """What can be said of a case, or of what is left of it in ``case``; what the list says of it stays."""
        # That it is the recipe of its ID was seen when the case was judged.
        recipe = decode_recipe(bytes(self._planned[result.case].recipe), f"case {result.case}")
        if recipe.spec not in self._rows:  # every case of a list has the same caps
            self._rows[recipe.spec] = {row.name: row for row in spec_named(recipe.spec).rows(recipe.caps)}
        if case is not None:
            recipe = replace(recipe, program=case.program, words=case.words, batch=case.batch)
        return features(recipe, self._rows[recipe.spec][recipe.row])
