"""In whatever order clauses are suspected, those that no case can show to be broken come last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.suites.judging.blaming.suspects import by_refinement, values_first, widest

Order = Callable[[Catalogue, Sequence[str]], tuple[str, ...]]


@pytest.mark.parametrize("spec", ours())
@pytest.mark.parametrize("order", [by_refinement, values_first, widest])
def test_what_cannot_be_shown_comes_last(order: Order, spec: str) -> None:
    catalogue = spec_named(spec).catalogue
    mute = [bool(catalogue.clause[name].why_not) for name in order(catalogue, sorted(catalogue.clause))]
    assert set(mute) == {False, True}
    assert mute == sorted(mute)


@pytest.mark.parametrize("spec", ours())
def test_of_two_the_narrower_comes_first(spec: str) -> None:
    catalogue = spec_named(spec).catalogue
    testable = [name for name, clause in sorted(catalogue.clause.items()) if not clause.why_not]
    place = {name: number for number, name in enumerate(by_refinement(catalogue, testable))}
    pairs = [(name, wider) for name in testable for wider in catalogue.clause[name].refines if wider in place]
    assert pairs
    assert all(place[name] < place[wider] for name, wider in pairs)
