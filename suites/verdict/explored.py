"""What exploration found: cases beyond the list, told apart from it because they count for no clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.plan import Planned
from mmaspec.suites.verdict.groups import findings_of
from mmaspec.suites.verdict.model import Exploration, SpecResult
from mmaspec.suites.verdict.verdicts import fails


def exploration_of(
    told: Sequence[Result],
    results: Sequence[Result],
    specs: Mapping[str, SpecResult],
    authority: str,
    cases: Sequence[Planned],
) -> dict[str, Exploration]:
    """Specification -> what its explored cases found.

    ``results`` are those of all explored cases under the authority of the run; ``told`` are the same as findings speak
    of them. What a finding's cases share is compared with other explored cases.
    """
    explored = [planned for planned in cases if planned.explored]
    found = {}
    for name in specs:
        mine = [result for result in results if result.spec == name]
        if mine:
            found[name] = Exploration(
                cases=len(mine),
                outcomes=dict(sorted(Counter(result.outcome for result in mine).items())),
                failed=sum(fails(result, authority) for result in mine),
                findings=findings_of([one for one in told if one.spec == name], specs, authority, explored),
            )
    return found


def beyond(exploration: Mapping[str, Exploration]) -> str:
    """How many explored cases fail, as the end of a headline; empty if none does."""
    failed = sum(one.failed for one in exploration.values())
    every = sum(one.cases for one in exploration.values())
    return f"; {failed} of {every} explored case{'s' * (every != 1)} fail{'s' * (failed == 1)}" if failed else ""
