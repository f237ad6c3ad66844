"""The case in the file of a finding, reduced where it could be, with everything that a report shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mmaspec.oracle.case import MAX_FILE, Case, decode_case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import read_plain
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.reports.layout import MemoryMap, map_memory
from mmaspec.reports.numbered import numbered
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.judging.telling.found import found_in
from mmaspec.suites.verdict.model import Run


@dataclass(frozen=True, slots=True)
class Example:
    """The case in a file: ``file`` is its name below ``cases/``, ``text`` its program with numbers.

    ``finding`` has the element that is wrong in this case, which need not be that of the listed one.
    ``memory`` is None where there is nothing to draw: a near miss, a crash, a case without an element.
    """

    file: str
    text: str
    case: Case | None
    finding: Finding
    memory: MemoryMap | None = None
    drawn: bool | None = None
    """Whether its program is that of the listed case, and no smaller one; None where that is not known."""


def build_example(
    file: str, case: Case, finding: Finding, profile: Profile = PRACTICE, *, drawn: bool | None = None
) -> Example:
    """The view of ``case``, whose blamed failure is ``finding``. ``BadInput`` for an unusable case."""
    spec = spec_named(case.spec)
    text = numbered(case.program, lambda program: spec.text(program, case.caps))
    return Example(file, text, case, finding, _memory(case, finding, profile), drawn)


def _memory(case: Case, finding: Finding, profile: Profile) -> MemoryMap | None:
    element = finding.element
    if element is None:
        return None
    buffer = next((buffer for buffer in case.program.buffers if buffer.name == element.buffer), None)
    if buffer is None:
        return None
    # Where things lie does not depend on values, so one item is enough and cheap.
    expected = expect(case.item(0), profile)
    return map_memory(expected, buffer, element) if isinstance(expected, Defined) else None


def load_examples(folder: Path, run: Run, results: Sequence[Result], profile: Profile = PRACTICE) -> dict[str, Example]:
    """The examples of ``run`` from ``folder/cases``, by file name.

    Raises ``BadInput`` for a case file that is missing, too large or not a case.
    """
    findings = {result.example: result.finding for result in results if result.example and result.finding}
    examples: dict[str, Example] = {}
    for group in run.every_finding:
        finding = findings.get(group.example)
        if finding is None or group.example in examples:
            continue
        path = folder / "cases" / plain_name(group.example)
        where = f"cases/{group.example}"
        case = decode_case(read_plain(path, MAX_FILE), where)
        found = found_in(case, where)
        shown = finding if found is None else found.shown
        drawn = None if found is None else found.drawn
        examples[group.example] = build_example(group.example, case, shown, profile, drawn=drawn)
    return examples


def plain_name(name: str) -> str:
    """``name`` if it names a file in a folder and nothing else; ``BadInput`` for a path that leads elsewhere."""
    if name in {"", ".", ".."} or any(letter in name for letter in "/\\:\0"):
        raise BadInput(f"{name!r} is not the name of a file below cases/")
    return name
