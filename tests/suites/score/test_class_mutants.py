"""Devices that are wrong where something has a class: how wrong, where, and whether it is noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mmaspec.backends.faults.spoiling import Deviation
from mmaspec.cli import app
from mmaspec.oracle.case import Case
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, WmmaProgram
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.hlsl_wave_matrix.program import Fill, Load, Matrix, Store, WaveMatrixProgram
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.narrowing import Block, Holds, block_of, meeting
from mmaspec.strategies.axes.observation import observer_of
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.pool import processes
from mmaspec.suites.score.classes import scoring
from mmaspec.suites.score.classes.deviation import mistaken
from mmaspec.suites.score.classes.mutant import Mutant, axes_of, drawn, every
from mmaspec.suites.score.classes.proofs import smoke
from mmaspec.suites.score.classes.registers import in_device
from mmaspec.suites.score.classes.reviewed import equivalents, why_none
from mmaspec.suites.score.classes.trial import Trial

SPEC = "hlsl-wave-matrix"
S32 = format_named("s32")


def case_of(*body: Any, values: np.ndarray | None = None) -> Case:
    """A program by hand; what it loads as ``c`` are the numbers from 1, or other ones."""
    spec = spec_named(SPEC)
    program = WaveMatrixProgram(
        buffers=(Buffer("in", 16 * 64), Buffer("out", 16 * 64)),
        matrices=(Matrix("c", "accumulator", "s32", 16, 16),),
        body=body,
    )
    given = np.arange(1, 257, dtype=np.uint64).reshape(1, 1, 1, 16, 16) if values is None else values
    row = next(row.name for row in spec.rows(spec.default_caps) if "16x16" in row.name and "s32" in row.name)
    loads = {source.name: given for source in spec.sources(program)}
    return Case(SPEC, row, "by hand", program, spec.default_caps, given.shape[0], loads)


LOAD, STORE = Load("c", "in", 0, 64, data="c"), Store("c", "out", 0, 64)


def kinds(case: Case, *mutants: Mutant) -> list[str]:
    trial = Trial(case)
    return [trial.kind(mutant, things) for mutant, things in trial.has(mutants)]


def test_a_mutant_that_changes_nothing_is_not_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What kills is the mistake, and not how it is measured."""

    @contextmanager
    def nothing(*_: object) -> Iterator[None]:
        yield

    monkeypatch.setattr(Deviation, "changing", nothing)
    mutants = [
        Mutant("integer-product", (("b-integer", "alternating-bits"),)),
        Mutant("load", (("argument-kind", "per-wave"),)),
    ]
    recipes = smoke("amd-rdna3-wmma")
    recipe = next(one for one in recipes if one.template == "product" and not one.target)
    trial = Trial(materialise(recipe), axes_of(mutants))
    assert [trial.kind(mutant, things) for mutant, things in trial.has(mutants)]
    assert not any(trial.kind(mutant, things) for mutant, things in trial.has(mutants))


def test_only_elements_with_the_class_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """One element of one item is the least integer; a look that always answers would find it in the first one."""
    values = np.arange(1, 513, dtype=np.uint64).reshape(2, 1, 1, 16, 16)
    values[1, 0, 0, 5, 7] = 1 << 31
    trial = Trial(case_of(LOAD, STORE, values=values))
    wrong: list[Block] = []
    real = Trial._illegal

    def noted(self: Trial, place: Any, block: Block, *, shifted: bool) -> tuple[bool, bool]:
        wrong.append(block)
        return real(self, place, block, shifted=shifted)

    monkeypatch.setattr(Trial, "_illegal", noted)
    for group in ("matrix-buffer-load", "matrix-buffer-store"):
        mutant = Mutant(group, (("integer-bits", "least"),))
        ((_, things),) = trial.has([mutant])
        assert trial.kind(mutant, things) == "illegal"
        assert wrong[-1].sides == ((1, 2), (0, 1), (5, 6), (7, 8))


def test_what_nothing_depends_on_survives() -> None:
    mutant = Mutant("fill", (("result-goes", "overwritten"),))
    assert kinds(case_of(Fill("c", Literal(5)), LOAD, STORE), mutant) == [""]
    load = Mutant("matrix-buffer-load", (("integer-bits", "one"),))
    assert kinds(case_of(LOAD, STORE), load) == ["illegal"]
    assert kinds(case_of(LOAD, Fill("c", Literal(5)), STORE), load) == [""]


