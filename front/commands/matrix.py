"""``mmaspec clauses --matrix``."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import Progress

from mmaspec.commands.catalogue import show, table
from mmaspec.oracle.spec import SPECS, AnySpec, spec_named
from mmaspec.strategies.enumerate import tier_named
from mmaspec.suites.score.matrix import Coverage, coverage, empty_cells, every_row, listed_whole, sensitivities


def matrix(name: str | None, tier: str) -> int:
    """Print, per testable clause and caps row, how many cases a counterfactual fails; 1 if a cell is empty."""
    tier_named(tier)
    console = Console(stderr=True)
    empty = 0
    for spec in [spec_named(name)] if name else [spec_named(each) for each in SPECS]:
        recipes = listed_whole(spec, tier)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(f"how sensitive the cases of {spec.name} are", total=None)
            known = sensitivities(recipes, lambda done, total: bar.update(task, completed=done, total=total))  # noqa: B023
        covered = coverage(spec, recipes, known)
        _print(spec, covered)
        missing = empty_cells(spec, covered)
        empty += len(missing)
        for clause, row in missing:
            sys.stdout.write(f"empty: {clause} in {row}\n")
    sys.stdout.write(f"{empty} empty cells\n")
    return 1 if empty else 0


def _print(spec: AnySpec, covered: Coverage) -> None:
    rows = every_row(spec)
    sys.stdout.write(f"\n{spec.name}: sensitive cases (counterfactuals that fail) per clause and caps row\n")
    printed = table("CLAUSE", *(str(number + 1) for number in range(len(rows))))
    printed.columns[0].no_wrap = True  # an ID is searched for
    for clause, entry in sorted(spec.catalogue.clause.items()):
        if not entry.testable:
            continue
        cells = []
        for row in rows:
            cell = (clause, row.name)
            if not spec.catalogue.applies(clause, row.tags):
                cells.append("-")
            else:
                cells.append(f"{covered.cases.get(cell, 0)} ({len(covered.faults.get(cell, ()))})")
        printed.add_row(clause, *cells)
    show(printed)
    for number, row in enumerate(rows):
        sys.stdout.write(f"  {number + 1} = {row.name}\n")
