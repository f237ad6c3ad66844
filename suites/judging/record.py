"""The records of a run, each one line of JSON."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.oracle.readings import Assignment
from mmaspec.strategies.grammar import EXPLORATION

Outcome = Literal["legal", "illegal", "refused", "died", "not applicable", "inconclusive"]
"""legal: every judged byte is inside its set, or a near miss was refused. refused: the backend said no to a
valid program (a failure). not applicable: a near miss of a rule that the backend does not enforce, or a row
it does not support. inconclusive: it died once and not again, or was never answered."""

Symptom = Literal[
    "value", "unlike", "touched", "not refused", "refused", "died", "raised", "bad reply", "reported", "unstable"
]
"""How a failure shows; *reported*: in what the device says of itself; *unstable*: some of several answers to the same
question are legal and some are not."""


NOT_RUN = "not run: the run was stopped, as enough cases had failed"
"""Why a case is inconclusive that was not asked, and is still pending for ``--resume``."""

AloneOutcome = Literal["legal", "failed", "otherwise", "not known"]
"""How a failing case ended as the first one of a process of its own; *otherwise*: it failed, but another element was
wrong, or held something else; *not known*: it died there, or did not start."""


Owner = Literal["wave", "thread", "vector"]
"""Whose an element is: a wave's, a thread's, or that of a thread's vector, which has one column."""


class Element(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The worst element of a failing case. Bits are hexadecimal text, most significant digit first."""

    buffer: str
    address: int
    """Bytes from the start of the view (negative: in the guard zone before it)."""
    item: int
    wave: int = 0
    """Of what belongs to a thread, the thread's number in its group."""
    owner: Owner = "wave"
    row: int = 0
    col: int = 0
    format: str = ""
    got: str
    got_value: str = ""
    """As a decimal and, for floats, a hexadecimal float literal."""
    low: str = ""
    low_value: str = ""
    high: str = ""
    high_value: str = ""
    nan_allowed: bool = False
    only_ends: bool = False
    """Between ``low`` and ``high`` nothing is legal."""
    distance: int | None = None
    """Ordinals (representable values) between what was found and the nearest legal value."""


class Finding(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A failing case with the clauses blamed for it."""

    symptom: Symptom
    blamed: tuple[str, ...]
    """Clauses, the most likely one first."""
    how: str
    """How the blame was found: ``symptom``, ``toggle``, ``base``, ``batch``, ... (docs/run-folder.md)."""
    says: str
    """One line: what was wrong, where."""
    place: str = ""
    """Number of the first instruction after which the state was illegal."""
    cause: str = ""
    """Completes "behaves as if ...", when a counterfactual reproduces the observed bytes."""
    element: Element | None = None
    wrong: int = 0
    judged: int = 0
    profile_only: bool = False
    """Legal under ``practice``: only the profile that the backend declares is broken."""
    reported: str = ""
    """What the backend says of itself, where that is what was wrong."""
    demanded: str = ""
    """What it may say there."""
    pattern: str = ""
    """What became of legal values, where the wrong elements hold those of others: "rows 14 and 15 are exchanged"."""
    only: tuple[str, ...] = ()
    """What it goes away with, such as "literal arguments" or "one wave": a circumstance that it needs."""
    instead: str = ""
    """What it goes away with where one change of the wrong instruction removes it, in the text of the program."""
    candidates: tuple[str, ...] = ()
    """What it might behave as if, where no single counterfactual explains the case as listed: ``cause`` is empty."""
    otherwise: tuple[str, ...] = ()
    """The clauses without what that says, where it says something else."""
    gross: bool = False
    """Some wrong element is beyond any rounding: outside what documents demand of an accumulator of 8 bits."""
    farthest: int | None = None
    """The largest distance of a wrong element from its legal set, in ordinals."""
    practice_only: bool = False
    """Legal by what documents demand: only practice is broken."""
    repeats: int = 0
    """How often the case was run, the first time included; 0: its answer was recorded elsewhere, or it is no value."""
    wrong_repeats: int = 0
    """In how many of these the answer was illegal."""
    varies: bool = False
    """Whether answers to the same question differed."""
    alone: bool = False
    """It is right as the first case of a process of its own: what ran before it decides."""
    unrun: tuple[str, ...] = ()
    """Variations of the case that the backend refused, or could not run, so that they told nothing: in words."""


class Opened(Struct, frozen=True, forbid_unknown_fields=True, tag="opened"):
    """The first row of a file: whose rows it has, and how it is called."""

    run: str
    """That of the plan."""
    file: str


class Begin(Struct, frozen=True, forbid_unknown_fields=True, tag="begin"):
    """Appended before a case is sent to the backend."""

    case: str


class Abandoned(Struct, frozen=True, forbid_unknown_fields=True, tag="abandoned"):
    """Appended by the supervisor when it stopped a worker for another case's sake: that begin does not count."""

    case: str


class ExampleFile(Struct, frozen=True, forbid_unknown_fields=True, tag="example"):
    """Appended after a case file was written."""

    name: str
    """Below ``cases/``."""
    sha256: str


class Dropped(Struct, frozen=True, forbid_unknown_fields=True, tag="dropped"):
    """Appended before a case file is removed, since no finding of the judged run lists it."""

    name: str
    """Below ``cases/``."""


class Alone(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="alone"):
    """Appended after a failing case was asked once more, as the first one of a process of its own."""

    case: str
    outcome: AloneOutcome
    example: str = ""
    """File name of its case below ``cases/``, where it had none before."""


class Result(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, tag="result"):
    """Appended after a case was judged; also what was found in the caps that were reported, which no case is about."""

    case: str
    """Content hash of the recipe."""
    spec: str
    row: str
    template: str
    outcome: Outcome
    target: str = ""
    """The near miss's clause."""
    clauses: tuple[str, ...] = ()
    """Clauses that acted."""
    judged: int = 0
    """Elements judged (in all batch items)."""
    weak: bool = False
    """More than 1e-3 of the representable results would have been accepted in every judged element."""
    share: float = 0.0
    """Median share of the representable results that the judged elements' legal sets accept; 0: nothing judged."""
    widest: float = 0.0
    """The largest such share."""
    unjudged: int = 0
    """Elements that were stored but not judged (in all batch items)."""
    accepted: tuple[Assignment, ...] = ()
    """Readings under which the case was legal, or its refusal was; empty where no ambiguity mattered."""
    sensitive: tuple[str, ...] = ()
    """Names of the counterfactuals whose results lie outside the legal set of this case."""
    finding: Finding | None = None
    example: str = ""
    """File name of the reduced case below ``cases/``."""
    why: str = ""
    """Why it is inconclusive or not applicable."""
    sampled: bool = False
    """It passed, and was run again because its ID is in the sample."""
    varied: bool = False
    """Whether its bytes differed when it was run again."""
    usual: tuple[Assignment, ...] | None = None
    """The readings that explain most of the answers, where not the same ones explain each."""
    answer: str = ""
    """Digest of a legal answer and of what the backend was given; empty where it rules a reading out, or is long."""

    @property
    def explored(self) -> bool:
        """Whether its case lies beyond the case list: it counts for no clause."""
        return self.template == EXPLORATION

    @property
    def examined(self) -> bool:
        """Whether ``sensitive`` was computed: not if judging the case was abandoned, nor of explored cases."""
        return self.outcome != "died" and bool(self.clauses) and not self.explored


Row = Opened | Begin | Abandoned | ExampleFile | Dropped | Alone | Result
