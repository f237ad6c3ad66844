"""``mmaspec reach``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from mmaspec.backends.given_caps import caps_files, read_caps
from mmaspec.commands.catalogue import show, table
from mmaspec.commands.progress import progress
from mmaspec.options import worker_count
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.measure import Reach, measured
from mmaspec.strategies.enumerate import DEFAULT_SEED, tier_named
from mmaspec.suites.pool import processes
from mmaspec.suites.score.classes.mutant import Mutant
from mmaspec.suites.score.classes.reviewed import why_none
from mmaspec.suites.score.counted import judged_things


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be told of each specification."""

    judged: bool = True
    """Whether something judged depends on what is seen."""
    triples: bool = False
    missing: bool = False
    impossible: bool = False
    caps: Sequence[str] = ()
    """Files of the caps of other devices, each ``FILE`` or ``SPEC=FILE``."""


def reach(specs: list[str], tier: str, seed: int | None, workers: int | None, wanted: Wanted, *, as_json: bool) -> int:
    """Print what the case list of each specification reaches of its parameter space."""
    tier_named(tier)
    chosen = DEFAULT_SEED if seed is None else seed
    matters = judged_things if wanted.judged else None
    devices = {name: read_caps(name, Path(path)) for name, path in caps_files(specs, wanted.caps).items()}
    found = []
    with processes(worker_count(workers)) as spread:
        for name in specs or ours():
            with progress(f"looking through the cases of {name}") as told:
                one = measured(
                    name,
                    tier,
                    chosen,
                    told,
                    matters,
                    caps=devices.get(name),
                    triples=wanted.triples,
                    spread=spread,
                )
                found.append(one)
    if as_json:
        sys.stdout.write(json.dumps([asdict(one) for one in found], indent=1) + "\n")
        return 0
    for one in found:
        _print(one, tier, wanted)
    return 0


def _print(found: Reach, tier: str, wanted: Wanted) -> None:
    sys.stdout.write(f"\n{found.spec}, {tier}: {found.cases} cases\n")
    show(_table(found, _COLUMNS | (_TRIPLES if wanted.triples else {})))
    if wanted.missing:
        for group in found.groups:
            for says, classes in (
                ("never drawn", group.missing),
                ("drawn, not judged", group.unjudged),
            ):
                for axis, name in classes:
                    why = why_none(found.spec, Mutant(group.group, ((axis, name),)))
                    sys.stdout.write(f"{says}: {group.group}: {axis}={name}{why and f': {why}'}\n")
    for group in found.groups if wanted.impossible else ():
        for what, why in group.impossible:
            sys.stdout.write(f"impossible: {group.group}: {what}: {why}\n")


_COLUMNS = {
    "axes": ("AXES", ""),
    "classes": ("CLASSES", ""),
    "expressible": ("CLASSES EXPRESSIBLE", ""),
    "seen": ("CLASSES SEEN", "expressible"),
    "judged": ("CLASSES JUDGED", "expressible"),
    "pairs": ("PAIRS", ""),
    "pairs_seen": ("PAIRS SEEN", "pairs"),
    "pairs_judged": ("PAIRS JUDGED", "pairs"),
    "pairs_impossible": ("PAIRS IMPOSSIBLE", ""),
}
"""Count -> its column, whose title stands once, and of which other count it is a share."""

_TRIPLES = {
    "triples": ("TRIPLES", ""),
    "triples_seen": ("TRIPLES SEEN", "triples"),
    "triples_judged": ("TRIPLES JUDGED", "triples"),
}


def _table(found: Reach, columns: Mapping[str, tuple[str, str]]) -> Table:
    """A row for each group, and one for all."""
    printed = table("GROUP", *(title for title, _ in columns.values()))
    rows = {group.group: {name: getattr(group, name) for name in columns} for group in found.groups}
    rows["all"] = {name: _sum(counts[name] for counts in list(rows.values())) for name in columns}
    for name, counts in rows.items():
        printed.add_row(
            name, *(_share(counts[one], counts[of]) if of else str(counts[one]) for one, (_, of) in columns.items())
        )
    return printed


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _share(part: int | None, whole: int | None) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole and part is not None else "-"
