"""What ``check`` and ``replay`` say of a planted device, through the commands that a person runs.

``python -m tests.diagnosis.measuring [NAME...]``, at the root of the checkout, prints the table of the devices or
specifications named; without names, of all devices, which takes minutes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from mmaspec.suites.judging.blaming.elsewhere.between_items import BETWEEN
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.verdict.model import FindingGroup, Run

from .planted import DEVICES, TRIAL, Planted

CLAUSE = re.compile(r"\b(?:RDNA3|WM|KHRCM|NVCM2|ISGMMA)-[A-Z0-9]+(?:-[A-Z0-9]+)*\b")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What one replay of a finding's case file printed."""

    code: int
    says: str
    confirmed: bool
    """It fails as the run did: the same clause, or the same death, exception or instability."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A planted device, the run's findings, how they show, and what replaying their case files says."""

    planted: Planted
    code: int
    headline: str
    findings: tuple[FindingGroup, ...]
    symptoms: tuple[str, ...]
    """Of each finding: how its cases fail, as the records of its cases say."""
    replays: tuple[Replayed, ...]
    """Of each finding that has a case file."""

    @property
    def largest(self) -> FindingGroup | None:
        """The finding with the most cases."""
        return max(self.findings, key=lambda finding: finding.cases, default=None)

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is said and is not so: clauses that no expert would blame, or a symptom taken for another."""
        return tuple(
            f"{finding.clause or '-'} ({symptom})"
            for finding, symptom in zip(self.findings, self.symptoms, strict=True)
            if not self.accepts(finding, symptom)
        )

    def accepts(self, finding: FindingGroup, symptom: str) -> bool:
        """Whether a finding is one that an expert would sign."""
        planted = self.planted
        if symptom in (planted.symptom, planted.either) and symptom != "value":
            return not finding.clause and all(
                any(word in finding.shares for word in words.split("|")) for words in planted.shares
            )
        return finding.clause in planted.clauses

    @property
    def right(self) -> bool:
        """The run failed, and everything that it says is so."""
        return self.code == 1 and bool(self.findings) and not self.wrong

    @property
    def mostly_right(self) -> bool:
        """The run failed, and what it says of the most cases is so, and of nine in ten of those that fail."""
        accepted = [
            finding.cases
            for finding, symptom in zip(self.findings, self.symptoms, strict=True)
            if self.accepts(finding, symptom)
        ]
        every = [finding.cases for finding in self.findings]
        return (
            self.code == 1
            and bool(every)
            and max(accepted, default=0) == max(every)
            and 10 * sum(accepted) >= 9 * sum(every)
        )

    @property
    def confirmed(self) -> bool:
        """There is something to replay, and every replay says what the run said."""
        return bool(self.replays) and all(replay.confirmed for replay in self.replays)

    @property
    def mostly_confirmed(self) -> bool:
        """The replay of the finding with the most cases says what the run said."""
        shown = [finding for finding in self.findings if finding.example]
        told = zip(shown, self.replays, strict=True)
        return any(replay.confirmed for finding, replay in told if finding is self.largest)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """``mmaspec`` with these words, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "mmaspec", *words], capture_output=True, text=True, check=False, encoding="utf-8"
    )


def check(planted: Planted, folder: Path, *options: str, backend: str = "") -> Measured:
    """The run of one device, without replays."""
    words = ["check", "--backend", backend or planted.backend, "--spec", planted.spec, "-n", "0"]
    done = command(*words, "--report", str(folder), *options, *(["--isolate"] if planted.isolate else []))
    assert done.returncode in (0, 1, 3), done.stderr
    run = msgspec.json.decode((folder / "run.json").read_bytes(), type=Run)
    findings = tuple(run.findings)
    symptoms = tuple(symptom_of(finding, folder) for finding in findings)
    return Measured(planted, done.returncode, run.headline, findings, symptoms, ())


