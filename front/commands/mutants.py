"""``mmaspec score --mutants``."""

from __future__ import annotations

import sys
from collections import Counter

import msgspec
from rich.console import Console
from rich.progress import Progress

from mmaspec.commands.catalogue import show, table
from mmaspec.commands.classes import show_classes
from mmaspec.options import worker_count
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS
from mmaspec.suites.score.classes.scoring import SpecClasses, Wanted, score_classes
from mmaspec.suites.score.mutants.scoring import Count, Judged, MutantScore, SpecMutants, score_mutants

PAIRS = 300
TRIPLES = 200
"""Mutants of pairs of classes, and of triples from the standard tier on, unless other numbers are asked for."""


def wanted(tier: str, classes: int | None, pairs: int | None, triples: int | None) -> Wanted:
    """How many class mutants are tried; None: as many as usual."""
    usual = 0 if tier == "smoke" else TRIPLES
    return Wanted(classes, PAIRS if pairs is None else pairs, usual if triples is None else triples)


class Report(msgspec.Struct):
    """What ``--json`` prints: the score on changes of code, and the one on classes."""

    tier: str
    seed: int
    specs: tuple[SpecMutants, ...]
    classes: tuple[SpecClasses, ...]


def mutants(
    specs: list[str] | None,
    tier: str,
    seed: int | None,
    workers: int | None,
    number: int,
    of_classes: Wanted,
    *,
    as_json: bool,
) -> int:
    """Print how many mutants of the reference devices the case lists notice; 1 if any is left to be judged."""
    if tier not in TIERS:
        raise BadInput(f"no tier named {tier!r}; there are {', '.join(TIERS)}")
    chosen_specs = tuple(dict.fromkeys(spec_named(name).name for name in specs or ours()))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("trying mutants", total=None)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        chosen = DEFAULT_SEED if seed is None else seed
        processes = max(1, worker_count(workers))
        found = MutantScore(tier=tier, seed=chosen, specs=())
        if number:
            found = score_mutants(chosen_specs, tier, chosen, number, processes, told)
        classes = score_classes(chosen_specs, tier, chosen, of_classes, processes, told)
    if as_json:
        report = Report(tier, chosen, found.specs, classes)
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n")
    else:
        if number:
            _print(found)
        show_classes(classes)
    return 0 if found.perfect and not any(of.survivors for one in classes for of in one.strengths) else 1


def _print(found: MutantScore) -> None:
    rows = table("SPEC", "CASES", "DRAWN", "OF", "KILLED", "BY", "EQUIVALENT", "SURVIVORS", "RATE", "OF SILENT ONES")
    for one in found.specs:
        kinds = Counter(mutant.kind for mutant in one.mutants if mutant.kind)
        by = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        whole = one.whole
        rows.add_row(
            one.spec, str(one.cases), str(whole.drawn), str(one.possible), str(whole.killed), by, *_rest(whole),
            _share(whole.silent_rate),
        )  # fmt: skip
    show(rows)
    operators = table("SPEC", "OPERATOR", "DRAWN", "KILLED", "EQUIVALENT", "SURVIVORS", "RATE")
    for one in found.specs:
        for count in one.operators:
            if count.drawn:
                operators.add_row(one.spec, count.name, str(count.drawn), str(count.killed), *_rest(count))
    show(operators)
    for one in found.specs:
        for mutant in one.mutants:
            if mutant.state == "survivor":
                sys.stdout.write(_told(mutant))
            elif mutant.kind and mutant.why:
                sys.stdout.write(f"{mutant.file}:{mutant.line}: judged equivalent, but case {mutant.case} notices it\n")


def _rest(count: Count) -> tuple[str, str, str]:
    return str(count.equivalent), str(count.survivors), _share(count.rate)


def _share(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _told(mutant: Judged) -> str:
    """A survivor, for a person to judge."""
    return (
        f"{mutant.file}:{mutant.line}: {mutant.operator} in {mutant.function}: {mutant.text}\n"
        f"  - {mutant.before}\n  + {mutant.after}\n"
    )