def met(conditions: list[np.ndarray]) -> set[tuple[tuple[int, int], ...]]:
    """The blocks of two items of four by four in which classes meet that these elements have."""
    holds: list[Holds] = [lambda block, one=one: bool(one[block.key].any()) for one in conditions]
    whole = block_of((2, 1, 4, 4))
    return {block.sides for block in meeting(holds, whole, range(4)) if all(hold(whole) for hold in holds)}


def flags(*places: tuple[int, int, int, int]) -> np.ndarray:
    found = np.zeros((2, 1, 4, 4), np.bool_)
    for place in places:
        found[place] = True
    return found


def test_classes_meet_in_the_elements_that_have_both() -> None:
    assert met([flags((0, 0, 1, 2), (1, 0, 3, 3))]) == {
        ((0, 1), (0, 1), (1, 2), (2, 3)),
        ((1, 2), (0, 1), (3, 4), (3, 4)),
    }
    assert met([flags((0, 0, 1, 2), (1, 0, 3, 3)), flags((0, 0, 1, 2), (0, 0, 3, 3))]) == {
        ((0, 1), (0, 1), (1, 2), (2, 3))
    }
    assert met([flags((0, 0, 1, 2)), flags((0, 0, 1, 3))]) == set()


def test_a_class_of_the_whole_meets_whatever_is_there() -> None:
    """No half of a matrix has all its rows alike if that is a matter of all of them."""
    seven: Holds = lambda block: bool(flags((1, 0, 2, 0))[block.key].any())  # noqa: E731
    whole: Holds = lambda block: block.sides[2:] == ((0, 4), (0, 4))  # noqa: E731
    found = [block.sides for block in meeting([seven, whole], block_of((2, 1, 4, 4)), range(4))]
    assert found == [((1, 2), (0, 1), (2, 3), (0, 1))]
    (block,) = meeting([whole], block_of((1, 1, 4, 4)), range(4))
    assert block.sides == ((0, 1), (0, 1), (0, 4), (0, 4))


def test_a_mistake_is_the_next_content_that_is_not_legal() -> None:
    shape = (1, 1, 1, 4)
    half = format_named("f16")
    lo, hi = np.array([10, 8, 10, 1]).reshape(shape), np.array([10, 12, 10, 0]).reshape(shape)
    nan, why = np.array([0, 0, 0, 1], np.bool_).reshape(shape), np.array([0, 0, Reason.SPEC_SILENT, 0])
    legal = Legal.interval(half, lo, hi, nan, why.reshape(shape))
    got = np.array([10, 10, 10, half.nan_bits], np.uint64).reshape(shape)
    everywhere = np.ones(shape, np.bool_)
    wrong = mistaken(legal, got, everywhere, shifted=False)
    assert wrong.ravel().tolist() == [11, 13, 10, 1], "a number is no NaN"
    tiny = np.array([1, half.sign_bit | 1, 0, 5], np.uint64).reshape(shape)
    wrong = mistaken(Legal.from_bits(half, tiny), tiny, everywhere, shifted=False)
    assert wrong.ravel().tolist() == [2, half.sign_bit | 2, 1, 6], "away from zero, to which it might be flushed"
    assert mistaken(legal, got, ~everywhere, shifted=False).tolist() == got.tolist()


def test_a_mistake_of_a_move_is_a_neighbour() -> None:
    bits = np.array([4, 4, 9, 9], np.uint64).reshape(1, 1, 2, 2)
    where = np.array([1, 0, 1, 0], np.bool_).reshape(bits.shape)
    found = mistaken(Legal.from_bits(S32, bits), bits, where, shifted=True)
    assert found.ravel().tolist() == [9, 4, 4, 9], "of the next row, as those of its own are alike"


def test_every_copy_in_registers_is_wrong() -> None:
    fragment = Fragment("a", "a", "half", 16)
    program = WmmaProgram(32, (), (fragment,), ())
    registers = np.arange(2 * 32 * 8, dtype=np.uint32).reshape(2, 1, 32, 8)

    def change(got: np.ndarray) -> np.ndarray:
        found = got.copy()
        found[1, 0, 3, 5] ^= np.uint64(1)
        return found

    found = in_device(spec_named("amd-rdna3-wmma"), program, "a", change)(registers)
    assert np.argwhere(found != registers).tolist() == [[1, 0, 3, 2], [1, 0, 19, 2]]
    assert (found ^ registers).max() == 1 << 16


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_what_is_drawn_is_possible_and_the_same_again(spec: str) -> None:
    space, observer = space_of(spec), observer_of(spec)
    single = {(one.group, *one.classes) for one in every(space, observer)}
    for strength in (2, 3) if spec == "amd-rdna3-wmma" else (2,):
        found = drawn(space, observer, strength, 20, 7)
        assert found == drawn(space, observer, strength, 20, 7)
        assert len(set(found)) == 20
        assert all((one.group, each) in single for one in found for each in one.classes)
        assert all(len({axis for axis, _ in one.classes}) == strength for one in found)
    assert drawn(space, observer, 2, 20, 8) != drawn(space, observer, 2, 20, 7)


