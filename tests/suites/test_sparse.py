"""Sparse buffers from case to result: windows for those that take them, whole buffers for the others."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.faults import faults_of
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import Case, decode_case, encode_case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.single import judge_one
from mmaspec.suites.planning.prepare import check_size
from mmaspec.suites.verdict.verdicts import judge_clauses
from tests.sparse_cases import HUGE, MODERATE, Spills, SpillsFar, Takes, case, lines

EVERY = 1 << 40


def result(listed: Case, sparse: int = EVERY, device: type[CoopMat2Device] = CoopMat2Device) -> Result:
    return judge_one(Takes(sparse, device), listed).result


def test_a_backend_that_takes_windows_is_sent_them() -> None:
    backend = Takes(HUGE.program.buffers[0].size)
    found = judge_one(backend, HUGE).result
    assert (found.outcome, found.judged) == ("legal", 2 * 16 * 16)
    assert {program.buffers[0].windows for program in backend.asked} == {HUGE.program.buffers[0].windows}


def test_images_have_the_bytes_of_windows_only() -> None:
    found = expect(HUGE)
    assert isinstance(found, Defined)
    assert found.images["far"].shape == (2, HUGE.program.buffers[0].total)
    assert found.owned["far"].sum() == 16 * 16 * 4
    assert int(found.regions[0].addresses[0, -1, -1]) == lines(4 * ((1 << 24) + 64), 1 << 28)[-4]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("sparse", [0, MODERATE.program.buffers[0].size - 1])
def test_others_get_a_whole_buffer_of_which_everything_is_compared(sparse: int) -> None:
    backend = Takes(sparse)
    found = judge_one(backend, MODERATE).result
    assert (found.outcome, found.judged) == ("legal", 2 * 16 * 16)
    assert {program.buffers[0].windows for program in backend.asked} == {()}
    assert result(MODERATE, sparse, SpillsFar).finding.symptom == "touched"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("sparse", "says"), [(0, "whole ones only"), (1 << 31, f"sparse ones of at most {1 << 31} bytes")]
)
def test_what_is_too_large_for_a_backend_is_not_sent(sparse: int, says: str) -> None:
    backend = Takes(sparse)
    found = judge_one(backend, HUGE).result
    assert found.outcome == "not applicable"
    assert found.why.startswith("not possible on this backend: a buffer of 4294967295 bytes")
    assert found.why.endswith(says)
    assert not backend.asked


class ShortProducts(CoopMat2Device):
    """Line times stride is computed in 32 bits with a sign."""

    bits = 32

    def lines(self, running: Any, access: Any, loop: int) -> Any:
        whole = super().lines(running, access, loop)
        first = whole[:, :1, :]
        half = 1 << self.bits - 1
        return first + (whole - first + half) % (1 << self.bits) - half


class Products24(ShortProducts):
    """In 24 bits."""

    bits = 24


@pytest.mark.parametrize("device", [ShortProducts, Products24, Spills, SpillsFar])
def test_defects_show(device: type[CoopMat2Device]) -> None:
    found = result(HUGE, device=device)
    assert found.outcome == "illegal"


def test_a_byte_in_the_gap_of_a_window_must_stay() -> None:
    found = result(HUGE, device=Spills).finding
    assert found is not None
    assert found.symptom == "touched"
    assert found.element is not None
    assert found.element.address == lines(4 * ((1 << 24) + 64), 1 << 28)[-1] + 1


def test_a_load_that_goes_astray_is_blamed() -> None:
    class ShortLoads(ShortProducts):
        def store(self, running: Any, access: Any, loop: int) -> None:
            where = CoopMat2Device.lines(self, running, access, loop)
            self.put(running, access.buffer, where, running.matrices[access.matrix], 4)

    found = result(case((1 << 24, 1 << 27), ((1 << 24) + 64, 1 << 26), 1 << 33), device=ShortLoads).finding
    assert found is not None
    assert found.symptom == "value"
    assert found.blamed


def test_a_program_may_not_touch_what_lies_in_no_window() -> None:
    program = HUGE.program
    buffer = program.buffers[0]
    short = replace(program, buffers=(replace(buffer, windows=buffer.windows[:-1]),))
    with pytest.raises(BadInput, match="which lie in no window"):
        expect(HUGE.with_program(short))


def test_a_case_file_keeps_windows() -> None:
    again = decode_case(encode_case(HUGE), "here")
    assert again.program == HUGE.program
    assert again.content_id == HUGE.content_id
    assert np.array_equal(again.values["C"], HUGE.values["C"])


def test_a_case_file_names_a_row_of_its_caps() -> None:
    with pytest.raises(BadInput, match="row 'zzz': no row of its caps has this name"):
        decode_case(encode_case(dataclasses.replace(HUGE, row="zzz")), "here")


@pytest.mark.parametrize("size", [-1, EVERY + 1])
def test_a_backend_takes_sparse_buffers_of_a_size_that_there_is(size: int) -> None:
    with pytest.raises(BadInput, match=f"backend: sparse buffers of {size} bytes; expected 0 to {EVERY}"):
        check_size(Description(name="a", version="1", sparse=size), "backend")


def test_windows_count_as_the_size_of_a_case() -> None:
    buffer = Buffer("far", 1 << 33, 64, ((0, 60 << 20),))
    with pytest.raises(BadInput, match="expected at most"):
        decode_case(encode_case(HUGE.with_program(replace(HUGE.program, buffers=(buffer,)))), "here")


def test_a_case_that_is_not_possible_decides_nothing() -> None:
    spec = spec_named(HUGE.spec)
    row = spec.rows(spec.default_caps)[0].name
    fault = next(fault for fault in faults_of(spec.name) if fault.clause == "KHRCM-LOAD-ROW")
    missing = replace(result(HUGE, 0), row=row, sensitive=(fault.name,))
    proof = replace(missing, case="0" * 16, outcome="legal", why="")

    def cell(*results: Result) -> tuple[str, str]:
        found = judge_clauses(spec, spec.default_caps, Takes(0).describe(), "profile", results, {})
        one = found["KHRCM-LOAD-ROW"].rows[row]
        return one.status, one.why

    assert cell(missing, proof) == ("pass", "")
    assert cell(missing) == ("not judged", missing.why)
