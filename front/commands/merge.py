"""``mmaspec merge``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from mmaspec.commands.check import report
from mmaspec.commands.gate import Expectations, replay_waived
from mmaspec.programs.errors import BadInput, unwritable
from mmaspec.suites.running.merge import gather
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.supervisor import supervise


def merge_shards(folders: Sequence[Path], out: Path, accepted: Expectations) -> int:
    """Merge the shards of a run, judge it, report it; the exit code."""
    out = out.absolute()
    if any(out == folder.absolute() or out in folder.absolute().parents for folder in folders):
        raise BadInput(f"{out}: holds one of the shards; choose another with -o")
    merged = RunFolder(out)
    with ExitStack() as ownership:
        try:
            gathered = gather([RunFolder(folder) for folder in folders])
            waivers = replay_waived(gathered.plan, accepted)
            merged.check()
            ownership.enter_context(merged.owned())
            merged.clear()  # last, so that no mistake costs an earlier run
            gathered.write(merged)
        except OSError as error:
            raise unwritable(error.filename or out, error) from error
        judged, results = supervise(merged, 0, lambda *_: None)
        return report(out, judged, results, waivers, accepted)
