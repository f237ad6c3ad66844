"""Examples made from a real case: its program as text, and the map of the buffer that it stores to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.case import Case, encode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix.program import Load, Matrix, Store, WaveMatrixProgram
from mmaspec.reports.example import build_example, load_examples
from mmaspec.suites.judging.record import Element, Finding, Result

SPEC = spec_named("hlsl-wave-matrix")


@pytest.fixture
def case() -> Case:
    program = WaveMatrixProgram(
        buffers=(Buffer("source", 16 * 64), Buffer("out", 32 + 16 * 96)),
        matrices=(Matrix("c", "accumulator", "s32", 16, 16),),
        body=(Load("c", "source", 0, 64, data="c"), Store("c", "out", 32, 96)),
        read_only=("source",),
    )
    (source,) = SPEC.sources(program)
    values = {source.name: np.arange(16 * 16, dtype=np.uint64).reshape((1, *source.shape))}
    row = SPEC.rows(SPEC.default_caps)[0].name
    return Case(SPEC.name, row, "store", program, SPEC.default_caps, 1, values)


@pytest.fixture
def finding() -> Finding:
    element = Element(
        buffer="out", address=32 + 3 * 96 + 8, item=0, row=3, col=2, format="s32", got="00000000", low="00000032"
    )
    return Finding(symptom="value", blamed=("WM-ADDR-ROW",), how="base", says="wrong", element=element)


def test_text_and_map_of_a_real_case(case: Case, finding: Finding) -> None:
    example = build_example("one.json", case, finding)
    assert "Store" in example.text
    assert example.memory is not None
    assert (example.memory.pitch, example.memory.origin) == (96, 32)
    assert example.memory.failing.kind == "element"


def test_examples_are_read_from_the_folder(
    case: Case, finding: Finding, failing: Any, changed: Any, tmp_path: Path
) -> None:
    run = changed(failing.run, findings=[changed(failing.run.findings[0], example="one.json")])
    results = [
        Result(
            case="1",
            spec=SPEC.name,
            row=case.row,
            template="store",
            outcome="illegal",
            finding=finding,
            example="one.json",
        )
    ]
    (tmp_path / "cases").mkdir()
    path = tmp_path / "cases" / "one.json"
    path.write_bytes(encode_case(case))
    assert set(load_examples(tmp_path, run, results)) == {"one.json"}
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadInput, match=r"cases/one\.json: not a valid case"):
        load_examples(tmp_path, run, results)


def test_a_buffer_that_the_case_does_not_have_is_not_drawn(case: Case) -> None:
    element = Element(buffer="elsewhere", address=0, item=0, got="00")
    lost = Finding(symptom="touched", blamed=(), how="symptom", says="", element=element)
    assert build_example("one.json", case, lost).memory is None
