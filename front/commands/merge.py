"""``mmaspec merge``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
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
            beside = ownership.enter_context(_beside(out))
            gathered.write(beside)
            judged, results = supervise(beside, 0, lambda *_: None, here=False)
            merged.take(beside)  # last, so that no mistake or interruption costs an earlier run
        except OSError as error:
            raise unwritable(error.filename or out, error) from error
        return report(out, judged, results, waivers, accepted)


@contextmanager
def _beside(out: Path) -> Iterator[RunFolder]:
    """A run folder on the same disk, removed at the end of the block: whoever owns ``out`` may use it."""
    folder = RunFolder(out.with_name(f".{out.name}.merging"))
    folder.clear()  # of a merge that was killed
    try:
        yield folder
    finally:
        with suppress(BadInput, OSError):
            folder.clear()
            folder.path.rmdir()


def _check_backend(theirs: str, given: str | None, accepted: Expectations, folder: Path) -> None:
    if given is not None and given != theirs:
        raise BadInput(f"{folder}: its run was of backend {theirs}, not {given}")
    if given is None and accepted.waivers and theirs not in backend_names():
        raise BadInput(
            f"{folder}: its run was of backend {theirs}; waivers are replayed on it, so say so: --backend '{theirs}'"
        )
