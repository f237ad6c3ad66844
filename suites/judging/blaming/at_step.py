"""Which clause of the first wrong step is to blame: circumstances are removed one by one, and its state looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.clauses import Catalogue, Need
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.spec import Ablation, spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Place, Program
from mmaspec.suites.judging.blaming.addends import of_addends, only_at
from mmaspec.suites.judging.blaming.circumstances import as_one_wave, one_wave
from mmaspec.suites.judging.blaming.culprit import Beside, Culprit
from mmaspec.suites.judging.blaming.cut import cut_behind
from mmaspec.suites.judging.blaming.differing import Each, alike_in
from mmaspec.suites.judging.blaming.instead import instead
from mmaspec.suites.judging.blaming.probes import rows_alike
from mmaspec.suites.judging.blaming.removed import Removed, data_of, other_way
from mmaspec.suites.judging.blaming.stays import Stays
from mmaspec.suites.judging.blaming.straight import all_straight, branchless, straight
from mmaspec.suites.judging.blaming.sums import as_before, of_factors, with_sums
from mmaspec.suites.judging.blaming.suspects import about, misplaced_first, refinements, values_first, widest
from mmaspec.suites.judging.blaming.wrong_tile import Target, in_halves, misplaced, only_beside, wrong_lines
from mmaspec.suites.judging.patterns.pattern import Pattern

SLIGHT = "a slight error"
"""How the clause is blamed that leaves open how accurate sums are."""
UNOBSERVED = "not observed"
"""How clauses are blamed where no program that stores intermediate results was taken."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The blamed clauses, the most likely first; how they were found; the first wrong instruction."""

    clauses: tuple[str, ...]
    how: str
    place: Place | None = None
    own: tuple[str, ...] = ()
    """Clauses of the first wrong step, where it could be located."""
    only: tuple[str, ...] = ()
    """What it goes away with."""
    instead: str = ""
    """What the failure goes away with, where one ablation of the wrong instruction removes it: in its text."""
    pattern: str = ""
    """Which legal values stand in the wrong places."""
    where: str = ""
    """The rows or columns in which alone something is wrong, of a tile in which that are few."""
    otherwise: tuple[str, ...] = ()
    """The clauses without what a counterfactual says that leaves the same bytes, where it says something else."""
    unrun: tuple[str, ...] = field(default=())
    """Variations that the backend did not take."""
    removed: Removed | None = field(default=None, repr=False)
    """The ablation that is told in ``instead``: whatever else is wrong as the backend is goes away with it as well."""
    beside: Beside | None = field(default=None, repr=False)
    """The probes that were run: whatever is wrong as the backend is fails the same ones."""

    stays: tuple[Stays, ...] = field(default=(), repr=False)
    """Simpler programs that are wrong as well: whatever is wrong as the backend is fails them."""

    def unlike(self, backend: Runner) -> bool:
        """Whether another backend that leaves the same bytes is wrong for another reason, as variations show."""
        told = self.beside is not None and self.beside.unlike(backend)
        told = told or (self.removed is not None and self.removed.leaves(backend))
        return told or any(one.unlike(backend) for one in self.stays)


_OF_HALVES: frozenset[str] = frozenset({"halves", "slots"})
"""Patterns of values in wrong halves of registers."""
_WHOSE = {
    "result": "{}",
    "product": "of the product without C: {}",
    "C": "without a product: {}",
    "A": "A times the unit matrix: {}",
    "B": "the unit matrix times B: {}",
}
"""Whose values stand in wrong places, around the words that say how."""


