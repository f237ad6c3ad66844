"""A specification under one table of caps: what is wrong with the cases that are drawn for it, in words."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.enumerate import DEFAULT_SEED, GrammarError, Lister, NothingDrawn, Tier, closure, grammar_of
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.sensitivity import wrong

REDUCED = Tier(factor=1, near_misses=1)
"""One case of each template: of some rows all are listed, and some of those are run, with one item."""


@dataclass(frozen=True, slots=True)
class Strict(Lister):
    """A lister that keeps what went wrong, where the suite would leave the case out."""

    wrong: list[str] = field(default_factory=list)

    def kept(self, make: Callable[[], Recipe | None]) -> Recipe | None:
        """The result of ``make``; None where there is nothing to break under these caps, or something is wrong."""
        try:
            return make()
        except NothingDrawn:
            return None
        except GrammarError as error:
            self.wrong.append(str(error))
        except Exception as error:  # noqa: BLE001 - the suite would end in a traceback
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.wrong.append(f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})")
        return None


def problems(
    spec_name: str, caps: Any, choices: Choices, counts: Counter[str], *, most: int = 2, runs: int = 6
) -> Iterator[str]:
    """Everything that is wrong in ``most`` rows of a table, of which ``runs`` cases each are run on the numpy backend.

    ``counts`` counts tables, rows, cases listed, near misses refused and cases run.
    """
    spec = spec_named(spec_name)
    lister = Strict(spec, grammar_of(spec_name), caps, DEFAULT_SEED)
    backend = NumpyBackend(ExactUnit(), {spec_name: DEVICES[spec_name]})
    backend.report(spec_name, caps)
    rows = list(spec.rows(caps))
    counts["tables"] += 1
    for _ in range(min(most, len(rows))):
        row: Row[object] = choices.one_of(rows)
        rows.remove(row)
        counts["rows"] += 1
        valid, invalid = list(lister.positive(row, REDUCED)), list(lister.near_misses(row, REDUCED))
        counts["cases"] += len(valid)
        counts["near misses"] += len(invalid)
        for recipe in invalid:
            yield from _near_miss(backend, recipe)
        for _ in range(min(runs, len(valid))):
            recipe = choices.one_of(valid)
            valid.remove(recipe)
            counts["run"] += 1
            yield from _valid(backend, recipe)
    yield from lister.wrong


def _near_miss(backend: NumpyBackend, recipe: Recipe) -> Iterator[str]:
    """Rejected by its target, what that entails and nothing else; refused by the device for the same."""
    case = materialise(recipe)
    wanted = closure(spec_named(recipe.spec).catalogue, recipe.target)
    answer = expect_by_reading(case, PRACTICE).first
    if not isinstance(answer, Rejected) or answer.clauses != wanted:
        yield f"near miss of {recipe.target} in {recipe.row}: {answer}"
    try:
        backend.run(case.spec, case.program, outline(case))
    except Refused as refusal:
        if set(refusal.clauses) != wanted:
            yield f"near miss of {recipe.target} in {recipe.row}: numpy says {', '.join(refusal.clauses)}"
    else:
        yield f"near miss of {recipe.target} in {recipe.row}: not refused by numpy"


def _valid(backend: NumpyBackend, recipe: Recipe) -> Iterator[str]:
    """Defined, and legally answered by the numpy backend."""
    case = materialise(replace(recipe, batch=1))
    by_reading = expect_by_reading(case, PRACTICE)
    if not isinstance(by_reading.first, Defined):
        yield f"{recipe.template} in {recipe.row}: {by_reading.first}"
    elif wrong(backend, case, by_reading, 1):
        yield f"{recipe.template} in {recipe.row}: the numpy backend's answer is illegal"
