"""What a device's answers about itself come to: rows that can be tested, that break a clause, that cannot be judged.

Each specification judges the answers in its module ``caps_report``. Only a device is judged like this; caps that a
person wrote and that break a clause are bad input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from mmaspec.programs.errors import BadInput

C = TypeVar("C")
"""The caps of a specification."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A clause that one answer of a device breaks: what was reported, and what is demanded, as ends of a sentence."""

    clause: str
    reported: str
    """Goes on from "reports": ``K = 24``."""
    demanded: str
    """Goes on from "expected": ``a multiple of 16``."""
    spoils: bool = True
    """Whether its row cannot be tested for it; what a whole table lacks is no trouble of the row that stands for it."""

    @property
    def says(self) -> str:
        """Both in one line."""
        return f"reports {self.reported}; expected {self.demanded}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of what a device reported, with the names of the caps rows that it makes."""

    rows: tuple[str, ...]
    breaches: tuple[Breach, ...] = ()
    not_covered: str = ""
    """Why programs of these rows cannot be judged; empty: they can, or a clause is broken."""


@dataclass(frozen=True, slots=True)
class CapsReport(Generic[C]):
    """Everything that a device reported for a specification, judged."""

    usable: C
    """The caps with the rows that can be tested, and perhaps some that are only supported; ``rows`` has the former."""
    claimed: C
    """Everything that the device says it supports: no near miss may use it, tested or not."""
    answers: tuple[Answer, ...]
    """In the order in which the device gave them."""

    def breaches(self) -> Iterator[tuple[str, Breach]]:
        """Every row that breaks a clause, with the breach; once for each clause and row."""
        seen = set()
        for answer in self.answers:
            for row in answer.rows:
                for breach in answer.breaches:
                    if (row, breach.clause) not in seen:
                        seen.add((row, breach.clause))
                        yield row, breach

    def not_covered(self) -> dict[str, str]:
        """The rows that cannot be judged, and why, in the order of the answers."""
        return {row: answer.not_covered for answer in self.answers if answer.not_covered for row in answer.rows}

    def rows(self) -> tuple[str, ...]:
        """The names of all rows, each once."""
        return tuple(dict.fromkeys(row for answer in self.answers for row in answer.rows))


def check_written(report: CapsReport[C], where: str = "caps") -> None:
    """Raise ``BadInput``, one line that begins with ``where``, where a person wrote a row that no device may report."""
    for row, breach in report.breaches():
        if not breach.spoils:
            continue
        raise BadInput(f"{where}: row {row} breaks {breach.clause}: {breach.reported}; expected {breach.demanded}")
