"""``mmaspec reach``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict

from mmaspec.commands.catalogue import show, table
from mmaspec.commands.progress import progress
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.measure import Reach, measured
from mmaspec.strategies.enumerate import DEFAULT_SEED, tier_named
from mmaspec.suites.score.depends import shown


def reach(
    specs: list[str], tier: str, seed: int | None, *, judged: bool, missing: bool, impossible: bool, as_json: bool
) -> int:
    """Print what the case list of each specification reaches of its parameter space."""
    tier_named(tier)
    found = []
    for name in specs or ours():
        with progress(f"looking through the cases of {name}") as told:
            chosen = DEFAULT_SEED if seed is None else seed
            found.append(measured(name, tier, chosen, told, shown if judged else None))
    if as_json:
        sys.stdout.write(json.dumps([asdict(one) for one in found], indent=1) + "\n")
        return 0
    for one in found:
        _print(one, tier, missing=missing, impossible=impossible)
    return 0


def _print(found: Reach, tier: str, *, missing: bool, impossible: bool) -> None:
    sys.stdout.write(f"\n{found.spec}, {tier}: {found.cases} cases\n")
    printed = table(
        "GROUP", "AXES", "CLASSES", "EXPRESSIBLE", "SEEN", "JUDGED", "PAIRS", "SEEN", "JUDGED", "IMPOSSIBLE"
    )
    rows = {group.group: [getattr(group, name) for name in _COUNTS] for group in found.groups}
    rows["all"] = [_sum(getattr(group, name) for group in found.groups) for name in _COUNTS]
    for name, (axes, classes, expressible, seen, judged, pairs, pairs_seen, pairs_judged, never) in rows.items():
        printed.add_row(
            name, str(axes), str(classes), str(expressible), _share(seen, expressible), _share(judged, expressible),
            str(pairs), _share(pairs_seen, pairs), _share(pairs_judged, pairs), str(never),
        )  # fmt: skip
    show(printed)
    if missing:
        for group in found.groups:
            for axis, name in group.missing:
                sys.stdout.write(f"never drawn: {group.group}: {axis}={name}\n")
            for axis, name in group.unjudged:
                sys.stdout.write(f"drawn, but nothing that is judged depends on it: {group.group}: {axis}={name}\n")
    for group in found.groups if impossible else ():
        for what, why in group.impossible:
            sys.stdout.write(f"impossible: {group.group}: {what}: {why}\n")


_COUNTS = (
    "axes",
    "classes",
    "expressible",
    "seen",
    "judged",
    "pairs",
    "pairs_seen",
    "pairs_judged",
    "pairs_impossible",
)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _share(part: int | None, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole and part is not None else "-"