def at_step(culprit: Culprit, program: Program, own: tuple[str, ...], worst: Wrong, borrowed: Collection[str]) -> Blame:
    """The blame at the first wrong step; ``own`` are its clauses, the narrowest first.

    A clause is cleared by a circumstance that it needs, if the failure stays without that, and by its own ablation.
    """
    spec = spec_named(culprit.trial.case.spec)
    known, place = spec.catalogue.clause, culprit.step.place
    if (slight := _of_accuracy(culprit, program, own, worst, borrowed)) is not None:
        return slight
    around = _circumstances(culprit, program, own)
    cleared = {name for name in own if around.absent.intersection(known[name].needs)}
    layouts: set[str] = set()
    if culprit.probed and not culprit.structural and any(known[name].kind in "XD" for name in own):
        layouts = {name for name in own if known[name].kind == "M"} - cleared
        cleared |= layouts  # they do not depend on data
    culprit, program = cut_behind(culprit, program)
    if (beside := _beside(culprit, program, own)) is not None:
        found = replace(beside, only=around.only, where=wrong_lines(culprit), beside=culprit.beside, stays=around.stays)
        return _with_ablation(culprit, program, found, borrowed)
    pattern, target = _patterned(culprit, program, own)
    says = _WHOSE[target].format(pattern.says) if pattern else ""
    found = Blame((), "", place, own, around.only, pattern=says, where=wrong_lines(culprit), beside=culprit.beside)
    removing = _removing(culprit, program, cleared, layouts, borrowed)
    only = "" if pattern else only_at(culprit, program)
    found = replace(found, where=only or found.where, stays=around.stays)
    removing = of_addends(culprit, program, removing, cleared, only=bool(only))
    ablation = removing[0] if removing else None
    if around.clause and around.clause not in borrowed:
        # What is wrong in a loop, or in several waves, alone may still be any of what the step does there.
        again = () if ablation is None else (ablation.clause,)
        others = (name for name in own if name not in cleared)
        # What refines more, such as the end of a range, is nearer to the mistake than the loop that brings it out; but
        # an argument that differs from wave to wave, or pass to pass, says just what is wrong.
        depths = [refinements(spec.catalogue, name) for name in (*again, around.clause)]
        clears = ablation is not None and ablation.clears and not around.differing
        nearer = ablation if clears and depths[0] > depths[-1] else None
        first = (around.clause, *again) if nearer is None else (*again, around.clause)
        told = "" if nearer is None else instead(spec, program, culprit.trial.case.caps, nearer)
        removed = None if nearer is None else Removed(culprit, nearer)
        return replace(
            found, clauses=tuple(dict.fromkeys((*first, *others))), how="toggle", instead=told, removed=removed
        )
    # Without its addend a product may be wrong as before, and not show it: what stands in wrong places does.
    if ablation is not None and (ablation.clears or ablation.others or not pattern):
        told = instead(spec, program, culprit.trial.case.caps, ablation)
        along = {one.clause for one in removing} | _gone_along(culprit, ablation)
        along |= of_factors(spec.catalogue, ablation, own)
        clauses = (ablation.clause, *(name for name in own if name in along - cleared - {ablation.clause}))
        if "signs" in known[ablation.clause].needs:
            clauses = with_sums(culprit, program, clauses, tuple(name for name in own if name not in cleared))
        return replace(found, clauses=clauses, how="toggle", instead=told, removed=Removed(culprit, ablation))
    left = tuple(clause for clause in own if clause not in cleared) or own
    if culprit.probed and not culprit.structural:
        left = values_first(spec.catalogue, left)  # nor does where operands come from
    if pattern and pattern.kind in _OF_HALVES:
        # Rows and columns are right, and what another flag does may be as wrong: that acquits none of these clauses.
        about_halves = tuple(name for name in own if pattern.kind in known[name].patterns)
        found = replace(found, clauses=about_halves, how="pattern")
        if ablation is None or ablation.clause not in about_halves:
            return found
        told = instead(spec, program, culprit.trial.case.caps, ablation)
        return replace(found, instead=told, removed=Removed(culprit, ablation))
    if pattern:
        return replace(found, clauses=misplaced_first(spec.catalogue, left, pattern, target), how="pattern")
    left = _by_likelihood(spec.catalogue, culprit, left)
    if not culprit.exact:  # the probes may be wrong as well, and their sets too wide to show it
        left = tuple(dict.fromkeys((*left, *(name for name in own if name in layouts))))
    return replace(found, clauses=left, how="base")


def _patterned(culprit: Culprit, program: Program, own: tuple[str, ...]) -> tuple[Pattern | None, Target]:
    """Which legal values stand in wrong places, and whose they are."""
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    found, target = misplaced(culprit, program, [known[name].patterns for name in own])
    # An addend alone also looks misplaced where the halves of its registers are exchanged.
    if (found is None or target == "C") and any(not _OF_HALVES.isdisjoint(known[name].patterns) for name in own):
        halves, whose = in_halves(culprit, program)
        return (found, target) if halves is None else (halves, whose)
    return found, target


def _beside(culprit: Culprit, program: Program, own: tuple[str, ...]) -> Blame | None:
    """The blame where nothing is wrong but what stands beside sums in the same registers; else None."""
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    of_halves = tuple(name for name in own if "beside" in known[name].patterns)
    if not of_halves or not only_beside(culprit, program):
        return None
    says = "the sums are right, and what stands beside them in the same registers is wrong"
    return Blame(of_halves, "pattern", culprit.step.place, own, pattern=says)


