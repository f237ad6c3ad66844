"""What is asked of the arrays of a specification of kernels on registers, device by device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import ROW, instead, tuples
from mmaspec.strategies.axes.observation import Observer, Subject, Thing, seen
from mmaspec.strategies.axes.reached import contradictions, excluded_pairs
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Array, Chosen
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.strategies.register_kernels.observations import (
    argument,
    buffer,
    fill,
    fragment,
    load,
    loop,
    product,
    program,
    sequence,
    store,
    tiling,
)
from mmaspec.suites.judging.judge_case import CaseJudge

EVERY = 4
"""Without --long one case of so many is looked at; `mmaspec check` judges all of them."""

PARTS = (program, buffer, fragment, argument, load, store, fill, product, sequence, loop, tiling)


Things = Callable[[Subject], Iterator[Thing]]


def structure(subject: Subject) -> Iterator[Thing]:
    """Everything but elements and operands, whose tables cost most, and whose axes no array chooses."""
    for part in PARTS:
        yield from part.things(subject)


class Arrays:
    """The arrays of a specification, as one device has them (None: that of the default caps).

    ``own`` are things that it alone has.
    """

    def __init__(self, spec_name: str, observer: Observer, caps: Any = None, own: Things | None = None) -> None:
        self._own: Things = own or (lambda _: iter(()))
        self.spec = spec_named(spec_name)
        self.caps = self.spec.default_caps if caps is None else caps
        self.observer, self.space = observer, space_of(spec_name)
        self.strength = TIERS["smoke"].strength
        self._lister = Lister(self.spec, grammar_of(spec_name), self.caps, DEFAULT_SEED)
        self.cases = cache(self._cases)

    def _things(self, subject: Subject) -> Iterator[Thing]:
        yield from structure(subject)
        yield from self._own(subject)

    def named(self, name: str) -> Array:
        """One array."""
        return arrays_of(self.spec.name)[name]

    def chosen(self, name: str) -> tuple[Chosen, ...]:
        """The classes of its cases."""
        return tuples(self.named(name), self.caps, self.spec.rows(self.caps), self.strength)

    def _met(self, name: str, chosen: Chosen) -> Recipe | None:
        return self._lister.met(self.spec.row(self.caps, chosen[ROW]), self.named(name), chosen)

    def _cases(self, name: str) -> tuple[tuple[Chosen, Recipe | None], ...]:
        return tuple((one, self._met(name, one)) for one in self.chosen(name))

    def made(self, name: str) -> Iterator[tuple[Chosen, Recipe]]:
        """The cases that can be made, and the classes chosen for each."""
        yield from ((chosen, recipe) for chosen, recipe in self.cases(name) if recipe is not None)

    def looked_at(self, name: str, times: int) -> list[tuple[Chosen, Recipe]]:
        """Some of the cases, or all."""
        return list(self.made(name))[:: 1 if times > 1 else EVERY]

    def shows_what_was_chosen(self, name: str, times: int = 1) -> None:
        """Every case has its classes, and no contradiction."""
        axes = {*self.named(name).axes, "argument-grid", "argument-row", "waves", "tile-owner"}
        looks = {axis: look for axis, look in self.observer.looks.items() if axis in axes}
        observer = replace(self.observer, looks=looks, things=self._things)
        for chosen, recipe in self.looked_at(name, times):
            found = list(seen(materialise(recipe), observer, self.space))
            assert [rule.together for rule, _ in contradictions(self.space, found)] == []
            shown = {(axis, one) for thing in found for axis, classes in thing.classes.items() for one in classes}
            missing = {(axis, one) for axis, one in chosen.items() if axis in self.space.axis} - shown
            assert not missing, f"{dict(chosen)}: {sorted(missing)}"

    def is_of_the_space(self, name: str, own: set[str]) -> None:
        """Axes and classes are those of the parameter space, but for axes of its own."""
        array = self.named(name)
        assert array.axes.keys() - own <= self.space.axis.keys()
        for axis, classes in array.axes.items():
            assert axis in own or set(classes) <= self.space.axis[axis].classes.keys(), axis

    def chooses_nothing_impossible(self, name: str) -> None:
        """No two classes that exclude each other."""
        excluded = excluded_pairs(self.space)
        for chosen in self.chosen(name):
            pairs = [frozenset(pair) for pair in combinations(chosen.items(), 2)]
            assert [sorted(pair) for pair in pairs if pair in excluded] == []

    def loses_no_pair(self, name: str) -> None:
        """Few cases cannot be made, and what met in them meets elsewhere."""
        lost = [chosen for chosen, recipe in self.cases(name) if recipe is None]
        assert len(lost) <= len(self.cases(name)) // 10
        there = [chosen for chosen, _ in self.made(name)]
        for chosen in lost:
            row = self.spec.row(self.caps, chosen[ROW])
            for others in instead(self.named(name), self.caps, row, chosen, list(there), self.strength):
                there += [other for other in others if self._met(name, other)][:1]
        pairs = {pair for chosen in there for pair in combinations(sorted(chosen.items()), self.strength)}
        assert not {pair for chosen in lost for pair in combinations(sorted(chosen.items()), self.strength)} - pairs

    def is_judged_and_passed(self, name: str, times: int = 1) -> None:
        """By the reference device."""
        device = resolve("numpy")
        for chosen, recipe in self.looked_at(name, times):
            judge = CaseJudge(device, device.describe(), PRACTICE, {recipe.id: ()}, limit=0)
            found = judge.judge_listed(recipe)[0]
            assert found.outcome == "legal", dict(chosen)
            assert found.judged, dict(chosen)

    def keeps_promises(self, name: str, promised: dict[str, str]) -> None:
        """Elements and operands of its cases have these classes, by axis."""
        wanted = {(axis, one) for axis, classes in promised.items() for one in classes.split()}
        turns: Counter[str] = Counter()
        made: list[tuple[int, Recipe]] = []  # the first case of every regime, the second, ...
        for chosen, recipe in self.made(name):
            turns[chosen.get("data", "")] += 1
            made.append((turns[chosen.get("data", "")], recipe))
        for _, recipe in sorted(made, key=lambda one: one[0]):
            for thing in seen(materialise(recipe), self.observer, self.space):
                wanted.difference_update((axis, one) for axis, classes in thing.classes.items() for one in classes)
            if not wanted:
                break
        assert not wanted, " ".join(f"{axis}={one}" for axis, one in sorted(wanted))
