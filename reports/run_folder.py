"""Run folders: writing every report of a run, and reading a run back strictly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from mmaspec.programs.errors import BadInput, unwritable
from mmaspec.programs.input_file import check_schema, expect_folder, plain_size, read_plain, strictly, unreadable
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.reports.example import Example, load_examples, plain_name
from mmaspec.reports.finding_view import FOLDER
from mmaspec.reports.html import render_report
from mmaspec.reports.junit import render_junit
from mmaspec.reports.markdown import summary
from mmaspec.suites.gate.model import SCHEMA as GATE_SCHEMA
from mmaspec.suites.gate.model import Gate
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.reported import TEMPLATE as CAPS
from mmaspec.suites.planning.manifest import MANIFEST, read_manifest, verify, within, write_manifest, write_whole
from mmaspec.suites.planning.plan import PLAN, case_list_hash, read_plan
from mmaspec.suites.running.owner import refuse_at_work
from mmaspec.suites.verdict.model import SCHEMA, Run

RUN = "run.json"
RESULTS = "results.jsonl"
REPORT = "report.html"
JUNIT = "junit.xml"
SUMMARY = "summary.md"
GATE = "gate.json"
EXAMPLES = "cases"

MAX_RUN = 32 << 20
"""Largest ``run.json`` that is read, in bytes."""
MAX_RESULTS = 1 << 30
"""Largest ``results.jsonl`` that is read, in bytes."""
MAX_LINE = 4 << 20
"""Longest line of ``results.jsonl``, in bytes."""

_encoder = msgspec.json.Encoder(order="deterministic")


def write_reports(
    folder: Path,
    run: Run,
    results: Sequence[Result],
    examples: Mapping[str, Example] | None = None,
    gate: Gate | None = None,
) -> None:
    """Write ``run.json``, ``results.jsonl``, ``junit.xml``, ``summary.md``, ``report.html`` and the manifest.

    Data first, pictures last, each file whole or not at all. Case files of another run are removed.
    ``examples`` are read from ``cases/`` where they are not given; ``gate.json`` is there only if the run was
    held to a gate.
    Raises ``BadInput`` for an unusable case file or a folder that cannot be written, ``Halted`` on a full disk.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data = _encoder.encode(run)
        # What is rendered is what will be read back, in the order in which it is written.
        run = located(msgspec.json.decode(data, type=Run), folder)
        write_whole(folder / RUN, msgspec.json.format(data, indent=1) + b"\n")
        write_whole(folder / RESULTS, b"".join(_encoder.encode(result) + b"\n" for result in results))
        if gate is None:
            (folder / GATE).unlink(missing_ok=True)
        else:
            write_whole(folder / GATE, msgspec.json.format(_encoder.encode(gate), indent=1) + b"\n")
        for name in _strays(folder, results):
            (folder / name).unlink(missing_ok=True)
        write_manifest(folder, _hashed(results))
        write_whole(folder / JUNIT, render_junit(run, results, gate).encode())
        write_whole(folder / SUMMARY, summary(run, results, gate).encode())
        shown = load_examples(folder, run, results, _profile(run)) if examples is None else examples
        write_whole(folder / REPORT, render_report(run, results, shown, gate=gate).encode())
    except OSError as error:
        raise unwritable(error.filename or folder, error) from error


def located(run: Run, folder: Path) -> Run:
    """The run as its reports show it: they name its folder as one names it from here, so that their commands work."""
    here = folder.absolute()
    seen = here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
    return msgspec.structs.replace(run, environment={**run.environment, FOLDER: seen.as_posix()})


def read_run(folder: Path) -> tuple[Run, list[Result]]:
    """The run and its results. Raises ``BadInput`` for a file that is missing, too large or not as written.

    Unknown fields, wrong types and torn lines are errors, and so is a hash that differs from the manifest's: a
    report must not rest on a file that was cut or edited. No link is followed. A run that is writing the folder is not
    in the way as long as what is read is of one finished run; else the error names it.
    """
    expect_folder(folder, "a run folder that mmaspec check --report wrote")
    try:
        return _finished(folder)
    except BadInput:
        refuse_at_work(folder)
        raise


