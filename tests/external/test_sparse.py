"""Sparse buffers over the protocol: windows for programs that take them, whole buffers for the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.oracle.case import Case
from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.single import judge_one
from tests.sparse_cases import HUGE, HUGE_SHADER, KERNEL, MODERATE, Spills, Takes, shader

from .loopback import external
from .test_protocol import PIPES, TRANSPORTS, echo, run, same

MODERATE_SHADER = shader((1 << 10, 1 << 14), ((1 << 10) + 64, 1 << 20), 1 << 24)


@pytest.mark.parametrize("case", [HUGE, HUGE_SHADER, KERNEL], ids=lambda case: case.spec)
def test_windows_arrive_and_come_back(case: Case) -> None:
    backend = Takes(1 << 40)
    verdict = judge_one(external(backend), case)
    assert verdict.result.outcome == "legal", verdict.says
    assert {program.buffers for program in backend.asked} == {case.program.buffers}


def test_a_byte_written_between_elements_shows() -> None:
    finding = judge_one(external(Takes(1 << 40, Spills)), HUGE).result.finding
    assert finding is not None
    assert finding.symptom == "touched"


@TRANSPORTS
@pytest.mark.parametrize("mode", ["old", "strict-old"])
def test_adapters_of_the_first_protocol_are_served(mode: str, transport: str) -> None:
    with echo(mode, transport) as backend:
        assert backend.describe().sparse == 0
        assert same(run(backend))


def test_adapters_of_the_first_protocol_get_whole_buffers() -> None:
    def first(reply: bytes) -> bytes:
        return reply.replace(b'"protocol":2', b'"protocol":1')

    backend = Takes(0)
    assert judge_one(external(backend, first), MODERATE).result.outcome == "legal"
    assert not any(buffer.windows for program in backend.asked for buffer in program.buffers)
    assert judge_one(external(backend, first), HUGE).result.outcome == "not applicable"


def test_only_the_second_protocol_has_sparse_buffers() -> None:
    with echo("sparse") as backend:
        assert backend.describe().sparse == 1 << 30
    with echo("old-sparse", PIPES) as backend, pytest.raises(BadInput, match="takes sparse buffers: that is for"):
        backend.describe()


@pytest.mark.parametrize("case", [HUGE_SHADER, MODERATE_SHADER], ids=["huge", "moderate"])
def test_the_cpp_adapter_takes_windows(built: dict[str, Path], case: Case) -> None:
    with ExternalBackend(f'"{built["adapter"]}"') as backend:
        assert backend.describe().sparse >= case.program.buffers[0].size
        assert judge_one(backend, case).result.outcome == "legal"
    with ExternalBackend(f'"{built["broken"]}"') as backend:
        assert judge_one(backend, case).result.outcome == "illegal"


def test_the_cpp_adapter_refuses_what_lies_in_no_window(built: dict[str, Path]) -> None:
    program = HUGE_SHADER.program
    buffer = program.buffers[0]
    short = replace(program, buffers=(replace(buffer, windows=buffer.windows[:-1]),))
    image = np.zeros((1, short.buffers[0].total), np.uint8)
    with ExternalBackend(f'"{built["adapter"]}"') as backend, pytest.raises(Exception, match="outside of far"):
        backend.run("hlsl-wave-matrix", short, {"far": image})
