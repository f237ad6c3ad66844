"""``mmaspec reach``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from mmaspec.commands.catalogue import show, table
from mmaspec.commands.progress import progress
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.measure import Reach, measured
from mmaspec.strategies.enumerate import DEFAULT_SEED, tier_named


def reach(specs: list[str] | None, tier: str, seed: int | None, *, missing: bool, as_json: bool) -> int:
    """Print what the case list of each specification reaches of its parameter space."""
    tier_named(tier)
    found = []
    for name in specs or ours():
        with progress(f"looking through the cases of {name}") as told:
            found.append(measured(name, tier, DEFAULT_SEED if seed is None else seed, told))
    if as_json:
        sys.stdout.write(json.dumps([asdict(one) for one in found], indent=1) + "\n")
        return 0
    for one in found:
        _print(one, tier, missing=missing)
    return 0


def _print(found: Reach, tier: str, *, missing: bool) -> None:
    sys.stdout.write(f"\n{found.spec}, {tier}: {found.cases} cases\n")
    printed = table("GROUP", "AXES", "CLASSES", "EXPRESSIBLE", "SEEN", "PAIRS", "PAIRS SEEN")
    for group in found.groups:
        printed.add_row(
            group.group, str(group.axes), str(group.classes), str(group.expressible),
            _share(group.seen, group.expressible), str(group.pairs), _share(group.pairs_seen, group.pairs),
        )  # fmt: skip
    total = [
        sum(getattr(group, name) for group in found.groups)
        for name in ("axes", "classes", "expressible", "seen", "pairs", "pairs_seen")
    ]
    printed.add_row(
        "all", str(total[0]), str(total[1]), str(total[2]), _share(total[3], total[2]), str(total[4]),
        _share(total[5], total[4]),
    )  # fmt: skip
    show(printed)
    if missing:
        for group in found.groups:
            for axis, name in group.missing:
                sys.stdout.write(f"never drawn: {group.group}: {axis}={name}\n")


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "-"
