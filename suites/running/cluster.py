"""The shards of a run on a Dask cluster: the same shards, the same bytes, other machines."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from mmaspec.backends.failures import one_line
from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.planning.manifest import MANIFEST
from mmaspec.suites.planning.plan import CASES, PLAN, Plan, pending_here, read_cases, read_plan
from mmaspec.suites.running.merge import gather, seal
from mmaspec.suites.running.recorder import EXAMPLES, ROWS
from mmaspec.suites.running.supervisor import Progress, answer

SHARDS = "work/shards"
PER_WORKER = 4
"""Shards for each worker of the cluster, so that a slow one holds up little."""
MOST = 9999
CONNECT = 30.0
"""Seconds that the scheduler may take to answer."""


def answer_shard(plan: bytes, cases: bytes) -> dict[str, bytes]:
    """Answer one shard, on a worker of the cluster: the files that it leaves, by name.

    Raises ``BadInput`` where another version of mmaspec is installed than the plan was made with.
    """
    made = msgspec.json.decode(plan, type=Plan)
    if made.code != code_hash():
        raise BadInput(f"a worker of the cluster has another version of mmaspec; shard {made.shard} was not run there")
    # Where the sensitivity of a case list is kept differs from machine to machine, and it is only a cache.
    plan = msgspec.json.encode(replace(made, sensitivity={}), order="deterministic")
    with tempfile.TemporaryDirectory(prefix="mmaspec-") as text:
        folder = Path(text)
        _write(folder, {PLAN: plan, CASES: cases})
        answer(folder, 0, _silent)
        left = [*(folder / ROWS).glob("*.jsonl"), *(folder / EXAMPLES).glob("*.json"), folder / PLAN, folder / CASES]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in left}


def answer_on_cluster(folder: Path, scheduler: str, progress: Progress) -> None:
    """Answer the plan in ``folder`` on the cluster at address ``scheduler``, and merge the answers there.

    Shards that an earlier, interrupted call has brought home are kept. Raises ``BadInput`` where the cluster cannot
    be reached or does not answer.
    """
    client = _client(scheduler)
    try:
        plan, cases = read_plan(folder), read_cases(folder)
        count = _count(folder, client)
        parts = {number: replace(plan, shard=f"{number}/{count}") for number in range(1, count + 1)}
        sizes = {number: len(pending_here(part, cases)) for number, part in parts.items()}
        done = sum(sizes[number] for number in parts if _home(folder, number).joinpath(MANIFEST).exists())
        progress(done, len(cases))
        listed = client.scatter((folder / CASES).read_bytes(), hash=False)
        waiting = {
            client.submit(answer_shard, msgspec.json.encode(part), listed, pure=False): number
            for number, part in parts.items()
            if not _home(folder, number).joinpath(MANIFEST).exists()
        }
        from distributed import as_completed

        for future in as_completed(list(waiting), loop=client.loop):
            number = waiting[future]
            home = _home(folder, number)
            shutil.rmtree(home, ignore_errors=True)
            _write(home, _result(future, number))
            seal(home)
            done += sizes[number]
            progress(done, len(cases))
    finally:
        client.close()
    gather([_home(folder, number) for number in parts]).write(folder)


def _client(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise BadInput("--scheduler needs Dask: pip install 'mmaspec[dask]'") from error
    try:
        return Client(scheduler, timeout=CONNECT, set_as_default=False)
    except Exception as error:  # Dask's own checks too: its loop has to start within 10 s, or an assertion fails
        raise BadInput(f"scheduler {scheduler}: cannot be reached: {one_line(error)}") from error


def _count(folder: Path, client: Any) -> int:
    """How many shards: as many as an interrupted call has made, else some for each worker."""
    for path in sorted((folder / SHARDS).glob("*")):
        if (path / MANIFEST).exists():
            return int(read_plan(path).shard.partition("/")[2] or 1)
    workers = len(client.scheduler_info(n_workers=-1)["workers"])
    return min(MOST, PER_WORKER * max(1, workers))


def _home(folder: Path, number: int) -> Path:
    return folder / SHARDS / str(number)


def _result(future: Any, number: int) -> Mapping[str, bytes]:
    """What a shard left; only names of files of a shard are taken."""
    try:
        files: dict[str, bytes] = future.result()
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"shard {number} failed on the cluster: {type(error).__name__}: {error}") from error
    for name in files:
        place, _, file = name.rpartition("/")
        if place not in {"work", ROWS, EXAMPLES} or file in {"", ".", ".."} or any(mark in file for mark in "\\:\0"):
            raise BadInput(f"shard {number} came back with a file called {name!r}")
    return files


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _silent(*_: int) -> None:
    """No progress: the cluster's own page shows it."""
