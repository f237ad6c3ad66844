"""How much the verdicts of each test accept, from the results of its cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Sharpness


def sharpness(results: Sequence[Result]) -> dict[str, dict[str, Sharpness]]:
    """Template -> caps row -> how much is accepted, over the cases in which stored elements were judged."""
    tests: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        if result.share:
            tests[result.template, result.row].append(result)
    found: dict[str, dict[str, Sharpness]] = defaultdict(dict)
    for (template, row), cases in sorted(tests.items()):
        found[template][row] = Sharpness(
            cases=len(cases),
            judged=sum(case.judged for case in cases),
            unjudged=sum(case.unjudged for case in cases),
            weak=sum(case.weak for case in cases),
            median=median(case.share for case in cases),
            widest=max(case.widest for case in cases),
        )
    return dict(found)
