"""What a case list reaches of the parameter space of its specification."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import ours
from mmaspec.programs.tree import Path
from mmaspec.strategies.axes.observation import Observer, observer_of, seen
from mmaspec.strategies.axes.reached import Class, Reached, excluded_pairs, never, possible_classes, possible_pairs
from mmaspec.strategies.axes.space import Impossible, Space, space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, whole_list
from mmaspec.strategies.recipe import materialise

Told = Callable[[int, int], None]
"""Takes how many cases are looked through, and of how many."""

Matters = Callable[[Case], Collection[Path]]
"""The instructions of a case on which something judged depends."""


@dataclass(frozen=True, slots=True)
class GroupReach:
    """How much of one group of a space a list reaches.

    A class is *expressible* unless the observer says why no program can have it, or rules exclude it with whatever
    class of another axis; and none of a group of which no program has anything. Pairs are of expressible classes of
    two axes that no rule excludes.
    """

    group: str
    says: str
    axes: int
    classes: int
    expressible: int
    seen: int
    judged: int | None
    """Of those seen, how many are of an instruction on which something judged depends; None: nobody looked."""
    pairs: int
    pairs_seen: int
    pairs_judged: int | None
    pairs_impossible: int
    """Those that are left out of ``pairs``: of a class that is not expressible, or excluded by a rule."""
    missing: tuple[Class, ...]
    """Expressible classes that no case has."""
    unjudged: tuple[Class, ...]
    """Those that some case has, and none in which something judged depends on them; none where nobody looked."""
    impossible: tuple[tuple[str, str], ...]
    """``axis=class`` that is not expressible, or classes that a rule excludes together, and why."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How much of a space a list reaches, by group."""

    spec: str
    cases: int
    groups: tuple[GroupReach, ...]

    @property
    def classes_seen(self) -> int:
        """Over all groups; a class counts once in each group that has its axis."""
        return sum(group.seen for group in self.groups)


def measured(
    spec_name: str, tier: str, seed: int = DEFAULT_SEED, told: Told | None = None, matters: Matters | None = None
) -> Reach:
    """What the lists of a tier for a specification's devices reach; with ``matters`` also what of that is judged.

    Something that is no instruction is judged where any instruction of its case is, and a near miss always. Raises
    ``BadInput`` for a specification without axes.
    """
    if spec_name not in ours():
        spec_named(spec_name)
        raise BadInput(f"{spec_name}: no parameter space is declared for it; there are {', '.join(ours())}")
    space, observer = space_of(spec_name), observer_of(spec_name)
    recipes = whole_list(spec_name, tier, seed)
    reached, judged = Reached(space), Reached(space)
    for done, recipe in enumerate(recipes, 1):
        case = materialise(recipe)
        found = tuple(seen(case, observer, space))
        reached.add(recipe.id, found)
        if matters is not None:
            places = matters(case)
            judged.add(
                recipe.id,
                (
                    one
                    for one in found
                    if recipe.target or (one.thing.place.path in places if one.thing.place else places)
                ),
            )
        if told is not None:
            told(done, len(recipes))
    groups = _groups(space, observer, reached, None if matters is None else judged)
    return Reach(spec_name, len(recipes), tuple(groups))


def _has_things(space: Space, observer: Observer, group: str) -> bool:
    """Whether programs can have what a group is about: not, where all axes that are its own have a reason."""
    own = [name for name, axis in space.axis.items() if axis.groups == (group,)]
    return not own or not all(name in observer.unseen for name in own)


def inexpressible(space: Space, observer: Observer, group: str) -> set[Class]:
    """The classes of a group that no program has, for a reason that is written down."""
    every = list(possible_classes(space, group))
    mute = {one for one in every if one[0] in observer.unseen or "=".join(one) in observer.unseen}
    mute |= never(space, group) if _has_things(space, observer, group) else set(every)
    return mute | {one for one in every if f"{group}/{'='.join(one)}" in observer.unseen}


def _impossible(space: Space, observer: Observer, group: str, mute: set[Class]) -> Iterator[tuple[str, str]]:
    """What no program has, and why: single classes first, then what a rule excludes together."""
    rules = {pair: _why(rule) for pair, rule in excluded_pairs(space).items()}
    for one in possible_classes(space, group):
        if one in mute:
            written = "=".join(one)
            named = (f"{group}/{written}", written, one[0])
            reasons = [observer.unseen[name] for name in named if name in observer.unseen]
            reasons += sorted({why for pair, why in rules.items() if one in pair})
            yield written, (*reasons, "no program has anything of this group")[0]
    for rule in space.impossible:
        if all(group in space.axis[written.partition("=")[0]].groups for written in rule.together):
            yield " with ".join(rule.together), _why(rule)


def _why(rule: Impossible) -> str:
    return rule.clause or rule.arithmetic or f"the caps: {rule.caps}"


def _groups(space: Space, observer: Observer, reached: Reached, judged: Reached | None) -> Iterator[GroupReach]:
    for group, about in space.group.items():
        every = list(possible_classes(space, group))
        found = reached.classes.get(group, {})
        mute = inexpressible(space, observer, group) - set(found)
        pairs = [pair for pair in possible_pairs(space, group) if not mute.intersection(pair)]
        sizes = [len(axis.classes) for axis in space.axis.values() if group in axis.groups]
        met = reached.pairs.get(group, set())
        proved = None if judged is None else judged.classes.get(group, {})
        proved_pairs = None if judged is None else judged.pairs.get(group, set())
        yield GroupReach(
            group=group,
            says=about.says,
            axes=sum(group in axis.groups for axis in space.axis.values()),
            classes=len(every),
            expressible=len(every) - len(mute),
            seen=len(found),
            judged=None if proved is None else len(proved),
            pairs=len(pairs),
            pairs_seen=sum(pair in met for pair in pairs),
            pairs_judged=None if proved_pairs is None else sum(pair in proved_pairs for pair in pairs),
            pairs_impossible=sum(a * b for a, b in combinations(sizes, 2)) - len(pairs),
            missing=tuple(one for one in every if one not in found and one not in mute),
            unjudged=() if proved is None else tuple(one for one in every if one in found and one not in proved),
            impossible=tuple(_impossible(space, observer, group, mute)),
        )
