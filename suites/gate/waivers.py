"""Waivers: known failures, each with an owner, an expiry date and a case that still shows it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from mmaspec.backends.faults import all_faults
from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import MAX_FILE, Case, decode_case
from mmaspec.oracle.spec import specs_at_hand
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import read_plain, strictly
from mmaspec.suites.judging.record import Finding, Symptom
from mmaspec.suites.judging.telling.found import found_in

MAX_WAIVERS = 1 << 20
"""Largest waiver file that is read, in bytes."""
MAX_PINNED = 256 << 20
"""Largest sum of the pinned cases of one waiver file, in bytes: all of them are in memory at once."""

DATE = "2027-12-31"
"""How a date is written."""

Said = Annotated[str, Meta(min_length=1, max_length=400)]
Pattern = Annotated[str, Meta(min_length=1, max_length=200)]


class Waiver(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One accepted failure. Patterns are those of file names (``*``, ``?``, ``[...]``), case-sensitive."""

    clause: Said
    reason: Said
    link: Said
    """Where it is followed up."""
    owner: Said
    expires: date
    """The last day on which it holds."""
    case: Annotated[str, Meta(max_length=400)] = ""
    """The pinned case: a case file, named from the folder of the waiver file, with ``/``. What a backend reports of
    itself is in no case: such a waiver has none, and the symptom ``reported``."""
    backend: Pattern = "*"
    """Names of backends, as they describe themselves, that it is for."""
    version: Pattern = "*"
    """Their versions."""
    rows: Annotated[tuple[Pattern, ...], Meta(min_length=1, max_length=100)] = ("*",)
    """Caps rows in which the clause may fail."""
    symptom: Symptom | None = None
    """How it shows. Without one, in any way that blames the clause: a crash has to be waived by name."""

    def is_for(self, description: Description) -> bool:
        """Whether the waiver is for a backend with this description."""
        return fnmatchcase(description.name, self.backend) and fnmatchcase(description.version, self.version)

    def concerns(self, row: str) -> bool:
        """Whether the waiver holds in a caps row."""
        return any(fnmatchcase(row, pattern) for pattern in self.rows)

    def explains(self, finding: Finding, acted: Collection[str] = ()) -> bool:
        """Whether a failure is the waived one; ``acted`` are the clauses that acted in its case.

        One that blames no clause, such as a crash, has to be waived by its symptom, for a clause that acted. Where one
        circumstance explains a failure, the clause named first is meant; where a counterfactual reproduces its bytes,
        that one's clause too. Else all that are named come into question, in an order that may differ from case to
        case.
        """
        if finding.symptom != self.symptom if self.symptom else finding.symptom == "died":
            return False
        if not finding.blamed:
            return self.symptom is not None and self.clause in acted
        if finding.cause:
            return self.clause in {*finding.blamed[:1], *_imitated(finding.cause)}
        return self.clause in (finding.blamed[:1] if finding.how == "toggle" else finding.blamed)


@cache
def _imitated(cause: str) -> frozenset[str]:
    """The clauses of the counterfactuals with this behaviour."""
    return frozenset(fault.clause for fault in all_faults() if fault.behaves_as_if == cause)


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    waiver: tuple[Waiver, ...] = ()


@dataclass(frozen=True, slots=True)
class Pinned:
    """A waiver, the specification of its clause, and its pinned case, if it has one."""

    waiver: Waiver
    spec: str
    case: Case | None


