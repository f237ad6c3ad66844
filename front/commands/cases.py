"""``mmaspec example``, ``expect`` and ``replay``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mmaspec.api import GOLDEN_SUFFIX, read_case
from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.resolve import isolated
from mmaspec.commands.catalogue import as_written
from mmaspec.commands.other_text import of_other_text
from mmaspec.commands.profile_file import profile_named
from mmaspec.commands.silent import never_said
from mmaspec.commands.within_authority import judged_under, within_authority
from mmaspec.generators.golden import Golden, case_of, golden_of, owner_of, read_golden
from mmaspec.generators.golden_answer import disagreements
from mmaspec.generators.golden_caps import GoldenCaps, golden_caps
from mmaspec.oracle.case import MAX_FILE, Case
from mmaspec.oracle.expect import default_readings, expect, resolve
from mmaspec.oracle.expectation import Defined, Expectation, Region, Undefined
from mmaspec.oracle.numerics.legal import Reason
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput, one_line
from mmaspec.programs.input_file import naming, read_plain
from mmaspec.programs.profile import PRACTICE
from mmaspec.reports.code_spans import bare
from mmaspec.suites.judging.confirm import of_death, since_edited
from mmaspec.suites.judging.single import judge_one
from mmaspec.suites.judging.telling.found import edited, found_in
from mmaspec.suites.judging.value_text import hex_bits, value_text
from mmaspec.suites.planning.prepare import check_limit

SHOWN = 32
"""Elements of a store that are printed unless all are asked for; of more, lone zeros are left out first."""


def example(clause: str) -> None:
    """Print a golden example for a person to work through."""
    clause = as_written(clause)
    owner_of(clause)
    if clause in golden_caps():
        _example_of_caps(golden_caps()[clause])
        return
    golden = golden_of(clause)
    case = case_of(golden)
    write = sys.stdout.write
    write(f"{clause}: {golden.title}\n\n{spec_named(case.spec).text(case.program, case.caps).rstrip()}\n\n")
    for name, sparse in sorted(golden.case.values.items()):
        write(f"{name}: {sparse.fill:#x} everywhere")
        write(
            "".join(f"\n  {name}[wave {w}, pass {p}, row {r}, col {c}] = {bits:#x}" for w, p, r, c, bits in sparse.set)
            + "\n"
        )
    for word in golden.case.words:
        write(f"{word.buffer}, byte {word.offset}: the 32-bit word {word.value}\n")
    if golden.expect.verdict == "defined":
        for assumed in sorted(golden.expect.readings.items()):
            write(f"under the reading {assumed[0]} = {assumed[1]}\n")
        for expected in golden.expect.bytes:
            write(f"afterwards {expected.buffer}, byte {expected.offset}: {expected.data.hex(' ')}\n")
    else:
        write(f"{golden.expect.verdict}: {', '.join(golden.expect.clauses)}\n")
    write(f"\n{golden.derivation.strip()}\n")


def _example_of_caps(golden: GoldenCaps) -> None:
    """Print a table of caps, and which of its rows break the clause."""
    write = sys.stdout.write
    write(f"{golden.clause}: {golden.title}\n\n")
    _table(golden.caps)
    report = owner_of(golden.clause).reported(golden.reported)
    write("\n")
    for row, breach in report.breaches():
        write(f"row {row} breaks {breach.clause}: {breach.says}\n")
    if golden.keeps:
        write(f"the others keep it: {', '.join(golden.keeps)}\n")
    if golden.kept is not None:
        write("\nthese keep it:\n")
        _table(golden.kept)
    write(f"\n{golden.derivation.strip()}\n")


def _table(caps: Mapping[str, Any]) -> None:
    """Print caps, a line for each row of them."""
    write = sys.stdout.write
    for name, value in caps.items():
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
            write(f"{name}:\n")
            write("".join(f"  {', '.join(f'{key} {entry}' for key, entry in row.items())}\n" for row in value))
        else:
            write(f"{name}: {value}\n")


def expect_file(path: Path, readings: Sequence[str], profile: str | None, most: int | None = SHOWN) -> int:
    """Print what is demanded of the case in a file; 1 where an example's own ``[expect]`` is not that.

    ``most`` elements of each store are printed; None: all.
    """
    golden, case = _read(path)
    stated = golden.expect.readings if golden is not None else {}
    with naming(str(path)):
        default_readings(spec_named(case.spec), PRACTICE, stated)
    chosen = dict(stated)
    for text in readings:
        name, sign, choice = text.partition("=")
        if not sign:
            raise BadInput(f"--reading {text}: expected AMBIGUITY=reading")
        chosen[name] = choice
    judged_by = profile_named(profile) if profile else PRACTICE
    default_readings(spec_named(case.spec), judged_by, chosen)  # what is wrong with a reading is no matter of the file
    with naming(str(path)):
        answer = expect(case, judged_by, chosen)
        lines = _lines(case, answer, most)
    _tell_unused(path, case, answer)
    sys.stdout.write("\n".join(lines) + "\n")
    if golden is None or any(chosen[name] != reading for name, reading in stated.items()):
        return 0  # no answer is stated, or only one under another reading
    with naming(str(path)):
        wrong = disagreements(golden, case, answer)
    _tell(wrong)
    return 1 if wrong else 0


def _read(path: Path) -> tuple[Golden | None, Case]:
    """The case in a file, and the golden example that it is, if it is one."""
    if path.suffix != GOLDEN_SUFFIX:
        return None, read_case(path)
    golden = read_golden(read_plain(path, MAX_FILE), str(path))
    with naming(str(path)):
        return golden, case_of(golden)


def _tell_unused(path: Path, case: Case, answer: Expectation) -> None:
    """Tell of the values that no load of a valid program names: most often a mistake of whoever wrote the file."""
    if not isinstance(answer, Defined):
        return
    with naming(str(path)):
        spec = spec_named(case.spec).of(case.caps)
        loaded = {source.name for source in spec.sources(resolve(case.program, case.words))}
    if unused := sorted(set(case.values) - loaded):
        sys.stderr.write(f"{path}: nothing in its program loads the values {', '.join(unused)}\n")


def _tell(wrong: Sequence[str]) -> None:
    """Whether an example's own ``[expect]`` is what the specification demands."""
    if not wrong:
        sys.stdout.write("\nthe file's [expect] agrees\n")
    for line in wrong[:SHOWN]:
        sys.stdout.write(f"the file's [expect] disagrees: {line}\n")
    if left := len(wrong[SHOWN:]):
        sys.stdout.write(f"and {left} more\n")


