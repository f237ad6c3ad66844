"""``mmaspec replay --all``: a folder of case files as a gate."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

from mmaspec.api import read_case
from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.resolve import isolated
from mmaspec.commands.other_text import of_other_text
from mmaspec.commands.silent import never_said
from mmaspec.commands.within_authority import judged_under, within_authority
from mmaspec.programs.errors import BadInput, one_line
from mmaspec.programs.input_file import expect_folder
from mmaspec.reports.code_spans import bare
from mmaspec.suites.judging.single import replayed
from mmaspec.suites.planning.manifest import MANIFEST
from mmaspec.suites.planning.prepare import check_limit
from mmaspec.suites.running.run_folder import EXAMPLES

LONGEST = 240
"""Characters of a printed line beyond the name of its file."""


def named(file: Path | None, every: Path | None) -> Path:
    """The case file, or the folder of ``--all``, whichever was given. Raises ``BadInput`` unless it is one of them."""
    if file is not None and every is not None:
        raise BadInput(f"replay: both {file} and --all {every} are named; expected one of them")
    found = file or every
    if found is None:
        raise BadInput("replay: no case is named; expected FILE, or --all DIR for every case file in a folder")
    return found


def replay_all(folder: Path, backend: str, profile: str | None, authority: str, time_limit: float) -> int:
    """Replay every case file in a folder and below, in the order of their names; the exit code.

    1 if one of them is not legal, 3 if none is or one was not decided, else 0: a near miss of a rule that the backend
    does not enforce proves nothing and fails nothing. Every file is read before the first one runs.
    """
    check_limit(time_limit)
    chosen = judged_under(profile, authority)
    files = case_files(folder)
    for file in files:
        try:
            read_case(file)
        except BadInput as error:
            if (file.parent / MANIFEST).is_file():
                raise BadInput(f"{error}; {file.parent} is a run folder: give {file.parent / EXAMPLES}") from error
            raise
    outcomes: Counter[str] = Counter()
    with isolated(backend, timeout_s=time_limit) as child:
        for file in files:
            try:
                case = read_case(file)
                verdict = within_authority(replayed(child, case, chosen, str(file)), authority)
                other = of_other_text(child, case, verdict)
            except (Died, Raised, BadReply) as error:
                raise never_said(backend, error) from error
            outcome = "illegal" if verdict.failed else verdict.result.outcome
            outcomes[outcome] += 1
            says = one_line(bare(verdict.says))
            says = says if len(says) <= LONGEST else f"{says[: LONGEST - 4]} ..."
            sys.stdout.write(f"{outcome}: {one_line(file.relative_to(folder).as_posix())}: {says}{other}\n")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    sys.stdout.write(f"{len(files)} cases: {counts or f'{folder} holds no case file (*.json)'}\n")
    if outcomes["illegal"]:
        return 1
    return 0 if outcomes["legal"] and not outcomes["inconclusive"] else 3


def case_files(folder: Path) -> list[Path]:
    """Every ``*.json`` in a folder and below, sorted; links are not followed. Raises ``BadInput``."""
    expect_folder(folder, "one that holds case files")
    return sorted(Path(root) / name for root, _, names in os.walk(folder) for name in names if name.endswith(".json"))
