"""Of which failing cases a process of the run can tell that no finding will list them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.backends.protocol import Images
from mmaspec.oracle.case import decode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.kind import EVIDENCE, Listable
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.score.matrix import listed
from mmaspec.suites.verdict.groups import findings_of

from .test_harness import SPEC, Numpy


class Inverted(Numpy):
    """Whatever it stores is wrong."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        return {name: image ^ (image != inputs[name]) for name, image in super().run(spec, program, inputs).items()}


def failing(case: int, cause: str, *, profile_only: bool = False) -> Result:
    name = f"{case:016x}"
    finding = Finding(
        symptom="value", blamed=("IT",), how="toggle", says="wrong", cause=cause, profile_only=profile_only
    )  # fmt: skip
    return Result(
        case=name, spec="it", row="row", template="frame", outcome="illegal", finding=finding, example=f"{name}.json"
    )  # fmt: skip


def kept(results: Sequence[Result], listable: Listable) -> set[str]:
    return {one.case for one in results if one.finding is not None and listable.may_list(one, one.finding)}


KINDS = st.tuples(st.sampled_from(["", "as if this", "as if that"]), st.booleans(), st.booleans())


@given(st.lists(KINDS, max_size=60), st.randoms(use_true_random=False), st.booleans())
def test_whatever_a_finding_lists_may_be_listed(
    kinds: list[tuple[str, bool, bool]], order: Random, profiles_count: bool
) -> None:
    """By whichever of two processes, in whatever order, and whether or not profiles count."""
    told = [
        (failing(case, cause, profile_only=only), here)
        for case, (cause, only, here) in enumerate(kinds)
        if profiles_count or not only
    ]
    walked = [*told, *((failing(case, cause, profile_only=True), here)
                       for case, (cause, only, here) in enumerate(kinds) if only and not profiles_count)]  # fmt: skip
    order.shuffle(walked)
    groups = findings_of([result for result, _ in told], {}, "profile")
    listed = {name for group in groups for name in (group.example, *group.evidence)}
    may = set[str]()
    for process in (False, True):
        may |= kept([result for result, here in walked if here == process], Listable())
    assert listed <= {f"{case}.json" for case in may}


def test_one_that_comes_after_six_of_its_kind_is_not_listed() -> None:
    some = [failing(case, "") for case in range(EVIDENCE + 4)]
    assert kept(some, Listable()) == {one.case for one in some[: EVIDENCE + 1]}
    assert len(kept(some[::-1], Listable())) == len(some), "each might be the first one"
    other = failing(EVIDENCE + 9, "as if this")
    assert kept([*some, other], Listable()) >= {other.case}


def test_findings_under_declared_profiles_only_are_listed_by_themselves() -> None:
    """They are other findings, so cases of theirs push none of the others out."""
    some = [failing(case, "", profile_only=True) for case in range(EVIDENCE + 4)]
    other = failing(EVIDENCE + 9, "")
    assert kept([*some, other], Listable()) >= {other.case}


@pytest.mark.parametrize("may", [True, False])
def test_only_what_may_be_listed_is_reduced(may: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is there all the same: the run may be killed before it is known which ones are."""
    recipe = next(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target)
    monkeypatch.setattr(Listable, "may_list", lambda *_: may)
    judge = CaseJudge(Inverted(), Numpy().describe(), PRACTICE, {recipe.id: ()}, listable=Listable())
    result, text = judge.judge_listed(recipe)
    assert result.example == f"{recipe.id}.json"
    assert (decode_case(text, "it").program == recipe.program) != may