def symptom_of(finding: FindingGroup, folder: Path) -> str:
    """How the cases of a finding fail: that of the case of its example, or of the first that blames its clause."""
    return next((each for each in _symptoms(finding, folder)), "value")


def _symptoms(finding: FindingGroup, folder: Path) -> Iterator[str]:
    lines = (folder / "results.jsonl").read_bytes().splitlines()
    results = [msgspec.json.decode(line, type=Result) for line in lines if b'"type":"result"' in line[:40]]
    failed = [result for result in results if result.finding is not None]
    for exact in (True, False):
        for result in failed:
            assert result.finding is not None
            first = (*result.finding.blamed, "")[0]
            if (finding.example and result.example == finding.example) if exact else first == finding.clause:
                yield _kind(result.finding)


def _kind(finding: Finding) -> str:
    if finding.how == BETWEEN and not finding.blamed:
        return "between items"
    return finding.symptom if finding.symptom in ("died", "raised", "unstable") else "value"


def replay(measured: Measured, folder: Path, *, backend: str = "") -> tuple[Replayed, ...]:
    """Replay the case file of every finding that has one."""
    found = []
    for finding, symptom in zip(measured.findings, measured.symptoms, strict=True):
        if finding.example:
            file = str(folder / "cases" / Path(finding.example).name)
            done = command("replay", file, "--backend", backend or measured.planted.backend)
            says = (done.stdout or done.stderr).strip()
            fails = done.returncode == 1 or says.startswith("legal: confirmed: ")  # what needs other cases before it
            found.append(Replayed(done.returncode, says, fails and agrees(says, finding, symptom)))
    return tuple(found)


def agrees(says: str, finding: FindingGroup, symptom: str) -> bool:
    """Whether a replay names what the run found, first of all clauses, and no other cause of it."""
    if symptom != "value" or not finding.clause:
        return symptom in says and not CLAUSE.search(says.replace(finding.clause or "\0", ""))
    named = CLAUSE.search(says)
    return named is not None and named[0] == finding.clause and _cause(says) in ("", finding.cause)


def _cause(says: str) -> str:
    found = re.search(r"behaves as if (.*?)(?:$|[;\n(])", says)
    return found[1].strip() if found else ""


def measure(planted: Planted, folder: Path, *options: str, backend: str = "") -> Measured:
    """Check one device and replay what was found; ``backend``: instead of the device's own, ``options``: of check."""
    found = check(planted, folder, *options, backend=backend)
    return replace(found, replays=replay(found, folder, backend=backend))


def row(measured: Measured) -> str:
    """One line of the table."""
    planted = measured.planted
    accepted = ", ".join(sorted(planted.clauses)) or planted.symptom
    said = "; ".join(
        f"{finding.clause or '-'} {symptom} x{finding.cases}"
        for finding, symptom in zip(measured.findings, measured.symptoms, strict=True)
    )
    confirmed = f"{sum(replay.confirmed for replay in measured.replays)} of {len(measured.replays)}"
    cells = (
        planted.spec,
        planted.kind,
        planted.name,
        accepted,
        said or measured.headline,
        "right" if measured.right else "wrong",
        confirmed,
    )
    return "| " + " | ".join(cells) + " |"


def main(names: Sequence[str]) -> None:
    """Print the table, a line for every device as soon as it is measured."""
    print("| spec | defect | device | accepted | check says | check | replays that confirm |")  # noqa: T201
    print("| --- | --- | --- | --- | --- | --- | --- |")  # noqa: T201
    done = []
    for planted in (*DEVICES, TRIAL):
        if not names or planted.name in names or planted.spec in names:
            with TemporaryDirectory() as folder:
                done.append(measure(planted, Path(folder) / "run"))
            print(row(done[-1]), flush=True)  # noqa: T201
    right, confirmed = sum(each.right for each in done), sum(each.confirmed for each in done)
    print(f"\nright {right} of {len(done)}; confirmed by replay {confirmed} of {len(done)}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
