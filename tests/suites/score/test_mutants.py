"""Mutants are drawn alike every time, a gross one is killed, an equivalent one survives, and none hangs the score."""

from __future__ import annotations

import json
import sys
from functools import cache

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.cli import app
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PROFILES
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.score.mutants import scoring
from mmaspec.suites.score.mutants.bench import Bench, Outcome
from mmaspec.suites.score.mutants.crew import Crew, Work
from mmaspec.suites.score.mutants.drawing import Mutant, Reached, drawn, every_mutant
from mmaspec.suites.score.mutants.planting import HOME, planted, text_of
from mmaspec.suites.score.mutants.reviewed import Equivalent, equivalents, key_of
from tests.case_lists import case_list

SPEC = "amd-rdna3-wmma"
DEVICE = f"{HOME}.amd_rdna3_wmma.device"
PROFILE = PROFILES["correctly-rounded"]

TEXT = """
SCALE = 3


def used(x, y):
    if x > y:
        return x - y
    return x * SCALE


def unused(x):
    return x + 1
"""


@cache
def few(spec: str = SPEC, row: str = "", templates: tuple[str, ...] = ("product", "multiply")) -> tuple[Recipe, ...]:
    """Some products and a near miss."""
    listed = [r for r in case_list(spec, spec_named(spec).default_caps, "quick", DEFAULT_SEED) if row in r.row]
    near = [recipe for recipe in listed if recipe.target]
    return (*[recipe for recipe in listed if recipe.template in templates][:3], *near[:1])


def one(module: str, operator: str, function: str, after: str) -> Mutant:
    """The only mutant of that description."""
    (found,) = (
        mutant
        for mutant in every_mutant(module, text_of(module))
        if (mutant.mutation.operator, mutant.mutation.function) == (operator, function)
        and after in mutant.mutation.after
    )
    return found


def without(module: str, statement: str) -> Mutant:
    """The module without one statement."""
    (found,) = (
        mutant
        for mutant in every_mutant(module, text_of(module))
        if (mutant.mutation.operator, mutant.mutation.before) == ("deletion", statement)
    )
    return found


GROSS = ("constant", "WmmaDevice.right", ".swapaxes(-1, -1)")
EQUIVALENT = ("arithmetic", "WmmaDevice.word_of", "return (bits << 16) + bits")


def test_draw_is_the_same_every_time_and_another_with_another_seed() -> None:
    reach = {"m": {6: 0b11, 7: 0b10, 8: 0b100}}
    first, again, other = (drawn({"m": TEXT}, reach, seed) for seed in (1, 1, 2))
    assert first == again
    assert [one.mutant for one in first] != [one.mutant for one in other]
    assert len(first) == len(other) > 5


def test_only_what_some_case_executes_is_drawn_and_only_for_these_cases() -> None:
    found = drawn({"m": TEXT}, {"m": {6: 0b11, 7: 0b10, 8: 0b100}}, 1)
    assert {reached.mutant.mutation.function for reached in found} == {"used", "SCALE"}
    cases = {(reached.mutant.mutation.operator, reached.mutant.mutation.line): reached.cases for reached in found}
    assert cases["comparison", 6] == (0, 1)
    assert cases["swap", 7] == (1,)
    assert cases["constant", 2] == (2,), "a constant reaches the cases that read it"


def test_gross_mutant_is_killed_and_equivalent_one_survives() -> None:
    bench = Bench(few(), PROFILE, lambda: None)
    everything = tuple(range(len(few())))
    assert bench.outcome(Reached(one(DEVICE, *GROSS), everything)) == Outcome("illegal", few()[0].id)
    assert bench.outcome(Reached(one(DEVICE, *EQUIVALENT), everything)) == Outcome("")


def test_dropped_check_is_noticed_by_the_near_miss_that_it_is_for() -> None:
    listed = case_list(SPEC, spec_named(SPEC).default_caps, "quick", DEFAULT_SEED)
    recipes = tuple(recipe for recipe in listed if recipe.target == "RDNA3-IU-IMMEDIATE")[:1]
    mutant = one(f"{HOME}.amd_rdna3_wmma.validity", "deletion", "_call", "if any((isinstance(flag, FromBuffer)")
    assert Bench(recipes, PROFILE, lambda: None).outcome(Reached(mutant, (0,))) == Outcome("accepted", recipes[0].id)


def test_mutant_that_reports_no_caps_is_killed_before_any_case() -> None:
    mutant = without(DEVICE, "self.caps: Caps = DEFAULT_CAPS")
    assert Bench(few(), PROFILE, lambda: None).outcome(Reached(mutant, (0,))) == Outcome("raised")


