"""The clause catalogue: each specification's ``clauses.toml`` and ``clauses-<part>.toml``, decoded strictly."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any, Literal

import msgspec
from msgspec import Struct

from mmaspec.oracle.ambiguity import Ambiguity
from mmaspec.oracle.publication import Publication
from mmaspec.programs.errors import BadInput

ClauseKind = Literal["V", "X", "M", "C", "U", "D"]
"""V validity, X exact value, M memory and layout, C caps, U undefined boundary, D device-dependent."""

Basis = Literal["document", "companion", "language", "derived", "practice", "profile"]
"""Who says so, strongest first."""

ELSEWHERE: frozenset[Basis] = frozenset({"companion", "language"})
"""Bases that are another text than the document, which is named."""

FIRST_OF_A_KIND = frozenset({"addresses", "untyped", "wide"})
"""Tags of the first rows of a kind: what is shown there holds in the others as well, where it need not be shown."""


Need = Literal["waves", "passes", "signs", "range", "rows"]
"""What a clause needs to matter at all: several waves, a loop, operands below zero, sums or values that are large or no
whole numbers, rows that differ."""


class Clause(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One statement of a specification.

    ``section``, ``locator`` and ``digest`` find its place in the document again
    (``mmaspec.oracle.source_text``); all three are empty where ``basis`` is not the document. Without a section,
    locator and digest find the place in the publication: in a text of the document of which that is another revision.
    ``why_not`` says why a clause cannot be tested, and is empty for a testable one.
    """

    kind: ClauseKind
    basis: Basis
    statement: str
    section: str = ""
    locator: str = ""
    digest: str = ""
    publication: str = ""
    """The text beside the document that says so, by its name in the catalogue; needed where the basis is one."""
    place: str = ""
    """Where in that publication."""
    why_not: str = ""
    rows: tuple[str, ...] = ()
    """Tags of which a caps row must carry at least one; none means every row."""
    visible: Literal["compile", "run", ""] = ""
    """V clauses: whether a compiler can see a breach, or only a run can: of the values of arguments, and of what the
    device reports, an offline compiler knows nothing."""
    readings: tuple[str, ...] = ()
    """Ambiguities that touch this clause, those among them that are decided included."""
    carried_by: Literal["arithmetic", "around", ""] = ""
    """Clauses about values: whether the arithmetic of a backend carries it out, and can get it wrong, or the code
    around it, so that the arithmetic never sees the values or is handed them ready-made. Empty for validity, memory and
    caps, which are always the work of the code around."""
    entails: tuple[str, ...] = ()
    """V clauses that a breach of this one always breaks as well."""
    refines: tuple[str, ...] = ()
    """Clauses that this one narrows: where both are broken, this one is named."""
    apart: bool = False
    """Whether what this clause demands beyond the documents is told apart from what they do: it can be left out of the
    legal sets (``mmaspec.programs.profile.DOCUMENT``). For clauses on practice."""
    revision: str = ""
    """The one revision of the document that has it: the rows of a device carry theirs as a tag. Empty: all that the
    catalogue covers."""
    needs: tuple[Need, ...] = ()
    """Circumstances without which no device can break it: a failure that stays without them is another clause's."""
    patterns: tuple[str, ...] = ()
    """Of legal values in wrong places, those that break it: by what they are the values of (``result``, ``operand``,
    ``product`` and what moved in it, such as ``product rows``), or by their kind, such as ``transposition``.
    ``beside``: results are right, and what stands in the other halves of their registers is wrong."""
    arguments: tuple[str, ...] = ()
    """Arguments of instructions, by the names of their fields, of which it states what they do. It is named where a
    failure depends on whether such an argument is a literal."""
    nan: bool = False
    """Whether it demands NaN: it is named where NaN was due and something else came."""

    @property
    def testable(self) -> bool:
        """Whether a backend can fail this clause."""
        return not self.why_not


