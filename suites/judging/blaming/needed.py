"""What a failure needs of the whole program: waves, loops, signs, rows that differ. Each is taken away in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mmaspec.oracle.clauses import Need
from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.circumstances import as_one_wave, one_wave
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.differing import Each, alike_in
from mmaspec.suites.judging.blaming.probes import rows_alike
from mmaspec.suites.judging.blaming.stays import Stays
from mmaspec.suites.judging.blaming.straight import all_straight, branchless, straight
from mmaspec.suites.judging.blaming.suspects import about


@dataclass(frozen=True, slots=True)
class Circumstances:
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


def circumstances_of(culprit: Culprit, program: Program, own: tuple[str, ...]) -> Circumstances:
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
    return Circumstances(frozenset(absent), tuple(only), vanished_with, differing, tuple(stays))


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
