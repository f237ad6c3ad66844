"""Devices that report less, or other sizes, than the default caps get a case list and a fair verdict too."""

from __future__ import annotations

from collections.abc import Mapping
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
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.sensitivity import candidates, made
from mmaspec.suites.verdict.verdicts import judge_clauses

CAPS: Mapping[str, tuple[str, Any]] = {
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


def test_counterfactuals_run_on_the_device_of_the_case() -> None:
    """One that refused what only that device supports would make every clause pass, on proof of nothing."""
    spec, caps = CAPS["nv-other-size"]
    for recipe in case_list(spec, caps, "smoke", DEFAULT_SEED):
        if not recipe.target:
            case = materialise(recipe)
            for fault in candidates(case, expect_by_reading(case, PRACTICE)):
                assert not refuses(made(fault, caps), case)


LATER = {"hlsl-bytes-only", "hlsl-wide-waves", "nv-one-size", "nv-other-size", "rdna3-wave32-bytes"}
"""What the others mostly show already."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in LATER else []) for name in sorted(CAPS)]
)
def test_numpy_conforms_under_other_caps(name: str) -> None:
    spec, caps = CAPS[name]
    backend = reporting(spec, caps)
    description = backend.describe()
    recipes = case_list(spec, caps, "smoke", DEFAULT_SEED)
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
