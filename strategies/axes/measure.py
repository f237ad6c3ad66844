"""What a case list reaches of the parameter space of its specification."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.observation import Observer, Seen, Subject, observer_of, seen_in
from mmaspec.strategies.axes.reached import (
    Class,
    Had,
    Reached,
    excluded_pairs,
    never,
    possible_classes,
    possible_pairs,
)
from mmaspec.strategies.axes.space import Impossible, Space, space_of
from mmaspec.strategies.axes.triples import Triples
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list, whole_list
from mmaspec.strategies.recipe import Recipe, materialise

Told = Callable[[int, int], None]
"""Takes how many cases are looked through, and of how many."""

Matters = Callable[[Subject, Sequence[Seen]], Sequence[bool]]
"""(case, what has classes in it) -> whether something judged depends on each."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What one case of a list has, and what of it is judged."""

    at: int
    """Where the case stands in the list."""
    case: str
    had: tuple[Had, ...]
    judged: tuple[Had, ...]


Spread = Callable[[Callable[[tuple[int, Recipe]], Looked], Sequence[tuple[int, Recipe]], Told], Iterable[Looked]]
"""Runs a function over tasks, here or in other processes: function, tasks, progress -> results, in any order."""


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
    triples: int | None
    """Of expressible classes of three axes that no rule excludes; None: nobody counted."""
    triples_seen: int | None
    triples_judged: int | None
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
    spec_name: str,
    tier: str,
    seed: int = DEFAULT_SEED,
    told: Told = lambda _done, _total: None,
    matters: Matters | None = None,
    *,
    caps: object = None,
    triples: bool = False,
    spread: Spread | None = None,
) -> Reach:
    """What the lists of a tier for a specification's devices reach; with ``matters`` also what of that is judged.

    With ``caps`` it is the list for that device alone.

    A near miss is always judged. ``spread``
    may look at several cases at once: what is found is the same. Raises ``BadInput`` for a specification without axes.
    """
    if spec_name not in ours():
        spec_named(spec_name)
        raise BadInput(f"{spec_name}: no parameter space is declared for it; there are {', '.join(ours())}")
    space = space_of(spec_name)
    listed = whole_list(spec_name, tier, seed) if caps is None else case_list(spec_name, caps, tier, seed)
    tasks = list(enumerate(listed))
    looks = partial(_looked, spec_name, matters)
    reached, judged = Reached(space), Reached(space)
    met = {group: Triples(space, group) for group in space.group} if triples else {}
    proved = {group: Triples(space, group) for group in met} if matters is not None else {}
    for one in sorted((spread or _here)(looks, tasks, told), key=lambda looked: looked.at):
        for into, counted, found in ((reached, met, one.had), (judged, proved, one.judged)):
            for new in into.add(one.case, found):
                if new.group in counted:
                    counted[new.group].add(new.classes)
    groups = _groups(space, observer_of(spec_name), reached, None if matters is None else judged, met, proved)
    return Reach(spec_name, len(tasks), tuple(groups))


def _here(
    looks: Callable[[tuple[int, Recipe]], Looked], tasks: Sequence[tuple[int, Recipe]], told: Told
) -> Iterator[Looked]:
    for done, task in enumerate(tasks, 1):
        yield looks(task)
        told(done, len(tasks))


def _looked(spec: str, matters: Matters | None, task: tuple[int, Recipe]) -> Looked:
    """What a case has, and what of it is judged."""
    at, recipe = task
    subject = Subject(materialise(recipe))
    found = tuple(seen_in(subject, observer_of(spec), space_of(spec)))
    counts = [False] * len(found)
    if matters is not None:
        counts = [True] * len(found) if recipe.target else list(matters(subject, found))
    had = [Had(one.thing.group, one.classes) for one in found]
    return Looked(at, recipe.id, tuple(had), tuple(one for one, count in zip(had, counts, strict=True) if count))


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


def _groups(
    space: Space,
    observer: Observer,
    reached: Reached,
    judged: Reached | None,
    met_triples: dict[str, Triples],
    proved_triples: dict[str, Triples],
) -> Iterator[GroupReach]:
    for group, about in space.group.items():
        every = list(possible_classes(space, group))
        found = reached.classes.get(group, {})
        mute = inexpressible(space, observer, group) - set(found)
        pairs = [pair for pair in possible_pairs(space, group) if not mute.intersection(pair)]
        sizes = [len(axis.classes) for axis in space.axis.values() if group in axis.groups]
        met = reached.pairs(group)
        proved = None if judged is None else judged.classes.get(group, {})
        proved_pairs = None if judged is None else judged.pairs(group)
        counted = met_triples[group].counts(mute) if group in met_triples else (None, None)
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
            triples=counted[0],
            triples_seen=counted[1],
            triples_judged=proved_triples[group].counts(mute)[1] if group in proved_triples else None,
            missing=tuple(one for one in every if one not in found and one not in mute),
            unjudged=() if proved is None else tuple(one for one in every if one in found and one not in proved),
            impossible=tuple(_impossible(space, observer, group, mute)),
        )
