"""``mmaspec merge``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from mmaspec.backends.resolve import backend_names
from mmaspec.commands.check import report
from mmaspec.commands.gate import Expectations, replay_waived
from mmaspec.programs.errors import BadInput, unwritable
from mmaspec.suites.running.merge import gather
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.supervisor import supervise


def merge_shards(folders: Sequence[Path], out: Path, accepted: Expectations, backend: str | None = None) -> int:
    """Merge the shards of a run, judge it, report it; the exit code.

    ``backend`` is that of the shards. Waivers are replayed on it, and then it has to be given unless it is built in: no
    program is started, and no file imported, because a folder says so.
    """
    out = out.absolute()
    if any(out == folder.absolute() or out in folder.absolute().parents for folder in folders):
        raise BadInput(f"{out}: holds one of the shards; choose another with -o")
    merged = RunFolder(out)
    with ExitStack() as ownership:
        try:
            gathered = gather([RunFolder(folder) for folder in folders])
            _check_backend(gathered.plan.backend, backend, accepted, folders[0])
            waivers = replay_waived(gathered.plan, accepted)
            merged.check()
            ownership.enter_context(merged.owned())
            merged.clear()  # last, so that no mistake costs an earlier run
            gathered.write(merged)
        except OSError as error:
            raise unwritable(error.filename or out, error) from error
        judged, results = supervise(merged, 0, lambda *_: None, here=False)
        return report(out, judged, results, waivers, accepted)


def _check_backend(theirs: str, given: str | None, accepted: Expectations, folder: Path) -> None:
    if given is not None and given != theirs:
        raise BadInput(f"{folder}: its run was of backend {theirs}, not {given}")
    if given is None and accepted.waivers and theirs not in backend_names():
        raise BadInput(
            f"{folder}: its run was of backend {theirs}; waivers are replayed on it, so say so: --backend '{theirs}'"
        )
