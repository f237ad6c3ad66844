"""One finding as a report shows it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from markupsafe import Markup

from mmaspec.oracle.clauses import Clause
from mmaspec.reports.catalogues import Catalogues, clause_of
from mmaspec.reports.example import Example
from mmaspec.reports.layout import MemoryMap
from mmaspec.reports.number_line import distance_words, number_line
from mmaspec.reports.plain import plural, shorten, shorten_lines, single_line, thousands
from mmaspec.reports.reading_view import pinned_readings
from mmaspec.reports.standing import Standing, standing
from mmaspec.reports.svg import legend, memory_map
from mmaspec.reports.words import BLAME, BREAKS, SYMPTOMS, authority_of, described
from mmaspec.suites.gate.model import Gate
from mmaspec.suites.judging.blaming.elsewhere.between_items import BETWEEN
from mmaspec.suites.judging.confirm import as_if
from mmaspec.suites.judging.record import Element, Finding, Result
from mmaspec.suites.judging.repeats.unstable import HOW
from mmaspec.suites.judging.reported import TEMPLATE
from mmaspec.suites.judging.telling.finding import grade
from mmaspec.suites.judging.telling.whose import coordinates
from mmaspec.suites.planning.plan import TIME_LIMIT
from mmaspec.suites.verdict.model import FindingGroup, Run

_MOST_LINES = 120
_MOST_LETTERS = 6000
FOLDER = "folder"
"""Where the environment that a report shows says in which folder the run is."""
BYTE = "byte"
"""The format of an element that is no element: a byte outside every store."""


@dataclass(frozen=True, slots=True)
class FindingView:
    """One group of failing cases. ``facts`` are (term, description) pairs about the element."""

    number: int
    clause: str
    named: bool
    """Whether it is a clause, and not words that stand in its place."""
    spec: str
    statement: str
    breaks: str
    says: str
    cause: str
    """The likely cause, as a sentence without its end; or those that come into question."""
    symptom: str
    blame: str
    also: tuple[str, ...]
    cases: str
    row: str
    program: str
    """What kind of a program ``text`` is, as a heading, and what is to be said of that."""
    reduction: str
    text: str
    cut: bool
    facts: tuple[tuple[str, str], ...]
    line: Markup
    picture: Markup
    legend: tuple[tuple[Markup, str], ...]
    caption: str
    file: str
    replay: str
    shares: str
    """What its cases have in common and no passing one has."""
    related: tuple[tuple[int, str], ...]
    """Number and title of findings that may come of the same mistake."""
    evidence: tuple[str, ...]
    """Further case files."""
    case: str
    """ID of the listed case, where no case file was kept."""
    standing: Standing
    """Whether the gate accepts it."""


def finding_views(
    run: Run,
    results: Sequence[Result],
    examples: Mapping[str, Example],
    catalogues: Catalogues,
    most: int,
    *,
    explored: bool = False,
    gate: Gate | None = None,
) -> list[FindingView]:
    """The first ``most`` findings of a run's case list, in its order; or those of its exploration, numbered on."""
    by_file = {result.example: result for result in results if result.example and result.finding}
    by_case = {result.case: result for result in results if result.finding}
    views = []
    groups, before = (run.explored_findings, len(run.findings)) if explored else (run.findings, 0)
    for number, group in enumerate(groups[:most], 1 + before):
        result = by_file.get(group.example) or by_case.get(group.case)
        stands = standing(group, results, gate, explored=explored)
        views.append(_view(number, group, run, result, examples.get(group.example), catalogues, stands))
    return views


def related_to(group: FindingGroup, run: Run) -> tuple[tuple[int, str], ...]:
    """Number and title of the findings of a run that may come of the same mistake as ``group``."""
    return tuple(
        (number, other.title)
        for number, other in enumerate(run.every_finding, 1)
        if other.case and other.case in group.related
    )


