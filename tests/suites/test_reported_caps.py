"""What a device reports of itself: what breaks a clause is a finding, what cannot be judged is shown, the rest runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from mmaspec.backends.arithmetic_clauses import borrowed_clauses
from mmaspec.backends.faults import faults_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.given_caps import decode_caps
from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import Case, decode_case, encode_case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS as LINALG
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS, WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Features, FixedSize, FlexibleSize
from mmaspec.reports.junit import render_junit
from mmaspec.reports.markdown import summary
from mmaspec.reports.run_folder import read_run, write_reports
from mmaspec.strategies.enumerate import Lister, grammar_of
from mmaspec.strategies.grammar import forms_of
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.gate.baseline import baseline_of
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.gate.pinned import replay_pinned
from mmaspec.suites.gate.waivers import Pinned, Waiver, decode_waivers
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.reported import caps_results, sensitive_rows
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.supervisor import with_reported
from mmaspec.suites.score.scoring import _of_report
from mmaspec.suites.vectors.request import Reported
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.compare import compare
from mmaspec.suites.verdict.model import Run
from tests.case_lists import case_list

SPEC = "hlsl-wave-matrix"
ODD = replace(DEFAULT_CAPS.support[0], k=24)
"""Bytes of 16 x 16 with a K that the document rules out."""
BYTES = WaveMmaSupport("byte", 16, 64, k=32)
CAPS = WaveMmaCaps((ODD, BYTES))
EXECUTES = Description(name="device", version="1")
BOTH = Description(name="device", version="1", roles=("executes", "validates"), enforces="all")


def planned(caps: Any, spec: str = SPEC, description: Description = EXECUTES) -> tuple[Plan, tuple[Recipe, ...]]:
    return prepare(Wanted(backend="device", specs=(spec,), tier="quick"), Reported(spec, caps, description), case_list)


def judged(plan: Plan, results: tuple[Result, ...] = ()) -> tuple[Run, list[Result]]:
    """The run in which the device answered no case but these."""
    found = with_reported(plan, results)
    return assemble(plan, found, {}), found


def test_caps_without_a_row_that_can_be_tested_say_why() -> None:
    text = b'{"sub_group_size": 8, "forms": ["f16_f16_f16"]}'
    says = r"^caps\.json: caps of intel-subgroup-mma without a single row that .*f16_f16_f16: .*sub-groups of 8"
    with pytest.raises(BadInput, match=says):
        decode_caps("intel-subgroup-mma", text, "caps.json")


def test_caps_that_a_backend_borrows_fail_nobody() -> None:
    """What only computes is offered the rows that it can compute: a tier that asks for the others is not its own."""
    needed = [row for row in LINALG.vector_products if row.matrix != "F8_E4M3FN"]
    caps = replace(LINALG, vector_products=tuple(needed))
    own, borrowing = (
        judged(planned(caps, "hlsl-linalg", replace(EXECUTES, borrowed=borrowed))[0])
        for borrowed in ((), borrowed_clauses())
    )
    assert [one.finding.blamed for one in own[1] if one.finding is not None] == [("LINALG-TIER1-VECTORS",)]
    assert own[0].verdict == "not conformant"
    (found,) = own[0].findings
    missing = "tier 1 without a product of F16 and F8_E4M3FN into F16"
    assert found.says == f"the device reports {missing}; expected one (row vector-f16-e4m3-f16)"
    assert (found.symptom, found.noun) == ("reported", "row")
    assert "`LINALG-TIER1-VECTORS` (1 row): the device reports tier 1 without" in summary(*own)
    assert not borrowing[1]
    assert borrowing[0].verdict == "inconclusive", "no case was answered"
    clause = borrowing[0].specs["hlsl-linalg"].clauses["LINALG-TIER1-VECTORS"]
    assert clause.status == "not applicable"
    assert clause.why.startswith("borrowed")


def test_a_row_that_breaks_a_clause_fails_it_and_the_others_run() -> None:
    plan, recipes = planned(CAPS)
    assert {recipe.row for recipe in recipes} == {"byte-16x64-s32"}
    assert {recipe.caps for recipe in recipes} == {WaveMmaCaps((BYTES,))}
    run, results = judged(plan)
    assert run.verdict == "not conformant"
    clauses = run.specs[SPEC].clauses
    assert clauses["WM-K-MULT16"].basis == "document"
    assert {row: cell.status for row, cell in clauses["WM-K-MULT16"].rows.items()} == {
        "byte-16x16-s32": "fail",
        "byte-16x64-s32": "pass",
    }
    assert set(clauses["WM-MUL"].rows) == {"byte-16x64-s32"}
    (broken,) = [result for result in results if result.finding]
    assert broken.finding is not None
    assert (broken.row, broken.finding.blamed, broken.finding.symptom) == (
        "byte-16x16-s32", ("WM-K-MULT16",), "reported",
    )  # fmt: skip
    assert (broken.finding.reported, broken.finding.demanded) == ("K = 24", "a multiple of 16")
    assert [group.clause for group in run.findings] == ["WM-K-MULT16"]
    assert run.specs[SPEC].caps == CAPS
    for text in (render_junit(run, results), summary(run, results)):
        assert "row byte-16x16-s32 reports K = 24; expected a multiple of 16" in text.replace("\\", "")


def test_a_device_of_which_no_row_is_left_fails_too() -> None:
    plan, recipes = planned(WaveMmaCaps((ODD,)))
    assert (recipes, plan.caps) == ((), {})
    run, _ = judged(plan)
    assert run.verdict == "not conformant"
    assert run.specs[SPEC].clauses["WM-K-MULT16"].status == "fail"


def test_no_near_miss_uses_what_the_device_says_that_it_supports() -> None:
    caps = replace(DEFAULT_CAPS, support=(ODD, BYTES, *DEFAULT_CAPS.support[4:]))
    spec = spec_named(SPEC)
    usable = spec.reported(caps).usable
    _, recipes = planned(caps, description=BOTH)
    drawn = case_list(SPEC, usable, "quick")
    assert {recipe.id for recipe in recipes} < {recipe.id for recipe in drawn}, "some would have used that row"
    for recipe in recipes:
        if recipe.target:
            assert recipe.target in spec.rejected(resolve(recipe.program, recipe.words), caps)


HALVES = FixedSize(16, 16, 16, "f16", "f16", "f16", "f16")
OTHERS: tuple[Any, ...] = ("bf16", "f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32")


def test_no_near_miss_uses_a_factor_of_a_row_of_which_another_is_out_of_reach() -> None:
    out_of_reach: Any = "e4m3"
    caps = CoopMatCaps((HALVES, *(replace(HALVES, a=kind, b=out_of_reach) for kind in OTHERS)))
    spec = spec_named("nv-coopmat2")
    usable = CoopMatCaps((HALVES,))
    (row,) = spec.rows(usable)
    listers = [Lister(spec, grammar_of(spec.name), usable, seed) for seed in range(4)]
    forms = [form.name for form in forms_of(grammar_of(spec.name).near_misses["KHRCM-CAPS-MATCH"])]
    some = [forms.index(f"no matrix with another component of {use} is listed") for use in "AC"]
    drawn = tuple(lister.near_miss(row, "KHRCM-CAPS-MATCH", 0, form) for lister in listers for form in some)
    wanted = Wanted(backend="device", specs=(spec.name,), tier="quick")
    plan, kept = prepare(wanted, Reported(spec.name, caps, BOTH), lambda *_: drawn)
    assert plan.caps == {spec.name: usable}
    assert 0 < len(kept) < len(drawn), "some would have had such an A"
    assert all(recipe.target in spec.rejected(resolve(recipe.program, recipe.words), caps) for recipe in kept)


MISREPORTING = [fault for spec in SPECS for fault in faults_of(spec) if fault.misreports is not None]


@pytest.mark.parametrize("fault", MISREPORTING, ids=lambda fault: fault.name)
def test_a_device_that_misreports_breaks_its_clause_and_no_other(fault: Fault) -> None:
    backend, spec = fault.make(), spec_named(fault.spec)
    report = spec.reported(backend.caps(fault.spec))
    rows = [row for row, breach in report.breaches() if breach.clause == fault.clause]
    assert {breach.clause for _, breach in report.breaches()} == {fault.clause}
    assert rows
    scored = _of_report(fault)
    assert (scored.killed, scored.blamed) == (True, True)
    assert any(fault.name in names for names in sensitive_rows(spec, spec.default_caps).values())


@pytest.mark.parametrize("spec", SPECS)
def test_clauses_of_caps_pass_on_a_device_that_reports_rightly(spec: str) -> None:
    """Only where a counterfactual would fail: the clause has to have a meaning in the row."""
    found = spec_named(spec)
    results = caps_results(found, found.default_caps)
    assert {result.outcome for result in results} <= {"legal"}
    assert all(result.sensitive for result in results)
    shown = {(result.clauses[0], result.row) for result in results}
    only = {fault.clause for fault in faults_of(spec) if fault.misreports is not None}
    only -= {fault.clause for fault in faults_of(spec) if fault.misreports is None}
    assert shown >= {
        (clause, row.name)
        for clause in only
        for row in found.rows(found.default_caps)
        if found.catalogue.applies(clause, row.tags)
    }


NV = CoopMatCaps(
    (
        FixedSize(16, 16, 16, "f16", "f16", "f32", "f32"),
        FixedSize(16, 16, 32, "e4m3", "e4m3", "f32", "f32"),  # type: ignore[arg-type]
        FixedSize(16, 16, 16, "s64", "s64", "s64", "s64"),  # type: ignore[arg-type]
        FixedSize(16, 16, 16, "f16", "f16", "f16", "f32"),
    )
)


def test_rows_that_cannot_be_judged_are_shown_and_change_no_verdict() -> None:
    usable = replace(NV, fixed=NV.fixed[:1])
    runs = []
    for caps in (NV, usable):
        plan, _ = planned(caps, "nv-coopmat2")
        runs.append(judged(plan)[0])
    several, one = runs
    assert several.verdict == one.verdict == "inconclusive"
    assert several.headline.replace("; 3 of 4 rows not covered", "") == one.headline
    assert "; 3 of 4 rows not covered" in several.headline
    assert several.specs["nv-coopmat2"].not_covered == {
        "e4m3-f32-16x16x32": "no program has components of type e4m3",
        "s64-s64-16x16x16": "no program has components of type s64",
        "f16-f16-to-f32-16x16x16": "no product of the language has a result of another type than C",
    }
    assert several.specs["nv-coopmat2"].caps == NV
    assert "e4m3-f32-16x16x32" in summary(several)
    assert '<property name="rows not covered" value="3 of 4"/>' in render_junit(several, [])


def test_a_builtin_that_is_reported_twice_is_one_row() -> None:
    caps = Caps(builtins=("i32_16x16x16_iu8_w32", "f16_16x16x16_f16_w32", "i32_16x16x16_iu8_w32"))
    plan, recipes = planned(caps, "amd-rdna3-wmma")
    assert not plan.not_covered
    assert {recipe.row for recipe in recipes} == {"i32_16x16x16_iu8_w32", "f16_16x16x16_f16_w32"}
    assert judged(plan)[0].specs["amd-rdna3-wmma"].rows == 2


def test_a_row_without_a_program_is_not_covered() -> None:
    plan, _ = prepare(
        Wanted(backend="device", specs=(SPEC,), tier="quick"),
        Reported(SPEC, WaveMmaCaps((BYTES,)), EXECUTES),
        lambda *_: (),
    )
    assert plan.not_covered == {SPEC: {"byte-16x64-s32": "no program of it could be drawn"}}


def case() -> Case:
    _, recipes = planned(WaveMmaCaps((BYTES,)))
    return materialise(next(recipe for recipe in recipes if not recipe.target))


def test_caps_that_a_person_wrote_stay_bad_input() -> None:
    wrong = replace(BYTES, accum_precision=3)
    data = encode_case(dataclasses.replace(case(), caps=WaveMmaCaps((wrong,))))
    expected = r"case.json: caps: row byte-16x64-s32 breaks WM-CAPS-BYTE: .* 0x3; expected 0x2"
    with pytest.raises(BadInput, match=expected):
        decode_case(data, "case.json")
    text = b'{"support": [{"datatype": "byte", "m": 16, "n": 64, "accum_precision": 3}]}'
    with pytest.raises(BadInput, match=r"caps.json: row byte-16x64-s32 breaks WM-CAPS-BYTE"):
        decode_caps(SPEC, text, "caps.json")
    with pytest.raises(BadInput, match="WM-CAPS-BYTE"):
        spec_named(SPEC).rows(WaveMmaCaps((wrong,)))


FAR = date(9999, 12, 31)
WAIVER = Waiver(
    clause="WM-K-MULT16", reason="known", link="https://example.org/1", owner="someone", expires=FAR, symptom="reported"
)


@pytest.mark.parametrize(
    ("caps", "waiver", "state"),
    [
        (CAPS, WAIVER, "holds"),
        (WaveMmaCaps((BYTES,)), WAIVER, "remove me"),
        (CAPS, replace(WAIVER, rows=("byte-16x64-*",)), "remove me"),
        (CAPS, replace(WAIVER, rows=("f32-*",)), "unmatched"),
        (CAPS, replace(WAIVER, clause="WM-CAPS-BYTE"), "remove me"),
        (CAPS, replace(WAIVER, expires=date(2020, 1, 1)), "expired"),
    ],
)
def test_a_waiver_of_what_is_reported_needs_no_case(caps: WaveMmaCaps, waiver: Waiver, state: str) -> None:
    plan, _ = planned(caps)
    backend: Any = None  # it is not asked again
    (found,) = replay_pinned(backend, plan, [Pinned(waiver, SPEC, None)], date(2026, 1, 1))
    assert found.state == state
    if state == "holds":
        run, results = judged(plan)
        gate = decide(run, results, [found])
        assert [(one.clause, one.row, one.symptom) for one in gate.accepted] == [
            ("WM-K-MULT16", "byte-16x16-s32", "reported")
        ]
        assert gate.new == []


def test_a_waiver_file_says_which_of_the_two_it_is() -> None:
    lines = 'clause = "WM-K-MULT16"\nreason = "r"\nlink = "l"\nowner = "o"\nexpires = 9999-12-31\n'
    text = f'[[waiver]]\n{lines}symptom = "reported"\n'
    assert decode_waivers(text.encode(), "w.toml")[0].case == ""
    with pytest.raises(BadInput, match=r"w.toml: waiver 1: has a case; what a backend reports"):
        decode_waivers(f'{text}case = "a.json"\n'.encode(), "w.toml")
    with pytest.raises(BadInput, match=r"w.toml: waiver 1: has no case; expected a case file"):
        decode_waivers(f"[[waiver]]\n{lines}".encode(), "w.toml")
    with pytest.raises(BadInput, match=r"waiver 2: WM-K-MULT16 is waived twice$"):
        decode_waivers((text + text).encode(), "w.toml")


def test_a_baseline_accepts_what_was_reported_before_and_compare_sees_it_mended() -> None:
    before, results = judged(planned(CAPS)[0])
    baseline = baseline_of(before, results)
    assert decide(before, results, (), baseline).new == []
    after, _ = judged(planned(WaveMmaCaps((replace(ODD, k=32), BYTES)))[0])
    changed = compare(before, after)
    assert ("WM-K-MULT16", "byte-16x16-s32") in {(one.clause, one.row) for one in changed["fixed"]}
    assert ("WM-K-MULT16", "byte-16x16-s32") in {(one.clause, one.row) for one in compare(after, before)["broken"]}


def test_the_plan_alone_says_what_was_reported() -> None:
    """So that a run that goes on, and shards that are merged, have it once."""
    plan, _ = planned(CAPS)
    assert with_reported(plan, ()) == with_reported(plan, ()) == with_reported(replace(plan, shard="1/2"), ())
    ids = [result.case for result in with_reported(plan, ())]
    assert ids == sorted(set(ids))


def test_a_run_folder_with_what_was_reported_is_read_back(tmp_path: Path) -> None:
    plan, recipes = planned(CAPS)
    answers = tuple(
        Result(case=recipe.id, spec=SPEC, row=recipe.row, template=recipe.template, outcome="inconclusive", why="test")
        for recipe in recipes
    )
    run, results = judged(plan, answers)
    write_reports(tmp_path, run, results)
    assert read_run(tmp_path) == (msgspec.json.decode(msgspec.json.encode(run), type=Run), results)


def _odd_wave_matrix(draw: Random) -> WaveMmaCaps:
    number = (-1, 0, 1, 3, 4, 16, 24, 32, 64, 128, 1 << 40)
    sizes = (16, 16, 64, 64, 64, 16, 24)
    answers = [
        WaveMmaSupport(
            draw.choice(("byte", "float16", "float")),
            draw.choice(sizes), draw.choice(sizes), draw.random() < 0.9,
            *(value if draw.random() < 0.8 else draw.choice(number) for value in (32, 2, draw.choice((0, 24, 32)))),
        )
        for _ in range(draw.randrange(8))
    ]  # fmt: skip
    return WaveMmaCaps(tuple(answers), draw.choice(((32, 32), (4, 128), (4, 128), (24, 24), (64, 32), (-8, 64))))


def _odd_coopmat(draw: Random) -> CoopMatCaps:
    kinds: tuple[Any, ...] = ("f32", "f32", "f32", "f32", "f32", "f32", "s32", "e5m2", "VK_COMPONENT_TYPE_9")
    sizes = (-4, 0, 1, 8, 16, 16, 16, 16, 24, 1 << 40)

    def entry(kind: type[Any], scopes: tuple[str, ...], *more: int) -> Any:
        numbers = (draw.choice(sizes) for _ in range(3))
        types = (draw.choice(kinds) for _ in range(4))
        return kind(*numbers, *types, draw.random() < 0.3, draw.choice(scopes), *more)

    scopes = ("subgroup", "subgroup", "workgroup", "VK_SCOPE_DEVICE_KHR")
    return CoopMatCaps(
        tuple(entry(FixedSize, scopes) for _ in range(draw.randrange(6))),
        tuple(entry(FlexibleSize, scopes, draw.choice((-1, 0, 64, 4096))) for _ in range(draw.randrange(4))),
        draw.choice((0, 16, 1024)),
        Features(flexible_dimensions=draw.random() < 0.8, workgroup_scope=draw.random() < 0.8),
    )


@pytest.mark.parametrize(("spec", "odd"), [(SPEC, _odd_wave_matrix), ("nv-coopmat2", _odd_coopmat)])
def test_whatever_decodes_is_judged_row_by_row(spec: str, odd: Callable[[Random], Any], times: int) -> None:
    """Every row that is reported runs, breaks a clause or is not covered, and nothing is raised."""
    draw, found = Random(12), spec_named(spec)  # noqa: S311 - the same tables every time
    seen = [0, 0, 0]
    for _ in range(400 * times):
        caps = odd(draw)
        assert msgspec.json.decode(msgspec.json.encode(caps), type=found.caps_type) == caps
        report = found.reported(caps)
        usable = {row.name for row in found.rows(report.usable)}
        spoilt = {row for row, breach in report.breaches() if breach.spoils}
        left = set(report.not_covered())
        assert usable | spoilt | left == set(report.rows())
        assert len(usable) + len(spoilt) + len(left) == len(report.rows()), "each in one of the three"
        assert all(found.catalogue.clause[breach.clause].testable for _, breach in report.breaches())
        caps_results(found, caps)
        seen = [count + len(more) for count, more in zip(seen, (usable, spoilt, left), strict=True)]
    assert min(seen) > 20, seen
