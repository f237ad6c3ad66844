"""Devices that report less, or other sizes, than the default caps get a case list and a fair verdict too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Backend, Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS as NV_CAPS
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.sensitivity import candidates, made
from mmaspec.suites.verdict.verdicts import judge_clauses
from tests.case_lists import case_list

from .any_caps import problems


def every_datatype(size: int, lanes: tuple[int, int]) -> tuple[str, WaveMmaCaps]:
    """A device with every datatype in one size, all of which need the same waves."""
    answers = (("byte", 32, 2), ("float16", 16, 3), ("float", 16, 2))
    rows = (WaveMmaSupport(datatype, 16, 16, True, k, flags, size) for datatype, k, flags in answers)  # type: ignore[arg-type]
    return "hlsl-wave-matrix", WaveMmaCaps(tuple(rows), lanes)


WAVES: Mapping[str, tuple[str, Any]] = {
    **{f"hlsl-waves-of-{size}": every_datatype(size, (4, 128)) for size in (4, 8, 16, 64, 128)},
    "hlsl-waves-from-4": every_datatype(0, (4, 32)),
    "hlsl-waves-from-16": every_datatype(0, (16, 64)),
    "hlsl-waves-from-64": every_datatype(0, (64, 64)),
    "hlsl-the-larger-waves": every_datatype(64, (32, 64)),
    "hlsl-any-waves-of-bytes": (
        "hlsl-wave-matrix",
        WaveMmaCaps((WaveMmaSupport("byte", 16, 16, True, 32, 2, 0),), (8, 32)),
    ),
    "hlsl-waves-by-datatype": (
        "hlsl-wave-matrix",
        WaveMmaCaps(
            (WaveMmaSupport("byte", 16, 16, True, 32, 2, 32), WaveMmaSupport("float16", 16, 16, True, 16, 3, 64)),
            (32, 64),
        ),
    ),
    "hlsl-depth-by-size": (
        "hlsl-wave-matrix",
        WaveMmaCaps(
            tuple(
                WaveMmaSupport("byte", m, n, True, k, 2, 32)
                for m, n, k in ((16, 16, 32), (16, 64, 64), (64, 16, 16), (64, 64, 48))
            ),
            (32, 32),
        ),
    ),
}
"""Waves of other sizes than 32 lanes, of sizes by datatype, and K by size: none of them could be checked once."""

CAPS: Mapping[str, tuple[str, Any]] = {
    **WAVES,
    "hlsl-bytes-only": ("hlsl-wave-matrix", WaveMmaCaps((WaveMmaSupport("byte", 16, 16, True, 64, 2, 32),))),
    "hlsl-wide-waves": (
        "hlsl-wave-matrix",
        WaveMmaCaps(
            (
                WaveMmaSupport("float16", 64, 16, True, 32, 1, 64),
                WaveMmaSupport("byte", 16, 64, True, 16, 2, 64),
            ),
            (64, 64),
        ),
    ),
    "rdna3-wave64-floats": ("amd-rdna3-wmma", Caps(builtins=("f32_16x16x16_f16_w64",))),
    "rdna3-wave32-bytes": ("amd-rdna3-wmma", Caps(builtins=("i32_16x16x16_iu8_w32",))),
    "nv-one-size": ("nv-coopmat2", CoopMatCaps(NV_CAPS.fixed[1:2])),
    "nv-other-size": (
        "nv-coopmat2",
        CoopMatCaps((FixedSize(16, 32, 16, "f16", "f16", "f32", "f32", saturating=False, scope="subgroup"),)),
    ),
    "nv-flexible-only": ("nv-coopmat2", CoopMatCaps((), NV_CAPS.flexible[:1], NV_CAPS.maximum)),
}


def reporting(spec: str, caps: Any) -> NumpyBackend:
    """The numpy backend on a device with these caps."""
    backend = NumpyBackend(ExactUnit(), {spec: DEVICES[spec]})
    backend.report(spec, caps)
    return backend


def refuses(backend: Backend, case: Case) -> bool:
    """Whether a backend says no to a program, whatever else it then does with it."""
    try:
        backend.run(case.spec, case.program, outline(case))
    except Refused:
        return True
    return False


def test_counterfactuals_run_on_the_device_of_the_case(one_in: Callable[[int], int]) -> None:
    """One that refused what only that device supports would make every clause pass, on proof of nothing."""
    spec, caps = CAPS["nv-other-size"]
    for recipe in case_list(spec, caps, "quick", DEFAULT_SEED)[:: one_in(4)]:
        if not recipe.target:
            case = materialise(recipe)
            for fault in candidates(case, expect_by_reading(case, PRACTICE)):
                assert not refuses(made(fault, caps), case)


LATER = {
    *WAVES,
    "hlsl-bytes-only",
    "hlsl-wide-waves",
    "nv-flexible-only",
    "nv-one-size",
    "nv-other-size",
    "rdna3-wave32-bytes",
}
"""What the others mostly show already."""


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", sorted(WAVES))
def test_a_list_for_other_waves_is_sound(name: str) -> None:
    """One row of each, a few cases of which are run; the long mode judges all of them."""
    spec, caps = WAVES[name]
    counts: Counter[str] = Counter()
    assert not list(problems(spec, caps, Counted(name), counts, most=1, runs=3))
    assert counts["cases"] > 10


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in LATER else []) for name in sorted(CAPS)]
)
def test_numpy_conforms_under_other_caps(name: str) -> None:
    spec, caps = CAPS[name]
    backend = reporting(spec, caps)
    description = backend.describe()
    recipes = case_list(spec, caps, "quick", DEFAULT_SEED)
    assert len(recipes) > 10
    results = []
    for recipe in recipes:
        case_judge = CaseJudge(backend, description, description.profile, {})
        results.append(case_judge.judge_listed(recipe)[0])
    failed = [(result.row, result.template, result.target, result.finding) for result in results if result.finding]
    assert not failed, failed[0]
    clauses = judge_clauses(spec_named(spec), caps, description, "profile", results, {})
    left = {clause: result.why for clause, result in clauses.items() if result.status in {"fail", "not judged"}}
    assert not left
