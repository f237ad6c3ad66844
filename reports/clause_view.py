"""One specification as a report shows it: its clauses with their evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup

from mmaspec.oracle.clauses import Catalogue
from mmaspec.reports.plain import compact, plural, shorten, thousands
from mmaspec.reports.reading_view import passes_by
from mmaspec.reports.sharpness_view import TestView, sharpness_views
from mmaspec.reports.svg import STATUSES, css_class, status_bar
from mmaspec.reports.words import BASES, BREAKS, GLYPHS, KINDS, authority_of, clause_counts
from mmaspec.suites.verdict.model import Cell, ClauseResult, SpecResult

_MOST_ROWS = 96


@dataclass(frozen=True, slots=True)
class CellView:
    """Evidence for one clause under one caps row."""

    row: str
    css: str
    glyph: str
    count: str
    says: str


@dataclass(frozen=True, slots=True)
class ClauseView:
    """One clause. ``cells`` holds at most 96 rows, ``more`` is the number of further rows."""

    name: str
    status: str
    css: str
    glyph: str
    kind: str
    basis: str
    breaks: str
    statement: str
    places: tuple[str, ...]
    why: str
    cells: tuple[CellView, ...]
    more: int
    cases: tuple[str, ...]
    judged: str
    readings: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpecView:
    """One specification; ``clauses`` are those that can be tested, ``untestable`` the others."""

    name: str
    title: str
    revision: str
    document: str
    bar: Markup
    counts: tuple[tuple[str, str, int], ...]
    """(status, CSS class, number), only what occurs."""
    passed: int
    applicable: int
    clauses: tuple[ClauseView, ...]
    untestable: tuple[ClauseView, ...]
    rows: tuple[str, ...]
    unjudged: tuple[tuple[str, int], ...]
    """Reason and how many clause x row cells it kept from being judged, most frequent first."""
    not_covered: tuple[tuple[str, str], ...]
    """Caps row that cannot be judged, and why; the first 96."""
    uncovered: int
    """How many there are."""
    reported: int
    """Caps rows that were reported in all."""
    broken: str
    """What is wrong with the specification itself; empty if it could be used."""
    tests: tuple[TestView, ...]
    """How much each test's verdicts accept, most first."""


def spec_view(name: str, spec: SpecResult, catalogue: Catalogue | None) -> SpecView:
    """Everything that a report says of one specification."""
    counts = clause_counts(spec)
    views = [_clause(clause, result, catalogue) for clause, result in spec.clauses.items()]
    rows = dict.fromkeys(row for clause in spec.clauses.values() for row in clause.rows)
    return SpecView(
        name=name,
        title=spec.title,
        revision=spec.revision,
        document="" if catalogue is None else _document(catalogue, spec.revision),
        bar=status_bar(counts, f"Clauses of {name}"),
        counts=tuple((status, css_class(status), counts[status]) for status in STATUSES if counts[status]),
        passed=counts["pass"],
        applicable=counts["pass"] + counts["fail"] + counts["not judged"],
        clauses=tuple(view for view in views if view.status != "not testable"),
        untestable=tuple(view for view in views if view.status == "not testable"),
        rows=tuple(rows),
        unjudged=_reasons(spec),
        not_covered=tuple(spec.not_covered.items())[:_MOST_ROWS],
        uncovered=len(spec.not_covered),
        reported=spec.rows,
        broken=spec.broken,
        tests=sharpness_views(spec),
    )


def _document(catalogue: Catalogue, revision: str) -> str:
    """What is called the document: of a device of another revision, the text of that."""
    if revision == catalogue.revision:
        return catalogue.document
    others = (text.named for text in catalogue.publication.values() if text.revision == revision)
    other = next(others, "")
    return (
        f"{other}; of clauses that both have, places are those in {catalogue.document}" if other else catalogue.document
    )


def _reasons(spec: SpecResult) -> tuple[tuple[str, int], ...]:
    found: Counter[str] = Counter()
    for clause in spec.clauses.values():
        for cell in clause.rows.values():
            if cell.status in {"not judged", "not applicable"}:
                found[f"{cell.status}: {cell.why or clause.why or 'no reason given'}"] += 1
    return tuple(sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))[:8])


def _clause(name: str, result: ClauseResult, catalogue: Catalogue | None) -> ClauseView:
    entry = None if catalogue is None else catalogue.clause.get(name)
    cells = [_cell(row, cell) for row, cell in list(result.rows.items())[:_MOST_ROWS]]
    basis = BASES.get(result.basis, "")
    touching = () if entry is None else entry.readings
    decisions = {} if catalogue is None else catalogue.decisions
    return ClauseView(
        name=name,
        status=result.status,
        css=css_class(result.status),
        glyph=GLYPHS[result.status],
        kind="" if entry is None else KINDS[entry.kind],
        basis=f"{result.basis}: {basis}" if basis else result.basis,
        breaks=BREAKS[authority_of(result.basis)] if result.status == "fail" else "",
        statement="This version of mmaspec has no statement for it." if entry is None else entry.statement,
        places=() if entry is None or catalogue is None else tuple(catalogue.places(entry)),
        why=shorten(result.why or passes_by(result, catalogue) or ("" if entry is None else entry.why_not)),
        cells=tuple(cells),
        more=max(0, len(result.rows) - _MOST_ROWS),
        cases=result.cases,
        judged=_judged(result),
        readings=tuple(name for name in touching if name not in decisions),
        decisions=tuple(name for name in touching if name in decisions),
    )


def _judged(result: ClauseResult) -> str:
    total = sum(cell.judged for cell in result.rows.values())
    return compact(total) if total else ""


def _cell(row: str, cell: Cell) -> CellView:
    count = ""
    if cell.status == "fail":
        count = f"{compact(cell.failed)} failed"
    elif cell.judged:
        count = compact(cell.judged)
    says: list[str] = [cell.status]
    if cell.judged:
        says.append(f"{thousands(cell.judged)} elements judged")
    if cell.failed:
        says.append(plural(cell.failed, "failing case"))
    if cell.weak:
        says.append(f"{plural(cell.weak, 'weak case')} not counted")
    if cell.why:
        says.append(shorten(cell.why, 160))
    return CellView(row, css_class(cell.status), GLYPHS[cell.status], count, ", ".join(says))
