"""``mmaspec replay --authority``: what breaks practice alone fails nothing where documents alone count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.commands.profile_file import profile_named
from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.planning.prepare import Wanted, prepare
from tests.case_lists import case_list

from .in_process import mmaspec

SPEC = "amd-rdna3-wmma"
Written = Callable[..., Path]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The case file of the first float case that a backend fails in a run, alone in its folder."""
    known: dict[str, Path] = {}

    def of(name: str, profile: str | None = None) -> Path:
        if name not in known:
            backend = resolve(name)
            asked = None if profile is None else profile_named(profile)
            plan, recipes = prepare(
                Wanted(backend=name, specs=(SPEC,), profile=asked, tier="quick"), backend, case_list
            )
            floats = [recipe for recipe in recipes if recipe.row.startswith("f32") and not recipe.target]
            judge = CaseJudge(backend, plan.description, plan.profile, {recipe.id: () for recipe in floats})
            texts = (judge.judge_listed(recipe)[1] for recipe in floats)
            known[name] = tmp_path_factory.mktemp("cases") / "case.json"
            known[name].write_bytes(next(text for text in texts if text))
        return known[name]

    return of


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("found", [True, False], ids=["found", "unexplained"])
@pytest.mark.parametrize(("authority", "code"), [("profile", 1), ("practice", 1), ("document", 3)])
def test_what_breaks_practice_alone(written: Written, tmp_path: Path, authority: str, code: int, found: bool) -> None:
    file = written("legal:bf16-sums")
    if not found:
        case = decode_case(file.read_bytes(), "case")
        file = tmp_path / "case.json"
        file.write_bytes(encode_case(replace(case, found=b"")))
    done = mmaspec("replay", file, "--backend", "legal:bf16-sums", "--authority", authority)
    assert done.code == code, done.out + done.err
    says = "inconclusive: does not count with --authority document, as RDNA3-FP-ACC is on practice; "
    assert done.out.startswith(says if code == 3 else "illegal: "), done.out
    assert "RDNA3-FP-ACC: " in done.out
    every = mmaspec("replay", "--all", file.parent, "--backend", "legal:bf16-sums", "--authority", authority)
    assert every.code == code


@pytest.mark.parametrize("authority", ["profile", "practice", "document"])
def test_what_breaks_a_document_fails_on_each(written: Written, authority: str) -> None:
    file = written("fault:rdna3-c-dropped")
    done = mmaspec("replay", file, "--backend", "fault:rdna3-c-dropped", "--authority", authority)
    assert done.code == 1
    assert "RDNA3-MMA: " in done.out, done.out


@pytest.mark.parametrize(("authority", "code"), [("profile", 1), ("practice", 0)])
def test_what_breaks_a_declared_profile_alone(written: Written, authority: str, code: int) -> None:
    file = written("legal:sequential", "correctly-rounded")
    done = mmaspec("replay", file, "--backend", "legal:sequential", "--authority", authority)
    assert done.code == code, done.out + done.err
    if not code:
        says = "legal: legal by practice; the run went by correctly-rounded, and found RDNA3-"
        assert done.out.startswith(says), done.out


def test_an_authority_that_is_none(written: Written) -> None:
    file = written("legal:bf16-sums")
    done = mmaspec("replay", file, "--authority", "nobody")
    assert done.code == 2
    assert "no authority named 'nobody'" in done.err
    done = mmaspec("replay", file, "--authority", "document", "--profile", "correctly-rounded")
    assert done.code == 2
    assert "would not count" in done.err
