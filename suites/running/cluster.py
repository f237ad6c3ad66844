"""Running the shards of a run on a Dask cluster, with the same bytes as a result."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mmaspec.backends.failures import error_line
from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.planning.plan import CASES, PLAN, decode_plan, encode_plan, pending_here
from mmaspec.suites.pool import Progress
from mmaspec.suites.running.merge import gather
from mmaspec.suites.running.run_folder import EXAMPLES, ROWS, RunFolder
from mmaspec.suites.running.supervisor import answer

PER_WORKER = 4
"""Shards for each worker of the cluster, so that a slow one holds up little."""
MOST = 9999
CONNECT = 30.0
"""Seconds that the scheduler may take to answer."""


def answer_shard(plan: bytes, cases: bytes) -> dict[str, bytes]:
    """Answer one shard, on a worker of the cluster: the files that it leaves, by name.

    Raises ``BadInput`` where another version of mmaspec is installed than the plan was made with.
    """
    made = decode_plan(plan, "a shard")
    if made.code != code_hash():
        raise BadInput(f"a worker of the cluster has another version of mmaspec; shard {made.shard} was not run there")
    plan = encode_plan(replace(made, cached=False))  # nothing is left on a worker
    with tempfile.TemporaryDirectory(prefix="mmaspec-") as text:
        folder = RunFolder(Path(text))
        folder.unpack({PLAN: plan, CASES: cases})
        answer(folder, 0, _silent)
        return folder.packed()


def answer_on_cluster(folder: RunFolder, scheduler: str, progress: Progress) -> None:
    """Answer the plan in ``folder`` on the cluster at address ``scheduler``, and merge the answers there.

    Shards that an earlier, interrupted call has brought home are kept. Raises ``BadInput`` where the cluster cannot
    be reached or does not answer.
    """
    client = _client(scheduler)
    try:
        plan, cases = folder.plan, folder.cases
        count = _count(folder, client)
        parts = {number: replace(plan, shard=f"{number}/{count}") for number in range(1, count + 1)}
        sizes = {number: len(pending_here(part, cases)) for number, part in parts.items()}
        homes = {number: folder.shard(number) for number in parts}
        at_home = {number for number, home in homes.items() if home.sealed and home.plan.run == plan.run}
        done = sum(sizes[number] for number in at_home)
        progress(done, len(cases))
        listed = client.scatter((folder.path / CASES).read_bytes(), hash=False)
        waiting = {
            client.submit(answer_shard, encode_plan(part), listed, pure=False): number
            for number, part in parts.items()
            if number not in at_home
        }
        from distributed import as_completed

        for future in as_completed(list(waiting), loop=client.loop):
            number = waiting[future]
            home = homes[number]
            shutil.rmtree(home.path, ignore_errors=True)
            home.unpack(_result(future, number))
            home.seal()
            done += sizes[number]
            progress(done, len(cases))
    finally:
        client.close()
    gathered = gather(list(homes.values()))
    dataclasses.replace(gathered, plan=plan).write(folder)  # the same run: its shards can be merged again


def _client(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise BadInput("--scheduler needs Dask: pip install 'mmaspec[dask]'") from error
    try:
        return Client(scheduler, timeout=CONNECT, set_as_default=False)
    except Exception as error:  # Dask's own checks too: its loop has to start within 10 s, or an assertion fails
        raise BadInput(f"scheduler {scheduler}: cannot be reached: {error_line(error)}") from error


def _count(folder: RunFolder, client: Any) -> int:
    """The number of shards: that of an interrupted call, else some for each worker."""
    for home in folder.shards():
        if home.sealed:
            return int(home.plan.shard.partition("/")[2] or 1)
    workers = len(client.scheduler_info(n_workers=-1)["workers"])
    return min(MOST, PER_WORKER * max(1, workers))


def _result(future: Any, number: int) -> Mapping[str, bytes]:
    """The files of a shard. Raises ``BadInput`` for any other file."""
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


def _silent(*_: int) -> None:
    """No progress: the cluster's own page shows it."""
