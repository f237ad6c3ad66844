"""Baselines: what failed and what was judged in an earlier run, small and sorted, for people to review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import check_keys, check_schema, strictly
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Run
from mmaspec.suites.verdict.verdicts import fails

SCHEMA = "mmaspec.baseline/1"
MAX_BASELINE = 16 << 20
"""Largest baseline that is read, in bytes."""
EVERY = "*"
"""Stands for every caps row of the specification."""
UNSTABLE = "unstable"
"""The symptom of which no row is kept: where a device shows it is chance."""
READINGS = "readings"
"""How it shows that no single reading of an ambiguity explains a run; beside the symptoms of findings."""


class BaselineSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One specification: clause -> caps rows, ``*`` for all of ``rows``."""

    rows: tuple[str, ...]
    failing: dict[str, dict[str, tuple[str, ...]]] = {}
    """Clause -> caps row -> symptoms. The clause is empty where none could be blamed."""
    judged: dict[str, tuple[str, ...]] = {}
    """Where it passed or failed."""
    not_judged: dict[str, tuple[str, ...]] = {}
    """Where it was applicable and not judged."""


class Baseline(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What failed and what was judged in an earlier run."""

    schema: str
    backend: str
    """The name by which the backend describes itself."""
    tier: str
    seed: int
    case_list: str
    specs: dict[str, BaselineSpec]

    def accepts(self, spec: str, clause: str, row: str, symptom: str) -> bool:
        """Whether the clause failed in this row before, and in this way."""
        known = self.specs.get(spec)
        return known is not None and symptom in known.failing.get(clause, {}).get(where(row, symptom), ())

    def unjudged(self, spec: str, clause: str, row: str) -> bool:
        """Whether the clause was applicable in this row before, and not judged."""
        known = self.specs.get(spec)
        return known is not None and row in _rows(known, known.not_judged.get(clause, ()))

    def judged_places(self) -> Iterator[tuple[str, str, str]]:
        """Specification, clause and row of everything that was judged."""
        for name, spec in self.specs.items():
            for clause, listed in spec.judged.items():
                for row in _rows(spec, listed):
                    yield name, clause, row

    def failures(self) -> Iterator[tuple[str, str, str, str]]:
        """Specification, clause, row and symptom of everything that failed."""
        for name, spec in self.specs.items():
            for clause, rows in spec.failing.items():
                for row, symptoms in rows.items():
                    for symptom in symptoms:
                        yield name, clause, row, symptom


def where(row: str, symptom: str) -> str:
    """The caps row under which a failure is kept."""
    return EVERY if symptom == UNSTABLE else row


def _rows(spec: BaselineSpec, listed: Sequence[str]) -> Sequence[str]:
    return spec.rows if EVERY in listed else listed


def baseline_of(run: Run, results: Iterable[Result], waived: Iterable[tuple[str, str, str, str]] = ()) -> Baseline:
    """The baseline that accepts exactly the failures of ``run``; those of explored cases are no part of it.

    ``waived`` are (specification, clause, row, symptom) that waivers accept: those stay theirs.
    """
    failing: dict[str, dict[str, dict[str, set[str]]]] = {}
    isolated = set(waived)

    def note(spec: str, clause: str, row: str, symptom: str) -> None:
        if (spec, clause, row, symptom) not in isolated:
            failing.setdefault(spec, {}).setdefault(clause, {}).setdefault(row, set()).add(symptom)

    for result in results:
        if fails(result, run.authority) and not result.explored:
            finding = result.finding
            blamed = finding.blamed[0] if finding is not None and finding.blamed else ""
            symptom = finding.symptom if finding is not None else result.outcome
            note(result.spec, blamed, where(result.row, symptom), symptom)
    for name, spec in run.specs.items():
        for clause, found in spec.clauses.items():
            for row, cell in found.rows.items():
                if cell.status == "fail" and not cell.failed:
                    note(name, clause, row, READINGS)
    return Baseline(
        schema=SCHEMA,
        backend=run.backend_name,
        tier=run.tier,
        seed=run.seed,
        case_list=run.case_list,
        specs={name: _spec(run, name, failing.get(name, {})) for name in sorted(run.specs)},
    )


def _spec(run: Run, name: str, failing: Mapping[str, Mapping[str, Iterable[str]]]) -> BaselineSpec:
    clauses = run.specs[name].clauses
    rows = tuple(dict.fromkeys(row for clause in clauses.values() for row in clause.rows))

    def listed(*statuses: str) -> dict[str, tuple[str, ...]]:
        found = {}
        for clause, result in sorted(clauses.items()):
            here = tuple(sorted(row for row, cell in result.rows.items() if cell.status in statuses))
            if here:
                found[clause] = (EVERY,) if len(here) == len(rows) else here
        return found

    return BaselineSpec(
        rows=tuple(sorted(rows)),
        failing={
            clause: {row: tuple(sorted(symptoms)) for row, symptoms in sorted(by_row.items())}
            for clause, by_row in sorted(failing.items())
        },
        judged=listed("pass", "fail"),
        not_judged=listed("not judged"),
    )


def encode_baseline(baseline: Baseline) -> bytes:
    """A baseline as JSON text, a line for each clause, so that a change of it reads as a change of lines."""

    def text(value: object) -> str:
        return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()

    def table(name: str, entries: Mapping[str, object]) -> str:
        lines = ",\n".join(f"    {text(key)}: {text(value)}" for key, value in entries.items())
        return f'   "{name}": {{\n{lines}\n   }}' if lines else f'   "{name}": {{}}'

    head = [
        f' "{name}": {text(getattr(baseline, name))}' for name in ("schema", "backend", "tier", "seed", "case_list")
    ]
    specs = []
    for name, spec in baseline.specs.items():
        rows = ",\n".join(f"    {text(row)}" for row in spec.rows)
        parts = [
            f'   "rows": [\n{rows}\n   ]' if rows else '   "rows": []',
            table("failing", spec.failing),
            table("judged", spec.judged),
            table("not_judged", spec.not_judged),
        ]
        specs.append(f"  {text(name)}: {{\n" + ",\n".join(parts) + "\n  }")
    whole = ",\n".join([*head, ' "specs": {\n' + ",\n".join(specs) + "\n }"])
    return f"{{\n{whole}\n}}\n".encode()


def decode_baseline(data: bytes, where: str) -> Baseline:
    """Read a baseline strictly; ``where`` names it in messages. Raises ``BadInput``."""
    if len(data) > MAX_BASELINE:
        raise BadInput(f"{where}: {len(data)} bytes; a baseline has at most {MAX_BASELINE}")
    with strictly(where, "a baseline"):
        baseline = msgspec.json.decode(data, type=Baseline)
        check_keys(data)
    check_schema(baseline.schema, SCHEMA, where)
    return baseline
