"""The public functions, as other people's tests use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

import mmaspec
from mmaspec.backends.faults import fault_named
from mmaspec.backends.resolve import resolve
from mmaspec.generators.golden import golden_of
from mmaspec.oracle.case import Case, encode_case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import SPECS

NUMPY = resolve("numpy")


@pytest.mark.parametrize("spec", SPECS)
def test_numpy_conforms_on_drawn_cases(spec: str) -> None:
    @settings(max_examples=15)
    @given(case=mmaspec.strategies.cases(spec))
    def conforms(case: Case) -> None:
        mmaspec.assert_conforms(NUMPY, case)

    conforms()


def test_case_file_replays(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "examples" / "clauses" / "WM-ADDR-ROW.toml"
    case = mmaspec.read_case(path)
    file = tmp_path / "case.json"
    mmaspec.write_case(case, file)
    assert file.read_bytes() == encode_case(case)
    with pytest.raises(mmaspec.BadInput, match="cannot be written"):
        mmaspec.write_case(case, tmp_path)
    again = mmaspec.read_case(file)
    assert isinstance(mmaspec.expect(again), Defined)
    assert mmaspec.assert_conforms(NUMPY, again).result.outcome == "legal"


def test_nonconforming_backend_is_told_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "golden.toml"
    file.write_bytes((Path(__file__).parents[2] / "examples" / "clauses" / "WM-ADDR-ROW.toml").read_bytes())
    assert golden_of("WM-ADDR-ROW").clause == "WM-ADDR-ROW"
    with pytest.raises(AssertionError, match=r"WM-ADDR-ROW: .*behaves as if rows of row-major matrices were packed"):
        mmaspec.assert_conforms(fault_named("wm-row-stride-ignored").make(), mmaspec.read_case(file))


def test_source_text_is_in_the_language_of_the_specification() -> None:
    case = mmaspec.read_case(Path(__file__).parents[2] / "examples" / "clauses" / "WM-ADDR-ROW.toml")
    assert "WaveMatrix" in mmaspec.source_text(case.spec, case.program, case.caps)
    with pytest.raises(mmaspec.BadInput, match="no specification named 'hlsl'"):
        mmaspec.source_text("hlsl", case.program, case.caps)
    assert mmaspec.specs() == tuple(sorted(SPECS))