def test_survivors_have_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """One case, in which what is filled is overwritten; a near miss of whatever clause is no proof."""
    monkeypatch.setattr(scoring, "materialise", lambda one: one)
    monkeypatch.setattr(scoring, "why_none", lambda *_: "")
    cases: Any = [case_of(Fill("c", Literal(5)), LOAD, STORE)]
    monkeypatch.setattr(Case, "id", property(lambda one: one.identity), raising=False)
    wanted = [
        Mutant("fill", (("result-goes", "overwritten"),)),
        Mutant("matrix-buffer-load", (("integer-bits", "one"),)),
        Mutant("matrix-buffer-load", (("integer-bits", "least"),)),
    ]
    with processes(1) as over:
        found = scoring.tried_on(cases, wanted, over, lambda *_: None)
    assert [(one.kind, one.reason, one.cases) for one in found] == [
        ("", "unjudged", 1), ("illegal", "", 0), ("", "unseen", 0),
    ]  # fmt: skip
    of = scoring._counted(1, found)
    assert (of.drawn, of.killed, of.unjudged, of.free, of.unseen, of.survivors) == (3, 1, 1, 0, 1, 2)


def test_a_near_miss_proves_only_what_its_clause_is_about() -> None:
    spec = "nv-coopmat2"
    recipes = smoke(spec)
    recipe = next(one for one in recipes if one.target == "NVCM2-DECODE-SIG")
    trial = Trial(materialise(recipe))
    axes = space_of(spec).axis
    for one in trial.seen:
        for axis, names in one.classes.items():
            mutant = Mutant(one.thing.group, ((axis, min(names)),))
            about = "NVCM2-DECODE-SIG" in axes[axis].clauses or mutant.group == "invalid"
            assert trial.kind(mutant, [one]) == ("accepted" if about else "")


def test_what_is_legal_anyway_is_no_mistake() -> None:
    """A product of NaN: the profile does not require that one comes out."""
    spec = "nv-coopmat2"
    mutant = Mutant("product", (("float-operand-value", "quiet-nan"),))
    for recipe in smoke(spec):
        if recipe.template == "mul-add-specials" and not recipe.target:
            trial = Trial(materialise(recipe), axes_of([mutant]))
            for _, things in trial.has([mutant]):
                assert (trial.kind(mutant, things), trial.wrong) == ("", False)
                return
    raise AssertionError("no case has it")


def test_a_judgement_holds_for_whatever_has_its_classes() -> None:
    one, other = ("result-goes", "overwritten"), ("fill-kind", "left")
    assert why_none(SPEC, Mutant("fill", (one,)))
    assert why_none(SPEC, Mutant("fill", (other, one)))
    assert not why_none(SPEC, Mutant("fill", (other,)))
    assert not why_none("nv-coopmat2", Mutant("fill", (one,)))


def test_judgements_name_classes_and_have_reasons() -> None:
    for entry in equivalents():
        space = space_of(entry.spec)
        assert set(entry.groups) <= set(space.group)
        assert not [flaw for together in entry.together for flaw in space.unknown(together)]
        assert len(entry.why.split()) > 3, "a judgement needs its reason"


def test_command_lists_survivors_and_exits_1(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = "amd-rdna3-wmma"
    few = smoke(spec)[:2]
    monkeypatch.setattr(scoring, "listed_whole", lambda *_: few)
    asked = ["score", "--mutants", "0", "--classes", "9", "--pairs", "3", "--triples", "2", "--spec", spec, "-n", "1"]
    result = CliRunner().invoke(app, [*asked, "--json"])
    assert result.exit_code == 1
    written = json.loads(result.stdout)
    (found,) = written["classes"]
    assert not written["specs"]
    assert [(of["classes"], of["drawn"], len(of["mutants"])) for of in found["strengths"]] == [
        (1, 9, 9), (2, 3, 3), (3, 2, 2),
    ]  # fmt: skip
    assert "no case has it" in CliRunner().invoke(app, asked).stdout


def test_options_of_class_mutants_need_mutants() -> None:
    result = CliRunner().invoke(app, ["score", "--pairs", "3"])
    assert "--pairs goes with --mutants" in str(result.exception)