def test_lines_of_a_case_are_those_that_it_executes() -> None:
    lines, wrong = Bench(few(), PROFILE, lambda: None).lines(range(len(few())))
    assert not wrong
    source = text_of(DEVICE).splitlines()
    product, near_miss = ({source[line - 1].strip() for line in lines[at].get(DEVICE, ())} for at in (0, 3))
    assert "words = self.accumulators(state, self.addend(state, step))" in product
    assert "words = self.accumulators(state, self.addend(state, step))" not in near_miss
    assert not any(line.startswith("def ") for line in product), "what runs on import is no part of a case"


def test_planting_leaves_no_trace() -> None:
    before = {name: module for name, module in sys.modules.items() if name.startswith(HOME)}
    backend, modules = planted(SPEC, {})
    assert {name: module for name, module in sys.modules.items() if name.startswith(HOME)} == before
    assert not isinstance(backend._unit, ExactUnit)
    assert modules[DEVICE] is not before.get(DEVICE)


def test_one_that_never_answers_is_ended_and_the_others_are_tried_all_the_same() -> None:
    # With sums that only exact terms decide.
    recipes = few(row="f16_16x16x16_f16_w32", templates=("product-near-tie",))[:1]
    terms = f"{HOME}.units.dot_terms"
    endless = without(terms, "products = products - leading")
    tame = one(f"{HOME}.units.exact", "constant", "_OPERATIONS", "9")
    with Crew(1, Work(recipes, PROFILE, 1.5)) as crew:
        found = crew.outcomes([Reached(endless, (0,)), Reached(tame, (0,))], lambda *_: None)
    assert [outcome.kind for outcome in found] == ["hung", ""]


def test_every_judgement_is_of_a_mutant_that_there_is() -> None:
    there = set()
    for spec in ours():
        there |= {key_of(mutant) for module in planted(spec, {})[1] for mutant in every_mutant(module, text_of(module))}
    for key, entry in equivalents().items():
        assert key in there, f"{entry.function}: {entry.line}"
        assert set(entry.specs) <= set(ours())
        assert len(entry.why.split()) > 3, "a judgement needs its reason"


@pytest.fixture
def short_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list so short that much survives."""
    monkeypatch.setattr(scoring, "listed_whole", lambda *_: few()[:1])
    monkeypatch.setattr(scoring, "equivalents", dict)
    monkeypatch.setattr(scoring, "LIMIT", 5.0)  # one case takes milliseconds, and some mutants never end


@pytest.mark.usefixtures("short_list")
def test_command_lists_survivors_and_exits_1() -> None:
    asked = ["score", "--mutants", "10", "--classes", "0", "--pairs", "0", "--spec", SPEC, "-n", "1"]
    result = CliRunner().invoke(app, [*asked, "--json"])
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)["specs"]
    whole = found["whole"]
    assert whole["drawn"] == len(found["mutants"]) == 10
    assert 0 < whole["killed"] < 10
    assert whole["killed"] == sum(bool(mutant["kind"]) for mutant in found["mutants"])
    assert sum(count["drawn"] for count in found["operators"]) == 10


def test_equivalents_are_not_counted() -> None:
    judged = scoring._judged(SPEC, one(DEVICE, *GROSS), "", "")
    ends = [("illegal", ""), ("raised", ""), ("", "alike"), ("", "")]
    count = scoring._count("", [replace(judged, kind=kind, why=why) for kind, why in ends])
    assert (count.drawn, count.killed, count.loud, count.equivalent, count.survivors) == (4, 2, 1, 1, 1)
    assert count.rate == pytest.approx(2 / 3)
    assert count.silent_rate == pytest.approx(1 / 2)


def test_a_judgement_holds_for_its_specifications_only(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = one(DEVICE, *EQUIVALENT)
    key = key_of(mutant)
    module, function, line, operator, before, after = key
    entry = Equivalent(
        module=module, function=function, line=line, operator=operator, before=before, after=after,
        specs=(SPEC,), why="bits of a half are below 2^16",
    )  # fmt: skip
    monkeypatch.setattr(scoring, "equivalents", lambda: {key: entry})
    assert scoring._judged(SPEC, mutant, "", "").state == "equivalent"
    assert scoring._judged(SPEC, mutant, "illegal", "x").state == "killed", "a case knows better"
    assert scoring._judged("nv-coopmat2", mutant, "", "").state == "survivor"


def test_only_is_refused_beside_mutants() -> None:
    result = CliRunner().invoke(app, ["score", "--mutants", "1", "--only", "legal"])
    assert "--only" in str(result.exception)