def decode_waivers(data: bytes, where: str) -> tuple[Waiver, ...]:
    """The waivers in the text of a TOML file called ``where``. Raises ``BadInput``, which names it."""
    if len(data) > MAX_WAIVERS:
        raise BadInput(f"{where}: {len(data)} bytes; a waiver file has at most {MAX_WAIVERS}")
    with strictly(where, "a waiver file"):
        given = _parsed(data.decode())
        _check_dates(given)
        waivers = msgspec.convert(given, _File).waiver
    if not given:
        raise BadInput(f"{where}: is empty; expected waivers, or waiver = [] where there is none")
    seen: set[tuple[str, ...]] = set()
    for number, waiver in enumerate(waivers, 1):
        entry = f"{where}: waiver {number}"
        owner_of(waiver.clause, entry)
        if waiver.symptom == "unstable":
            raise BadInput(f"{entry}: unstable answers are no failure of a clause; a baseline accepts them")
        if waiver.symptom == "reported":
            if waiver.case:
                raise BadInput(f"{entry}: has a case; what a backend reports of itself is in none")
        elif not waiver.case:
            raise BadInput(f"{entry}: has no case; expected a case file that shows the failure")
        else:
            _inside(waiver.case, entry)
        same = (waiver.clause, waiver.case, waiver.backend, waiver.version, *(() if waiver.case else waiver.rows))
        if same in seen:
            case = f" with case {waiver.case}" if waiver.case else ""
            raise BadInput(f"{entry}: {waiver.clause} is waived twice{case}")
        seen.add(same)
    return waivers


def _parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text; what is wrong is told with its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line ([0-9]+)", str(error))
        line = text.splitlines()[int(found[1]) - 1].strip() if found else ""
        date_of = f"; expected a date without quotes, such as {DATE}" if line.startswith("expires") else ""
        raise ValueError(f"{error}{f': {line[:80]}' if line else ''}{date_of}") from error


def _check_dates(given: dict[str, Any]) -> None:
    """Raise ``BadInput`` for a waiver whose last day is no date."""
    waivers = given.get("waiver")
    for number, waiver in enumerate(waivers if isinstance(waivers, list) else [], 1):
        expires = waiver.get("expires", date.max) if isinstance(waiver, dict) else date.max
        try:
            last = date.fromisoformat(expires) if isinstance(expires, str) else expires
        except ValueError:
            last = None
        if not isinstance(last, date):
            raise BadInput(f"waiver {number}: expires {expires!r}; expected a date such as {DATE}")


def owner_of(clause: str, where: str) -> str:
    """The specification that has the clause. Raises ``BadInput`` if none has, or if no case can fail it."""
    for spec in specs_at_hand():
        found = spec.catalogue.clause.get(clause)
        if found is not None:
            if not found.testable:
                raise BadInput(f"{where}: {clause} cannot fail: {found.why_not}")
            return spec.name
    raise BadInput(f"{where}: no clause named {clause!r}; see mmaspec clauses")


def _inside(name: str, where: str) -> None:
    """Raise ``BadInput`` unless ``name`` stays below the folder that it is taken from, on every system."""
    path = PurePosixPath(name)
    outside = path.is_absolute() or ".." in path.parts or not path.parts
    if outside or name.endswith("/") or any(letter in name for letter in "\\:\0"):
        raise BadInput(
            f"{where}: case {name!r}; expected a case file in or below the folder of the waiver file, "
            "written from there with / between folders, such as cases/0123456789abcdef.json"
        )


def read_waivers(path: Path) -> tuple[Pinned, ...]:
    """The waivers of a file with their pinned cases. Raises ``BadInput`` for whatever is wrong with either."""
    waivers = decode_waivers(read_plain(path, MAX_WAIVERS), str(path))
    return tuple(_pinned(path, waivers))


def _pinned(path: Path, waivers: Iterable[Waiver]) -> Iterable[Pinned]:
    total = 0
    for number, waiver in enumerate(waivers, 1):
        where = f"{path}: waiver {number}"
        spec = owner_of(waiver.clause, where)
        if not waiver.case:
            yield Pinned(waiver, spec, None)
            continue
        file = path.parent / waiver.case
        try:
            data = read_plain(file, MAX_FILE)
            case = decode_case(data, str(file))
            found_in(case, str(file))  # so that what is wrong with it is told before anything runs
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from error
        total += len(data)
        if total > MAX_PINNED:
            raise BadInput(f"{path}: the pinned cases have more than {MAX_PINNED} bytes in all")
        if case.spec != spec:
            raise BadInput(f"{where}: {waiver.clause} is a clause of {spec}, but its case is one of {case.spec}")
        if not waiver.concerns(case.row):
            raise BadInput(f"{where}: its case is one of caps row {case.row}, which its rows leave out")
        yield Pinned(waiver, spec, case)
