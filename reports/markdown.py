"""The run in a few lines of Markdown, short enough for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mmaspec.reports.catalogues import Catalogues, catalogues_of
from mmaspec.reports.code_spans import spans
from mmaspec.reports.explored_view import explored_lines
from mmaspec.reports.finding_view import replay_command, see_also
from mmaspec.reports.gate_view import Reason, reasons
from mmaspec.reports.plain import plural, shorten, single_line, thousands, visible
from mmaspec.reports.reading_view import clause_lines, reading_views, still_open
from mmaspec.reports.standing import standing
from mmaspec.reports.unjudged import unjudged
from mmaspec.reports.words import BREAKS, HELD_TO, VERDICTS, clause_counts, declared, described, failing_by_authority
from mmaspec.suites.gate.model import Gate
from mmaspec.suites.judging.confirm import as_if
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Run

MOST_LINES = 60
DEFAULT = "profile"
"""The authority that is not worth a word."""
_MOST_SPECS = 6
_MOST_FINDINGS = 5
_MOST_EXPLORED = 2
_MOST_READINGS = 8
_MOST_ROWS = 5
_MOST_REASONS = 4
_MARKS = {"conformant": "✅", "not conformant": "❌", "inconclusive": "❔"}


def summary(
    run: Run, results: Sequence[Result] = (), gate: Gate | None = None, catalogues: Catalogues | None = None
) -> str:
    """Verdict, authority, totals, findings and readings in fewer than 60 lines.

    Whatever a backend or a case names stands in a code span: no mark-up, no mention, no table cell of its own.
    """
    lines = [
        f"## {_MARKS[run.verdict]} {VERDICTS[run.verdict]}: {code(described(run.backend, 'name', 'unnamed'), 80)}",
        "",
        f"{plain(run.headline, 200)}.",
        "",
        *([_gate_line(gate), ""] if gate is not None else ()),
        *_authority(run, results),
        "",
        *_table(run),
    ]
    if run.findings:
        lines += ["", "### Findings", "", *_findings(run, results, gate)]
    if gate is not None and (told := _reasons(gate)):
        lines += ["", "### Why the gate says so", "", *told]
    if run.exploration:
        lines += ["", "### Exploration", "", *_exploration(run, results, gate)]
    if not_judged := _not_judged(run):
        lines += ["", "### Not judged", "", *not_judged]
    if not_covered := list(_not_covered(run)):
        lines += ["", "### Not covered", "", *not_covered]
    if told := _readings(run, catalogues_of(run.specs) if catalogues is None else catalogues):
        lines += ["", "### Readings", "", *told]
    lines += ["", f"Tier {code(run.tier, 20)}, seed {run.seed}, case list {code(run.case_list, 20)}."]
    return "\n".join(lines) + "\n"


def _gate_line(gate: Gate) -> str:
    """The decision of the gate."""
    mark = {"passes": "✅", "fails": "❌", "inconclusive": "❔"}[gate.verdict]
    return f"{mark} **{plain(gate.headline, 200)}.**"


def _reasons(gate: Gate) -> list[str]:
    """The first few reasons of the gate."""
    told = reasons(gate)
    left = len(told) - _MOST_REASONS
    more = [f"- and {left} more in `gate.json`"] if left > 0 else []
    return [*(_reason(reason) for reason in told[:_MOST_REASONS]), *more]


def _reason(reason: Reason) -> str:
    where = f" in {code(reason.row, 60)}" if reason.row else ""
    says = f": {prose(reason.says, 200)}" if reason.says else ""
    return f"- {reason.what}: {code(reason.clause or 'no clause', 60)}{where}{says}"


def _authority(run: Run, results: Sequence[Result]) -> list[str]:
    extra = declared(run.profile)
    said = f"Profile {code(described(run.profile, 'name', 'practice'), 60)}"
    said += f" declares: {plain('; '.join(extra), 300)}." if extra else " declares nothing beyond practice."
    broken = [
        f"{count} {'clause' if count == 1 else 'clauses'} where it {BREAKS[authority]}"
        for authority, count in failing_by_authority(run, results).items()
        if count
    ]
    if run.authority != DEFAULT:
        held = HELD_TO.get(run.authority, "")
        said += f" Held to the authority {code(run.authority, 20)}{f': {held}' if held else ''}."
    return [said, *([f"**{', '.join(broken)}.**"] if broken else [])]


def _table(run: Run) -> list[str]:
    lines = [
        "| specification | pass | fail | not judged | not applicable | not testable |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for name, spec in list(run.specs.items())[:_MOST_SPECS]:
        counts = " | ".join(str(count) for count in _ordered(clause_counts(spec)))
        text = f", {plain(spec.revision, 60)}" if spec.revision else ""
        lines.append(f"| {code(name, 60)}{text} | {counts} |")
    if len(run.specs) > _MOST_SPECS:
        lines.append(f"| and {len(run.specs) - _MOST_SPECS} more | | | | | |")
    judged = f"{thousands(run.totals.cases)} cases, {thousands(run.totals.elements)} elements judged"
    return [*lines, "", f"{judged}."]


def _ordered(counts: dict[str, int]) -> list[int]:
    return [counts[status] for status in ("pass", "fail", "not judged", "not applicable", "not testable")]


def _findings(run: Run, results: Sequence[Result], gate: Gate | None) -> list[str]:
    lines = []
    for group in run.findings[:_MOST_FINDINGS]:
        stands = standing(group, results, gate)
        badges = "".join(f", **{badge}**" for badge in stands.badges)
        lines.append(f"- {code(group.title, 60)} ({plural(group.cases, group.noun)}{badges}): {prose(group.says, 640)}")
        told = [f"{plain(group.grade, 160)}."] if group.grade else []
        told += [plain(stands.says, 900)] if stands.says else []
        lines += [f"  {' '.join(told)}"] if told else []
        if group.suspects:
            lines.append(f"  Suspected as well: {plain(', '.join(group.suspects), 160)}.")
        if guess := as_if(group.cause, group.candidates):
            lines.append(f"  It {plain(guess, 300)}.")
        if group.shares:
            lines.append(f"  In common: {prose(group.shares, 300)}.")
        if also := see_also(group, run):
            lines.append(f"  {plain(also[0].upper() + also[1:], 200)}.")
        if group.sum:
            lines.append(f"  In the case file: {plain(group.sum, 600)}.")
        if group.example:
            lines.append(f"  {code(replay_command(run, group.example), 1200)}")
    if left := len(run.findings) - _MOST_FINDINGS:
        lines += [f"- and {left} more in the report"] if left > 0 else []
    return lines


def _exploration(run: Run, results: Sequence[Result], gate: Gate | None) -> list[str]:
    """What became of explored cases, and the first findings: a clause, what is wrong, and how to see it."""
    told = "; ".join(f"{code(name, 60)} {says}" for name, says in explored_lines(run)[:_MOST_SPECS])
    lines = [f"{told}."]
    for group in run.explored_findings[:_MOST_EXPLORED]:
        stands = standing(group, results, gate, explored=True)
        badges = "".join(f", **{badge}**" for badge in stands.badges)
        lines.append(f"- {code(group.title, 60)} ({plural(group.cases, group.noun)}{badges}): {prose(group.says, 240)}")
        if group.example:
            lines.append(f"  {code(replay_command(run, group.example), 1200)}")
    left = len(run.explored_findings) - _MOST_EXPLORED
    return [*lines, *([f"- and {left} more in the report"] if left > 0 else [])]


def _not_judged(run: Run) -> list[str]:
    named, more = unjudged(run)
    lines = [f"- {code(name, 60)}: {plain(why, 200)}" for name, why in named]
    return [*lines, *([f"- and {more} more in the report"] if more else [])]


def _not_covered(run: Run) -> Iterator[str]:
    """Specifications that could not be used, and rows that were reported and cannot be judged."""
    for name, spec in run.specs.items():
        if spec.broken:
            yield f"- {code(name, 60)} could not be used: {plain(spec.broken, 200)}"
    rows = [(row, why) for spec in run.specs.values() for row, why in spec.not_covered.items()]
    for row, why in rows[:_MOST_ROWS]:
        yield f"- row {code(row, 80)}: {plain(why, 160)}"
    if len(rows) > _MOST_ROWS:
        yield f"- and {len(rows) - _MOST_ROWS} more in the report"


def _readings(run: Run, catalogues: Catalogues) -> list[str]:
    """The readings that the run told apart, and how many it did not."""
    views = reading_views(run, catalogues)
    told = [view for view in views if view.state != "open"]
    lines = []
    for view in told[:_MOST_READINGS]:
        left = [code(name, 40) for name, _, agrees in view.options if agrees]
        lines.append(f"- {code(view.name, 60)}: {' or '.join(left[:6]) or '**no single reading explains the run**'}")
    if len(told) > _MOST_READINGS:
        lines.append(f"- and {len(told) - _MOST_READINGS} more in the report")
    lines += [f"- {plain(line, 200)}" for line in clause_lines(run, catalogues)[:_MOST_READINGS]]
    return [*lines, *([f"- {still_open(views)}"] if still_open(views) else [])]


def code(text: str, longest: int) -> str:
    """``text`` as a code span that nothing inside can leave, on one line, also inside a table."""
    inner = shorten(single_line(visible(text)), longest).replace("|", "¦") or " "
    longest_run = max((len(run) for run in re.findall("`+", inner)), default=0)
    fence = "`" * (longest_run + 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{fence}{pad}{inner}{pad}{fence}"


def plain(text: str, longest: int) -> str:
    """``text`` as plain words: every character that Markdown or HTML could take for mark-up is neutralised."""
    return _MARKUP.sub(_neutral, shorten(single_line(visible(text)), longest))


def prose(text: str, longest: int) -> str:
    """The same of a sentence in which code stands between backticks: it becomes a code span of its own."""
    said = spans(shorten(single_line(visible(text)), longest))
    return "".join(code(part, longest) if is_code else _MARKUP.sub(_neutral, part) for part, is_code in said)


_MARKUP = re.compile(r"[&<>@#]|:(?=//)|(?<=www)\.|[\\`*_\[\]|!~]")


def _neutral(found: re.Match[str]) -> str:
    letter = found.group()
    return f"&#{ord(letter)};" if letter in "&<>@#:." else f"\\{letter}"
