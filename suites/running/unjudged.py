"""Results of cases whose answer nobody has: the backend died twice over them, or nobody lived to judge them."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.failures import error_line
from mmaspec.oracle.case import encode_case
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.death import died_twice
from mmaspec.suites.judging.kind import shows
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.telling.found import found_by, with_found
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.suited import suited


def failed_here(recipe: Recipe, error: BaseException) -> Result:
    """The result of a case that mmaspec itself could not judge."""
    return undecided(recipe, f"mmaspec could not judge it: {type(error).__name__}: {error_line(error)}")


def undecided(recipe: Recipe, why: str) -> Result:
    """The result of a case that nobody judged."""
    return Result(
        case=recipe.id,
        spec=recipe.spec,
        row=recipe.row,
        template=recipe.template,
        target=recipe.target,
        outcome="inconclusive",
        why=why,
    )


def died(recipe: Recipe, plan: Plan, how: str, kinds: set[tuple[str, str]]) -> tuple[Result, bytes]:
    """The result and case file of a case in which the backend died twice. Only the oracle is used here.

    ``kinds`` are those of the earlier failures of its test that have a case file: one more of them gets none.
    """
    try:
        listed = materialise(recipe)
        case = suited(listed, plan.description) or listed
        result = died_twice(case, recipe.id, expect_by_reading(case, plan.profile), how)
    except Exception as error:  # noqa: BLE001 - of a third party's specification, maybe
        return failed_here(recipe, error), b""
    if result.finding is None or not shows(result.finding, kinds):
        return result, b""
    found = found_by(plan.description, plan.profile, result.outcome, result.finding)
    return replace(result, example=f"{recipe.id}.json"), encode_case(with_found(case, found))
