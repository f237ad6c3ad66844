"""How much a verdict accepts: counted on legal sets, gathered for each test, shown in the report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.acceptance import acceptance
from mmaspec.oracle.expectation import Defined, Region
from mmaspec.oracle.numerics.legal import Legal, Reason, full
from mmaspec.programs.formats import FORMATS
from mmaspec.reports.sharpness_view import share_text, sharpness_views
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Sharpness, SpecResult
from mmaspec.suites.verdict.sharpness import sharpness

U8, S32 = FORMATS["u8"], FORMATS["s32"]


def region(legal: Legal, live: np.ndarray | None = None) -> Region:
    """A store of a whole matrix; ``legal`` is (batch, wave, row, column)."""
    shape = legal.shape[1:]
    return Region("out", 0, np.zeros(shape, np.int64), legal, np.ones(shape, np.bool_) if live is None else live)


def defined(*regions: Region) -> Defined:
    return Defined({}, {}, {}, (), regions)


def test_shares_are_counted_over_judged_elements() -> None:
    lo = np.zeros((1, 1, 1, 5), np.int64)
    hi = np.array([0, 1, 3, 255, 255]).reshape(lo.shape)
    why = np.array([0, 0, 0, 0, Reason.SPEC_SILENT], np.uint8).reshape(lo.shape)
    found = acceptance(defined(region(Legal.interval(U8, lo, hi, why=why))))
    assert found.median == (2 / 256 + 4 / 256) / 2
    assert found.widest == 1.0
    assert found.unjudged == 1
    live = np.array([True, True, True, False, False]).reshape(lo.shape[1:])
    less = acceptance(defined(region(Legal.interval(U8, lo, hi, why=why), live), region(full(S32, (2, 1, 1, 2), 7))))
    assert (less.median, less.widest, less.unjudged) == (2.0**-32, 4 / 256, 0)


def test_nothing_judged_accepts_nothing() -> None:
    none = full(U8, (1, 1, 1, 3), 0).not_judged(np.ones((1, 1, 1, 3), np.bool_), Reason.SPEC_SILENT)
    assert acceptance(defined(region(none))).unjudged == 3
    assert acceptance(defined(region(none))).widest == 0.0
    assert acceptance(defined()).median == 0.0


def result(template: str, row: str, **facts: Any) -> Result:
    return Result(case="c", spec="s", row=row, template=template, outcome="legal", **facts)


def test_results_are_gathered_by_test() -> None:
    found = sharpness(
        [
            result("b", "x", judged=10, share=0.5, widest=0.6, unjudged=3, weak=True),
            result("b", "x", judged=20, share=0.1, widest=0.9),
            result("b", "x", judged=20, share=0.2, widest=0.3),
            result("b", "y", judged=1, share=2.0**-32, widest=2.0**-32),
            result("a", "y", judged=1),  # a refused near miss: nothing was stored
        ]
    )
    assert found == {
        "b": {
            "x": Sharpness(cases=3, judged=50, unjudged=3, weak=1, median=0.2, widest=0.9),
            "y": Sharpness(cases=1, judged=1, unjudged=0, weak=0, median=2.0**-32, widest=2.0**-32),
        }
    }


def test_a_report_puts_first_what_accepts_most() -> None:
    def one(median: float, weak: int = 0) -> Sharpness:
        return Sharpness(cases=4, judged=2000, unjudged=0, weak=weak, median=median, widest=median)

    tests = {"sharp": {"x": one(2.0**-32)}, "loose": {"x": one(0.5, 2), "y": one(0.25, 2)}}
    spec = SpecResult(title="t", revision="r", caps=None, clauses={}, sharpness=tests)
    loose, sharp = sharpness_views(spec)
    assert (loose.name, loose.rows, loose.cases, loose.median, loose.widest) == ("loose", "2", "8", "38%", "50%")
    assert (loose.weak, loose.loose) == ("4", True)
    assert (sharp.median, sharp.weak, sharp.loose) == ("1 in 4.2G", "", False)


@pytest.mark.parametrize(
    ("part", "text"), [(0.0, "none"), (1.0, "100%"), (0.1, "1 in 10"), (1 / 256, "1 in 256"), (2.0**-16, "1 in 65k")]
)
def test_a_share_is_told_in_words(part: float, text: str) -> None:
    assert share_text(part) == text