def _lines(case: Case, answer: Expectation, most: int | None) -> list[str]:
    if not isinstance(answer, Defined):
        word = "undefined" if isinstance(answer, Undefined) else "rejected"
        return [f"{word}: {', '.join(sorted(answer.clauses))}"]
    lines = ["defined", "", spec_named(case.spec).text(case.program, case.caps).rstrip(), ""]
    lines += [f"{step.place}: {step.writes}: {', '.join(step.points)}" for step in answer.steps]
    if answer.consulted:
        lines.append(f"depends on the reading of {', '.join(sorted(answer.consulted))}")
    for region in answer.regions:
        lines += ["", *_region_lines(region, most)]
    return lines


def _region_lines(region: Region, most: int | None) -> list[str]:
    """The legal sets of one store, first batch item: all in order, or ``most``, those that are a lone zero left out."""
    legal = region.legal.index(0)
    indices = [index for index in np.ndindex(legal.shape) if region.live[index]]
    plain = [index for index in indices if legal.lo[index] or legal.hi[index] or legal.why[index] or legal.nan[index]]
    lines = [
        f"{region.buffer}: {len(indices)} elements of {legal.fmt.name} in each of {region.legal.shape[0]} batch items"
    ]
    shown = indices if most is None or len(indices) <= most else (plain or indices)[:most]
    for index in shown:
        wave, row, col = index
        where = f"  wave {wave} ({row}, {col}) at byte {region.addresses[index]}"
        if legal.why[index]:
            lines.append(f"{where}: not judged: {Reason(int(legal.why[index])).text}")
            continue
        ends, between = [], " or " if (legal.flushable | legal.ends)[index] else " to "
        if legal.lo[index] <= legal.hi[index]:
            for ordinal in dict.fromkeys((int(legal.lo[index]), int(legal.hi[index]))):
                bits = (
                    int(legal.bits[index])
                    if legal.moved[index] and not legal.flushable[index]
                    else int(from_ordinal(legal.fmt, np.asarray(ordinal))[()])
                )
                ends.append(f"{hex_bits(legal.fmt, bits)} = {value_text(legal.fmt, bits)}")
        text = between.join(ends)
        lines.append(f"{where}: {text}{' or ' if text and legal.nan[index] else ''}{'NaN' if legal.nan[index] else ''}")
    left = len(indices) - len(shown)
    return [*lines, f"  and {left} more"] if left else lines


def replay(path: Path, backend: str, profile: str | None, authority: str, time_limit: float) -> int:
    """Run a case file on a backend, in a child process, and judge it."""
    golden, case = _read(path)
    check_limit(time_limit)
    with naming(str(path)):
        _tell_unused(path, case, expect(case.item(0), PRACTICE))
    chosen = judged_under(profile, authority)
    child = isolated(backend, timeout_s=time_limit)
    try:
        child.describe()
    except (Died, Raised, BadReply) as error:
        child.close()
        raise never_said(backend, error) from error
    try:
        verdict = within_authority(judge_one(child, case, chosen, str(path)), authority)
        other = of_other_text(child, case, verdict)
    except Died as error:
        sys.stdout.write(f"died: {one_line(_of_death(case, path, error))}\n")
        return 1
    except (Raised, BadReply) as error:
        raise never_said(backend, error) from error
    finally:
        child.close()
    sys.stdout.write(f"{verdict.result.outcome}: {one_line(bare(verdict.says))}{other}\n")
    if golden is not None:
        with naming(str(path)):
            wrong = disagreements(golden, case, expect(case, PRACTICE, golden.expect.readings))
        if wrong:
            _tell(wrong)
    if verdict.failed:
        return 1
    return 0 if verdict.result.outcome == "legal" else 3


def _of_death(case: Case, path: Path, error: Died) -> str:
    found = found_in(case, str(path))
    if found is not None and edited(case, found):
        return since_edited(found, of_death(None, error))
    return of_death(found, error)
