"""The report as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from mmaspec.reports import words
from mmaspec.reports.catalogues import Catalogues, catalogues_of
from mmaspec.reports.clause_view import spec_view
from mmaspec.reports.code_spans import marked
from mmaspec.reports.example import Example
from mmaspec.reports.explored_view import SAYS, explored_lines
from mmaspec.reports.finding_view import finding_views
from mmaspec.reports.gate_view import reasons
from mmaspec.reports.plain import compact, plural, shorten, thousands, visible
from mmaspec.reports.reading_view import decision_views, reading_views, still_open
from mmaspec.suites.gate.model import Gate
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Run

MAX_BYTES = 2_000_000
"""A report is smaller than this: findings are left out, and counted, until it is."""
MOST_FINDINGS = 40
"""How many findings are shown in full at most."""
_MOST_REASONS = 50
_MOST_INCIDENTS = 20
_MOST_MATRIX_CELLS = 6000


def render_report(
    run: Run,
    results: Sequence[Result],
    examples: Mapping[str, Example],
    catalogues: Catalogues | None = None,
    gate: Gate | None = None,
) -> str:
    """The report of a run as HTML, the same text for the same arguments.

    ``examples`` are the reduced cases by file name. Statements come from ``catalogues``, by default those of
    the specifications in the run. Whatever a backend or a case names is escaped, and shortened.
    """
    known = catalogues_of(run.specs) if catalogues is None else catalogues
    html = ""
    for most in (MOST_FINDINGS, 20, 8, 2, 0):
        html = _render(run, results, examples, known, most, gate)
        if len(html.encode()) < MAX_BYTES:
            break
    return html


def _render(
    run: Run,
    results: Sequence[Result],
    examples: Mapping[str, Example],
    catalogues: Catalogues,
    most: int,
    gate: Gate | None,
) -> str:
    style, script = _template("report.css"), _template("report.js.j2")
    specs = [spec_view(name, spec, catalogues.get(name)) for name, spec in run.specs.items()]
    cells = sum(len(spec.clauses) * len(spec.rows) for spec in specs)
    incidents = [result for result in results if result.outcome == "inconclusive" and not result.explored]
    findings = finding_views(run, results, examples, catalogues, most, gate=gate)
    explored = finding_views(run, results, examples, catalogues, most, explored=True, gate=gate)
    readings = reading_views(run, catalogues)
    told = reasons(gate) if gate is not None else []
    return _environment().get_template("report.html.j2").render(
        run=run,
        gate=gate,
        reasons=told[:_MOST_REASONS],
        hidden_reasons=len(told[_MOST_REASONS:]),
        words=words,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}",
        backend=words.described(run.backend, "name", "unnamed"),
        version=words.described(run.backend, "version"),
        borrowed=_names(run.backend, "borrowed"),
        roles=_names(run.backend, "roles"),
        profile=words.described(run.profile, "name", "practice"),
        declared=words.declared(run.profile),
        failing=words.failing_by_authority(run, results),
        specs=specs,
        matrix=cells <= _MOST_MATRIX_CELLS,
        findings=findings,
        hidden=len(run.findings) - len(findings),
        explored=explored,
        hidden_explored=len(run.explored_findings) - len(explored),
        exploration=explored_lines(run),
        of_exploration=SAYS,
        readings=[view for view in readings if view.state != "open"],
        open_readings=[view for view in readings if view.state == "open"],
        still_open=still_open(readings),
        decisions=decision_views(run, catalogues),
        incidents=incidents[:_MOST_INCIDENTS],
        more_incidents=max(0, len(incidents) - _MOST_INCIDENTS),
        environment=sorted((key, _flat(value)) for key, value in run.environment.items()),
    ) + "\n"  # fmt: skip


def _names(value: Any, field: str) -> list[str]:
    found = value.get(field) if isinstance(value, Mapping) else None
    return [str(name) for name in found][:200] if isinstance(found, (list, tuple)) else []


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_flat(item)}" for key, item in sorted(value.items()))
    if isinstance(value, (list, tuple)):
        return ", ".join(_flat(item) for item in value)
    return str(value)


def _digest(text: str) -> str:
    """The source expression with which a content security policy admits exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _template(name: str) -> str:
    return resources.files("mmaspec.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _finalize(value: object) -> object:
    """Every text that a template prints passes here, before it is escaped."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(thousands=thousands, compact=compact, plural=plural, shorten=shorten, marked=marked)
    return environment