def _with_ablation(culprit: Culprit, program: Program, found: Blame, borrowed: Collection[str]) -> Blame:
    """The blame with the first ablation of its clauses without which the failure goes away, if there is one."""
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    for ablation in spec.ablations(program, culprit.step.place):
        if ablation.clause not in found.clauses or ablation.clause in borrowed:
            continue
        values = data_of(culprit, ablation)
        if culprit.still_wrong(ablation.program, f"without {ablation.clause}", ablation.place, values) is False:
            told = instead(spec, program, culprit.trial.case.caps, ablation)
            return replace(found, instead=told, removed=Removed(culprit, ablation))
    return found


def _by_likelihood(catalogue: Catalogue, culprit: Culprit, left: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses that nothing narrows down any more."""
    known = catalogue.clause
    if not culprit.structural or not any(known[name].kind == "X" for name in left):
        return left
    # Where it shows without signs but for those of constants, the product is as likely.
    signs = tuple(name for name in left if "signs" in known[name].needs and not culprit.tame)
    return tuple(dict.fromkeys((*signs, *widest(catalogue, left))))


def _of_accuracy(
    culprit: Culprit, program: Program, own: tuple[str, ...], worst: Wrong, borrowed: Collection[str]
) -> Blame | None:
    """The blame where it can be told at once that no more is amiss than how accurate sums are; else None.

    What the same sums of the same data do not have is no error of theirs, however slight it is.
    """
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    open_ended = tuple(name for name in own if known[name].kind == "D")
    if not open_ended or culprit.structural:
        return None
    if worst.symptom == "unlike":
        return Blame(open_ended, "copies differ", culprit.step.place, own)
    # What is stored may be far off, as each pass or call adds to the error.
    if (worst.slight or culprit.slight) and other_way(culprit, program, borrowed) is None:
        return Blame(open_ended, SLIGHT, culprit.step.place, own)
    return None


def _removing(
    culprit: Culprit, program: Program, cleared: set[str], layouts: Collection[str], borrowed: Collection[str]
) -> list[Ablation]:
    """The ablations without which the failure goes away, the first of each clause; those that leave it are cleared.

    The first one tells most. The others are tried as well: where two clauses meet, leaving out either removes it.
    ``layouts`` are cleared as they do not depend on data. Not so where what lies beside an operand does: where the same
    sums of the same data are right by another layout, theirs is wrong.
    """
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    left_out = {*borrowed, *cleared} - set(layouts)
    found: dict[str, Ablation] = {}
    for ablation in spec.ablations(program, culprit.step.place):
        accuracy = spec.catalogue.clause[ablation.clause].kind == "D"
        if ablation.clause in left_out or ablation.clause in found or (accuracy and culprit.structural):
            continue  # small whole numbers have the same sum in any order
        if ablation.tells == "nan":
            continue
        if ablation.clause in layouts and not Removed(culprit, ablation).same_sums():
            continue
        needs = spec.catalogue.clause[ablation.clause].needs and not ablation.others
        if not (ablation.clears or culprit.structural or needs or _same_step(culprit, ablation)):
            continue  # without the addend of a product, what goes away may be its range
        values = data_of(culprit, ablation)
        wrong = culprit.still_wrong(ablation.program, f"without {ablation.clause}", ablation.place, values)
        if wrong is False:
            found[ablation.clause] = ablation
        elif wrong and ablation.clears and not (values and as_before(culprit, ablation.program, values)):
            cleared.add(ablation.clause)
    return list(found.values())


def _same_step(culprit: Culprit, ablation: Ablation) -> bool:
    """Whether an ablation of other instructions, or of a part of the step, leaves what it computes as it is."""
    return (ablation.others or not ablation.clears) and Removed(culprit, ablation).same_sums()


def _gone_along(culprit: Culprit, ablation: Ablation) -> set[str]:
    """The clauses of the step that went away with an ablation after which all is well.

    What still acts there as before, and is right, is cleared by it; what does not, by nothing.
    """
    values = data_of(culprit, ablation)
    left = culprit.acting(ablation.program, ablation.place, values)
    return {point.partition("/")[0] for point in culprit.step.points if point not in left}


@dataclass(frozen=True, slots=True)
class _Circumstances:
    """What a failure needs of the whole program, and what it does not."""

    absent: frozenset[Need]
    """What is not needed."""
    only: tuple[str, ...]
    """What is, in words: what it goes away with."""
    clause: str
    """The clause that is about the latter; empty if none is."""
    differing: bool
    """Whether that clause is about an argument that differs between waves or passes."""
    stays: tuple[Stays, ...]
    """Programs without a circumstance that are wrong as well, where taking it away otherwise had made all well."""


def _circumstances(culprit: Culprit, program: Program, own: tuple[str, ...]) -> _Circumstances:
    """The circumstances of the failure; ``own`` are the clauses of its step."""
    spec = spec_named(culprit.trial.case.spec)
    known = spec.catalogue.clause
    absent: set[Need] = {"range"} if culprit.structural else set()
    if culprit.tame and not _has_constants(program):
        absent.add("signs")
    if any("rows" in known[name].needs for name in own) and _alike_is_wrong(culprit, program):
        absent.add("rows")
    only: list[str] = []
    stays: list[Stays] = []
    vanished_with, differing = "", False
    for need, words, goes_away, other in _tried(culprit, program):
        stays += [] if other is None else [other]
        if not goes_away:
            absent.update(() if need is None else (need,))
            continue
        only.append(words)
        vanished_with = vanished_with or next((name for name in own if need in known[name].needs), "")
        each = _EACH.get(need) if need and not vanished_with else None
        if each is not None and (argument := _differing(each, culprit, program)):
            only.append(f"{argument.replace('.', ' ')} the same in every {each}")
            vanished_with = next(iter(about(spec.catalogue, own, argument)), "")
            differing = bool(vanished_with)
    return _Circumstances(frozenset(absent), tuple(only), vanished_with, differing, tuple(stays))


def _alike_is_wrong(culprit: Culprit, program: Program) -> bool:
    """Whether it is still wrong with the first wrong row of each item in place of all of them."""
    if culprit.region is None:
        return False
    rows = culprit.seen.wrong.regions[culprit.region].any(axis=(1, 3)).argmax(axis=1).tolist()
    alike = rows_alike(culprit.trial.case.values, culprit.sources, rows)
    return alike is not None and culprit.still_wrong(program, "all rows alike", None, alike) is True


_EACH: Mapping[Need, Each] = {"waves": "wave", "passes": "pass"}


def _has_constants(program: Program) -> bool:
    """Whether matrices are filled with constants other than 0: whatever data is loaded, these may be signed."""
    filled = (one for _, one, _ in tree.walk(program) if one.__struct_config__.tag in ("fill", "splat"))
    given = (getattr(one, "bits", getattr(one, "value", None)) for one in filled)
    return any(bool(one) if isinstance(one, int) else bool(getattr(one, "bits", 0)) for one in given)


def _differing(each: Each, culprit: Culprit, program: Program) -> str:
    """The argument of the wrong step whose differing from wave to wave, or pass to pass, the failure needs, if any."""
    for argument, alike in alike_in(each, culprit.trial.case, program, culprit.step.place):
        if culprit.still_wrong(alike.program, f"{argument} the same in every {each}", None, alike.values) is False:
            return argument
    return ""


def _tried(culprit: Culprit, program: Program) -> Iterator[tuple[Need | None, str, bool, Stays | None]]:
    """Circumstances of the whole program that can be taken away, in words, and whether the failure goes away then.

    Where it does only while that is done in one of two ways: the program of the other one.
    """
    trial = culprit.trial
    one = one_wave(trial.case, program, culprit.wave)
    if one is not None and (seen := trial.run(one.program, "one wave", one.values)) is not None:
        # The first wave's places may be right where another one's are wrong, whoever goes there.
        there = as_one_wave(trial.case, program, culprit.wave) if seen.legal else None
        stays = None if there is None else Stays.found(trial, there, "one wave in the place of another")
        yield "waves", "one wave", seen.legal and stays is None, stays
    flat = branchless(trial.case, program)
    if flat is not None and (seen := trial.run(flat.program, "no branch", flat.values)) is not None:
        yield None, "the branch written out", seen.legal, None
    written = straight(trial.case, program, culprit.step.place)
    if written is not None and (seen := trial.run(written.program, "no loop", written.values)) is not None:
        # Another loop may be wrong for the same reason, and what it leaves may be what is stored.
        other = None if seen.legal else all_straight(trial.case, program)
        all_seen = None if other is None else trial.run(other.program, "no loops", other.values)
        if all_seen is not None and all_seen.legal:
            yield "passes", "all loops written out", True, None
        else:
            yield "passes", "the loop written out", seen.legal, None