def _refuse_what_is_no_run(folder: Path) -> None:
    """Raise ``BadInput`` for any other folder, and for that of a shard, which has results and no run."""
    if plain_size(folder / RUN) is not None:
        return
    if plain_size(folder / PLAN) is None:
        raise BadInput(f"{folder}: no run folder, it has no {RUN}; expected one that mmaspec check --report wrote")
    if shard := read_plan(folder).shard:
        raise BadInput(
            f"{folder}: holds shard {shard} only; mmaspec merge brings all of them together, and"
            f" mmaspec replay --all {folder / 'cases'} shows what fails in this one"
        )
    raise BadInput(f"{folder}: the run did not end, it has no {RUN}; the same mmaspec check goes on with --resume")


def _finished(folder: Path) -> tuple[Run, list[Result]]:
    for name in (RUN, RESULTS, GATE, MANIFEST, EXAMPLES, PLAN):
        within(folder, name)
    _refuse_what_is_no_run(folder)
    with strictly(str(folder / RUN), "a valid run"):
        run = msgspec.json.decode(read_plain(folder / RUN, MAX_RUN), type=Run)
    check_schema(run.schema, SCHEMA, str(folder / RUN))
    sealed = read_manifest(folder)
    results = _results(folder / RESULTS)
    explored = {name: sum(result.explored and result.spec == name for result in results) for name in run.specs}
    listed = len(results) - sum(explored.values())
    if listed != run.totals.cases:
        raise BadInput(f"{folder / RESULTS}: {listed} results; {RUN} counts {run.totals.cases} cases")
    for name, count in explored.items():
        told = run.exploration[name].cases if name in run.exploration else 0
        if count != told:
            raise BadInput(f"{folder / RESULTS}: {count} explored cases of {name}; {RUN} counts {told}")
    verify(folder, _hashed(results))
    if stray := _strays(folder, results):
        raise BadInput(f"{folder / stray[0]}: was added after the run; {MANIFEST} does not list it")
    if read_manifest(folder) != sealed:
        raise BadInput(f"{folder}: was written while it was read; read it again")
    # What is reported is in no list, and neither is what lies beyond it.
    planned = (result.case for result in results if result.template != CAPS and not result.explored)
    if case_list_hash(planned) != run.case_list:
        raise BadInput(f"{folder / RESULTS}: its cases are not the case list of {RUN}")
    _check_plan(folder, run)
    return run, results


def _check_plan(folder: Path, run: Run) -> None:
    """The plan is not needed here; where it was kept, it is that of the same run."""
    began = run.environment.get("run")
    if began and (folder / PLAN).exists() and read_plan(folder).run != began:
        raise BadInput(f"{folder / PLAN}: is of another run than {RUN}")


def read_gate(folder: Path) -> Gate | None:
    """The gate of the run, if it had one. The folder must have been verified: see ``read_run``."""
    path = folder / GATE
    if not path.exists():
        return None
    with strictly(str(path), "a gate"):
        gate = msgspec.json.decode(read_plain(path, MAX_RUN), type=Gate)
    check_schema(gate.schema, GATE_SCHEMA, str(path))
    return gate


def _hashed(results: Sequence[Result]) -> list[str]:
    """The files that something is built on; the others are made from them."""
    return [RUN, RESULTS, GATE, *(f"{EXAMPLES}/{plain_name(result.example)}" for result in results if result.example)]


def _strays(folder: Path, results: Sequence[Result]) -> list[str]:
    """Case files that are there and that no result of the run has, such as another run's."""
    ours = set(_hashed(results))
    return sorted(
        name for path in (folder / EXAMPLES).glob("*.json") if (name := f"{EXAMPLES}/{path.name}") not in ours
    )


def _results(path: Path) -> list[Result]:
    decoder = msgspec.json.Decoder(Result)
    results = []
    for number, line in enumerate(_lines(path), 1):
        if len(line) > MAX_LINE:
            raise BadInput(f"{path}: line {number}: more than {MAX_LINE} bytes; a line has no more")
        with strictly(f"{path}: line {number}", "a valid result"):
            results.append(decoder.decode(line))
    return results


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file without their ends, one at a time; one that is too long is cut."""
    size = plain_size(path)
    if size is None:
        raise BadInput(f"{path}: cannot be read: no such file")
    if size > MAX_RESULTS:
        raise BadInput(f"{path}: {size} bytes; expected at most {MAX_RESULTS}")
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE + 2):
                yield line.rstrip(b"\r\n")
    except OSError as error:
        raise unreadable(path, error) from error


def _profile(run: Run) -> Profile:
    """The profile as a run stores it; practice where it cannot be read, since layouts do not depend on it."""
    try:
        return msgspec.convert(run.profile, type=Profile)
    except msgspec.ValidationError:
        return PRACTICE