def see_also(group: FindingGroup, run: Run) -> str:
    """The same in words, without their first letter; empty if there are none."""
    found = ", ".join(f"finding {number} ({title})" for number, title in related_to(group, run))
    return f"see also {found}, which may be of the same mistake" if found else ""


def replay_command(run: Run, file: str) -> str:
    """The command that replays the case, quoted for a POSIX shell: from where the report was written."""
    chosen = run.environment.get("backend")
    name = chosen if isinstance(chosen, str) else described(run.backend, "name", "NAME")
    path = PurePosixPath(described(run.environment, FOLDER), "cases", file)
    limit = run.environment.get("time_limit")
    waiting = f" --time-limit {limit:g}" if isinstance(limit, float) and limit != TIME_LIMIT else ""
    return f"mmaspec replay {shlex.quote(str(path))} --backend {shlex.quote(name)}{waiting}"


def _view(
    number: int,
    group: FindingGroup,
    run: Run,
    result: Result | None,
    example: Example | None,
    catalogues: Catalogues,
    stands: Standing,
) -> FindingView:
    finding = example.finding if example is not None else (result.finding if result is not None else None)
    spec = next((name for name, spec in run.specs.items() if group.clause in spec.clauses), "")
    entry = clause_of(catalogues, spec, group.clause)
    basis = run.specs[spec].clauses[group.clause].basis if spec else ""
    text, cut = shorten_lines(example.text, _MOST_LINES, _MOST_LETTERS) if example is not None else ("", False)
    element = None if finding is None else finding.element
    drawn = None if example is None else example.memory
    reduced = _of_reduced(example, result)
    spec = spec or ("" if result is None else result.spec)
    return FindingView(
        number=number,
        clause=group.clause or ("unstable" if group.symptom == "unstable" else "no clause in particular"),
        named=bool(group.clause),
        spec=spec,
        statement="" if entry is None else entry.statement,
        breaks=_breaks(basis, finding),
        says=_sentence(shorten(f"in the listed case: {group.says}" if reduced else group.says)),
        cause=_guess(group),
        symptom="" if finding is None or finding.symptom == group.title else SYMPTOMS[finding.symptom],
        blame="" if finding is None else _blame(finding),
        also=() if finding is None else tuple(name for name in finding.blamed if name != group.clause)[:8],
        cases=plural(group.cases, f"failing {group.noun}"),
        row="" if result is None else result.row,
        program=_PROGRAMS[None if example is None else example.drawn],
        reduction=_reduction(example, run),
        text=text,
        cut=cut,
        facts=()
        if finding is None
        else (
            *_facts(finding, element, _taken(entry, spec, run, catalogues), of_reduced=reduced),
            *([("Sum", shorten(group.sum, 600))] if group.sum else []),
            *_unrun(finding),
        ),
        line=Markup("") if element is None else number_line(element),
        picture=Markup("") if drawn is None else memory_map(drawn),
        legend=() if drawn is None else tuple(legend(drawn)),
        caption="" if drawn is None else _caption(drawn),
        file=group.example,
        replay=replay_command(run, group.example) if group.example else "",
        shares=_sentence(shorten(group.shares)),
        related=related_to(group, run),
        evidence=group.evidence,
        case="" if result is None or group.example or result.template == TEMPLATE else result.case,
        standing=stands,
    )


def _blame(finding: Finding) -> str:
    """How the blame was found, or why there is none."""
    return BLAME.get(finding.how, finding.how) if finding.blamed or finding.how in (HOW, BETWEEN) else ""


def _guess(group: FindingGroup) -> str:
    guess = as_if(group.cause, group.candidates)
    return shorten(single_line(f"It {guess}")) if guess else ""


def _unrun(finding: Finding) -> Iterator[tuple[str, str]]:
    """Variations of the case that told nothing."""
    if finding.unrun:
        yield "Not run", shorten(single_line("; ".join(finding.unrun)), 400)


def _sentence(text: str) -> str:
    """``text`` with a capital at its start."""
    return text[:1].upper() + text[1:]