class Catalogue(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything a specification demands, by clause ID."""

    spec: str
    title: str
    revision: str
    document: str
    """What the published document is called, for a reader who looks for it."""
    clause: dict[str, Clause]
    ambiguity: dict[str, Ambiguity] = {}
    publication: dict[str, Publication] = {}
    """The other texts on which clauses rest, by the names that clauses use."""

    def __post_init__(self) -> None:
        """Raise ValueError for an ambiguity that is neither a decision nor a choice, and for a text not named."""
        entries: tuple[Mapping[str, Ambiguity | Publication], ...] = (self.ambiguity, self.publication)
        for identity, entry in (pair for part in entries for pair in part.items()):
            if flaw := entry.flaw():
                raise ValueError(f"{identity} {flaw}")
        for identity, clause in self.clause.items():
            if flaw := self._unnamed(clause):
                raise ValueError(f"{identity} {flaw}")

    def _unnamed(self, clause: Clause) -> str:
        """What is missing where a clause rests on another text than the document; empty if nothing is."""
        if clause.publication and clause.publication not in self.publication:
            there = ", ".join(self.publication) or "none"
            return f"rests on the publication {clause.publication!r}; there are {there}"
        if bool(clause.publication) != bool(clause.place):
            return "has a publication and a place in it, or neither; found one"
        if clause.basis in ELSEWHERE and not clause.publication:
            return f"has the basis {clause.basis}; expected the publication that says so and the place in it"
        return ""

    def places(self, clause: Clause) -> list[str]:
        """Where a reader finds what a clause rests on: in the document, in another text, or nowhere."""
        found = []
        at = f', at "{clause.locator}"' if clause.locator else ""
        if clause.section:
            found.append(f"{self.document}: {clause.section}{at}")
        if clause.publication:
            found.append(f"{self.publication[clause.publication].named}: {clause.place}{'' if clause.section else at}")
        return found

    def placed(self, publication: str = "") -> dict[str, Clause]:
        """The clauses that a locator finds in the document, or in another text."""
        return {
            identity: clause
            for identity, clause in self.clause.items()
            if clause.locator
            and (not clause.section and clause.publication if publication else clause.section)
            and publication in ("", clause.publication)
        }

    @property
    def open_points(self) -> dict[str, Ambiguity]:
        """The ambiguities with several readings, of which one has to explain a run."""
        return {identity: entry for identity, entry in self.ambiguity.items() if not entry.decided}

    @property
    def decisions(self) -> dict[str, Ambiguity]:
        """The ambiguities of which one reading alone can be executed."""
        return {identity: entry for identity, entry in self.ambiguity.items() if entry.decided}

    def applies(self, clause: str, tags: frozenset[str]) -> bool:
        """Whether a clause concerns a caps row with these tags."""
        entry = self.clause[clause]
        if entry.revision and entry.revision not in tags:
            return False
        return not entry.rows or not tags.isdisjoint(entry.rows)

    def shown_in_some(self, clause: str) -> bool:
        """Whether a clause holds in all rows, and is shown in the first of a kind only."""
        return not FIRST_OF_A_KIND.isdisjoint(self.clause[clause].rows)


def load_catalogue(package: str) -> Catalogue:
    """Read the catalogue of a specification's package, such as ``mmaspec.oracle.hlsl_wave_matrix``.

    ``clauses.toml`` holds it; a large one goes on in files called ``clauses-<part>.toml``, in the order of their
    names. ``BadInput`` for what cannot be decoded, and for an ID that two files have.
    """
    folder = resources.files(package)
    parts = sorted(
        entry.name for entry in folder.iterdir() if entry.name.startswith("clauses-") and entry.name.endswith(".toml")
    )
    whole: dict[str, Any] = {}
    for name in ("clauses.toml", *parts):
        try:
            found = msgspec.toml.decode(folder.joinpath(name).read_bytes())
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadInput(f"{package}: {name}: {error}") from error
        for key, value in found.items():
            if not isinstance(value, dict):
                whole[key] = value
                continue
            known = whole.setdefault(key, {})
            for entry in value:
                if entry in known:
                    raise BadInput(f"{package}: {name}: {entry} stands in two files of the catalogue")
            known.update(value)
    try:
        return msgspec.convert(whole, type=Catalogue)
    except msgspec.ValidationError as error:
        raise BadInput(f"{package}: clauses.toml: {error}") from error
