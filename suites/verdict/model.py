"""The run model: the contents of ``run.json``, which do not depend on how the work was distributed."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

SCHEMA = "mmaspec.run/1"

RunVerdict = Literal["conformant", "not conformant", "inconclusive"]
EXIT_CODES: dict[RunVerdict, int] = {"conformant": 0, "not conformant": 1, "inconclusive": 3}
"""Exit codes of ``mmaspec check``; all others are no verdict (``docs/verdicts.md``)."""

CellStatus = Literal["pass", "fail", "not judged", "not applicable"]
ClauseStatus = Literal["pass", "fail", "not judged", "not applicable", "not testable"]


class Cell(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One clause under one caps row."""

    status: CellStatus
    judged: int = 0
    """Elements judged in cases that are sensitive to the clause."""
    failed: int = 0
    """Failing cases blamed on the clause."""
    weak: int = 0
    """Sensitive cases that do not count because their legal sets accept too much."""
    why: str = ""


class ClauseResult(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One clause over all rows. ``cases`` lists the first five IDs that prove or fail it."""

    status: ClauseStatus
    basis: str
    why: str
    rows: dict[str, Cell]
    cases: tuple[str, ...]
    readings: dict[str, list[str]] = {}
    """Of a clause that passes: ambiguity -> the readings by which it does, where they are not all that there are."""


class Sharpness(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much the verdicts of one test accept; a test is the judged cases of one template in one caps row."""

    cases: int
    judged: int
    """Elements judged."""
    unjudged: int
    """Elements stored in these cases, but not judged."""
    weak: int
    """Cases that prove nothing by themselves, since each judged element accepts too much."""
    median: float
    """Share of the representable results that is accepted: the median over cases of the median over elements."""
    widest: float
    """The largest share that any judged element accepts."""


class SpecResult(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One specification."""

    title: str
    revision: str
    caps: Any
    """As the backend reported them; null where it does not support the specification."""
    clauses: dict[str, ClauseResult]
    rows: int = 0
    """Caps rows that were reported, judged or not."""
    not_covered: dict[str, str] = {}
    """Those of which no case can be judged -> the reason. They change no verdict."""
    not_possible: int = 0
    """Listed cases that were never sent: the backend cannot take their buffers."""
    broken: str = ""
    """What is wrong with a third party's specification that could not be used."""
    sharpness: dict[str, dict[str, Sharpness]] = {}
    """Template -> caps row -> how much its verdicts accept."""


class FindingGroup(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Failing cases of one clause and cause; ``example`` is a file below ``cases/``."""

    clause: str
    cause: str
    says: str
    cases: int
    example: str
    case: str = ""
    """ID of the case that ``says`` is about."""
    shares: str = ""
    """What all of these cases have in common and no passing case has: "all 26 have clamp = 1; 0 of 70 others"."""
    evidence: tuple[str, ...] = ()
    """Further case files of the same finding, at most five."""
    grade: str = ""
    """How much is wrong: of how many elements, how far."""
    symptom: str = ""
    """How it shows, where no clause is blamed, and where it is what the device reports of itself (``reported``)."""
    spec: str = ""
    """Of which specification these cases are; empty where no single reading explains a run."""
    suspects: tuple[str, ...] = ()
    """The clauses that are suspected beside ``clause``."""
    candidates: tuple[str, ...] = ()
    """As what the backend may behave, where several counterfactuals leave these bytes and ``cause`` names none."""
    related: tuple[str, ...] = ()
    """The ``case`` of other findings that may come of the same mistake; nothing is blamed otherwise for it."""
    sum: str = ""
    """The values behind the wrong element of ``example``, where known: a row, a column, the addend, the exact sum."""

    @property
    def noun(self) -> str:
        """What ``cases`` counts: nothing is run for what a device reports of itself."""
        return "row" if self.symptom == "reported" else "case"

    @property
    def title(self) -> str:
        """The clause, or what stands in its place."""
        return self.clause or ("unstable" if self.symptom == "unstable" else "no clause")


class Totals(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Counts over the whole run."""

    cases: int
    legal: int
    illegal: int
    refused: int
    died: int
    not_applicable: int
    inconclusive: int
    elements: int
    """Elements judged."""
    clauses: dict[str, int]
    """Clauses by status."""
    unstable: int = 0
    """Illegal cases of which some answers are legal."""
    sampled: int = 0
    """Legal cases that were run once more, being in the sample."""
    varied: int = 0
    """Those of them whose bytes differed then."""


class Exploration(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What became of the explored cases of one specification."""

    cases: int
    outcomes: dict[str, int]
    """Cases by outcome."""
    failed: int
    """How many fail the run."""
    findings: list[FindingGroup]


class Run(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A judged run. Everything but ``environment`` is a function of case list, backend and where the backend runs.

    ``verdict`` and ``headline`` are of the case list and of exploration.
    """

    schema: str
    verdict: RunVerdict
    headline: str
    backend: Any
    """The backend's description."""
    profile: Any
    authority: str
    readings: dict[str, list[str]]
    """Ambiguity -> readings that still explain the whole run."""
    seed: int
    tier: str
    case_list: str
    environment: dict[str, Any]
    specs: dict[str, SpecResult]
    findings: list[FindingGroup]
    totals: Totals
    process: Literal["", "in-process", "isolated", "recorded"] = ""
    """Where the backend ran: in the process that records its answers, and so trusted; in one of its own; somewhere
    else, where its answers were recorded. Empty: an earlier version wrote the run, and does not say."""

    exploration: dict[str, Exploration] = {}
    """Specification -> what its explored cases found. Nothing else in this file counts or names these cases."""

    @property
    def explored_findings(self) -> list[FindingGroup]:
        """The findings of exploration."""
        return [group for explored in self.exploration.values() for group in explored.findings]

    @property
    def every_finding(self) -> list[FindingGroup]:
        """The findings of the case list, then those of exploration."""
        return [*self.findings, *self.explored_findings]

    @property
    def backend_name(self) -> str:
        """The name by which the backend describes itself; empty where a damaged run has none."""
        name = self.backend.get("name") if isinstance(self.backend, dict) else None
        return name if isinstance(name, str) else ""