def _breaks(basis: str, finding: Finding | None) -> str:
    if finding is not None and finding.profile_only:
        return BREAKS["profile"]
    return BREAKS[authority_of(basis)] if basis else ""


def _caption(drawn: MemoryMap) -> str:
    shown = f", of which bytes {drawn.left} to {drawn.left + drawn.width - 1} are shown"
    line = f"A line is {drawn.pitch} bytes{shown if drawn.width < drawn.pitch else ''}"
    return f"Buffer {drawn.buffer}, {thousands(drawn.size)} bytes. {line}; addresses count from the view's start."


_PROGRAMS = {None: "The program", False: "The reduced program", True: "The program as drawn"}


def _reduction(example: Example | None, run: Run) -> str:
    """Why a program is shown as it was drawn; empty where it is not."""
    if example is None or not example.drawn:
        return ""
    chance = example.finding.symptom == "unstable" or example.finding.varies or example.finding.alone
    if chance or run.process == "recorded":
        return "It was not reduced."
    return "No smaller one was found that fails so."


def _of_reduced(example: Example | None, result: Result | None) -> bool:
    """Whether the element that is shown is one of the case in the file, and not of the listed one."""
    listed = None if result is None else result.finding
    return example is not None and listed is not None and example.finding.element != listed.element


def _taken(entry: Clause | None, spec: str, run: Run, catalogues: Catalogues) -> str:
    """How a clause's ambiguities are taken where something is legal: open ones by one reading, others as decided."""
    pinned = pinned_readings(run.profile)
    decisions = catalogues[spec].decisions if spec in catalogues else {}
    touching = () if entry is None else entry.readings
    left_open = ", ".join(name for name in touching if name not in pinned and name not in decisions)
    said = [f"by the reading of {left_open} that explains most; others are open"] if left_open else []
    said += [f"as decided ({name}): {decisions[name].decision}" for name in touching if name in decisions]
    return "\n".join(said)


def _facts(finding: Finding, element: Element | None, taken: str, *, of_reduced: bool) -> list[tuple[str, str]]:
    facts = []
    case = " of the case in the file" if of_reduced else ""
    if finding.reported:
        facts += [("Reported", shorten(finding.reported)), ("Allowed", shorten(finding.demanded))]
    if finding.place:
        facts.append(("First wrong after", f"instruction {finding.place}{case}"))
    if element is not None:
        where = f"buffer {element.buffer}, byte {element.address}"
        if element.format not in {"", BYTE}:
            where += f": {coordinates(element)}"
        where += f", batch item {element.item}{case}"
        facts += [("Where", where), ("Found", _value(element.got, element.got_value, element.format))]
        legal = _legal(element)
        if taken and element.format != BYTE:
            legal += f"\n{taken}"
        facts.append(("Legal", legal))
        if words := distance_words(element):
            facts.append(("Distance", words))
    if finding.wrong:
        extent = grade(finding) or f"{thousands(finding.wrong)} bytes"
        facts.append(("Extent", f"{extent}, in the listed case"))
    facts += [("Could not be run", shorten(line)) for line in finding.unrun]
    return facts


def _value(bits: str, value: str, fmt: str = "") -> str:
    digits = bits if bits.startswith("0x") or not bits else f"0x{bits}"
    return "  =  ".join(part for part in (f"{fmt} {digits}".strip(), shorten(value, 120)) if part)


def _legal(element: Element) -> str:
    """The legal set, one bound a line."""
    if element.format == BYTE:
        return f"its old contents, 0x{element.low}"
    nan = element.nan_allowed
    if not element.low and not element.high:
        return "NaN, and nothing else" if nan else "not known"
    low, high = _value(element.low, element.low_value), _value(element.high, element.high_value)
    if low == high or not element.high:
        return f"{low}, or NaN" if nan else f"{low}, and nothing else"
    first, second = ("", "or   ") if element.only_ends else ("from ", "to   ")
    return f"{first}{low}\n{second}{high}" + ("\nor   NaN" if nan else "")
