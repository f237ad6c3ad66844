"""Shards on a Dask cluster within this process: what comes home is one run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.suites.running import cluster
from mmaspec.suites.running.cluster import answer_on_cluster
from mmaspec.suites.running.run_folder import SHARDS, RunFolder

from .test_merge import Listed, answered, files_of, listed, reported

distributed = pytest.importorskip("distributed")
__all__ = ["listed"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", protocol="inproc://"
    ) as running:
        yield running.scheduler_address


def test_a_run_on_a_cluster_is_byte_for_byte_one_run(
    listed: Listed, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PER_WORKER", 2)
    seen = []
    home = RunFolder(tmp_path / "far")
    home.write_plan(*listed)
    answer_on_cluster(home, address, lambda done, total: seen.append((done, total)))
    whole = reported(answered(tmp_path / "whole", *listed))
    assert seen[-1] == (len(listed[1]),) * 2
    far = {name: data for name, data in files_of(reported(tmp_path / "far")).items() if not name.startswith(SHARDS)}
    assert far == files_of(whole)
    assert not home.plan.shard


def test_another_version_on_the_workers_is_refused(listed: Listed, address: str, tmp_path: Path) -> None:
    plan, recipes = listed
    home = RunFolder(tmp_path)
    home.write_plan(replace(plan, code="0" * 16), recipes)
    with pytest.raises(BadInput, match="another version of mmaspec"):
        answer_on_cluster(home, address, lambda *_: None)


def test_a_client_that_cannot_start_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask asserts that its loop runs within ten seconds."""

    def stalled(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(distributed, "Client", stalled)
    with pytest.raises(BadInput, match="cannot be reached"):
        cluster._client("tcp://10.0.0.1:1")


@pytest.mark.parametrize("bad", ["nonsense://x", "inproc://none/1/1", ""])
def test_a_cluster_that_is_not_there_is_bad_input(
    bad: str, tmp_path: Path, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    home = RunFolder(tmp_path)
    home.write_plan(*listed)
    with pytest.raises(BadInput, match="cannot be reached"):
        answer_on_cluster(home, bad, lambda *_: None)
