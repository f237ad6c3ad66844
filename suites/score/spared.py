"""Counterfactuals that need not be tried on what a larger list adds to the default smoke list.

Trying all of them takes several times as long as judging the case, and their only use is to show that a pass proves
something. The stored sensitivities show that already for most cells, by cases that the larger lists have as well.
Which cells they are follows from the list alone, so the reports of any number of workers and shards are the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from mmaspec.backends.faults import faults_of
from mmaspec.suites.planning.plan import Planned, spec_of
from mmaspec.suites.score import shipped

ENOUGH = 3
"""So many cases of a list, known to be sensitive, prove a clause in a row even where the backend fails one or two."""

Spared = Mapping[tuple[str, str], frozenset[str]]
"""Specification and caps row -> counterfactuals whose clauses enough cases of the row are known to prove."""


class _Where(msgspec.Struct):
    """What this module has to know of a recipe."""

    row: str


def spared(spec: str, cases: Iterable[Planned]) -> Spared:
    """The counterfactuals that need not be tried on the cases of this list whose sensitivity is not stored.

    ``cases`` are those of the whole list, of this and of other specifications. Nothing is spared where no stored
    sensitivity belongs to the list: that of a device with caps of its own.
    """
    known = shipped.known(spec)
    cases = [planned for planned in cases if spec_of(planned) == spec]
    if all(planned.id in known for planned in cases):
        return {}
    clause_of = {fault.name: fault.clause for fault in faults_of(spec)}
    counts: Counter[tuple[str, str]] = Counter()
    for planned in cases:
        if names := known.get(planned.id):
            row = msgspec.json.decode(planned.recipe, type=_Where).row
            counts.update((row, clause) for clause in {clause_of[name] for name in names})
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for (row, clause), count in counts.items():
        if count >= ENOUGH:
            found[spec, row].update(name for name, of in clause_of.items() if of == clause)
    return {cell: frozenset(names) for cell, names in found.items()}
