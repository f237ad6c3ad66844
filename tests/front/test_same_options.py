"""A run that goes on under other options is refused, with the option, what it was and what it is now."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.given_caps import with_files
from mmaspec.backends.resolve import resolve
from mmaspec.commands.same_options import check_same
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PROFILES
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare

from .conftest import SMALL, TWO

OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "isolate": ({"isolate": True}, "--isolate: not given then, given now"),
    "tier that explores": ({"tier": "standard"}, "--tier: quick then, standard now"),
    "tier": ({"tier": "smoke"}, "--tier: quick then, smoke now"),
    "seed": ({"seed": 7}, "--seed: 5 then, 7 now"),
    "backend": ({"backend": "fault:rdna3-c-dropped"}, "--backend: numpy then, fault:rdna3-c-dropped now"),
    "spec": ({"specs": ("hlsl-linalg",)}, f"--spec: {SMALL} then, hlsl-linalg now"),
    "shard": ({"shard": "1/2"}, "--shard: none then, 1/2 now"),
    "authority": ({"authority": "document"}, "--authority: profile then, document now"),
    "profile": ({"profile": PROFILES["nvidia-hopper"]}, "--profile: practice then, nvidia-hopper now"),
    "time limit": ({"time_limit": 2.5}, "--time-limit: 60 then, 2.5 now"),
    "afresh": ({"afresh": True}, "--afresh: not given then, given now"),
    "caps": ({"backend": with_files("numpy", [SMALL], [str(TWO)])}, f"--caps: none then, {SMALL}={TWO} now"),
    "two": ({"seed": 7, "isolate": True}, "--seed: 5 then, 7 now; --isolate: not given then, given now"),
}

BEGUN = Wanted(specs=(SMALL,), tier="quick", seed=5, profile=PROFILES["practice"])


@pytest.fixture(scope="module")
def plan() -> Plan:
    made, _ = prepare(BEGUN, resolve("numpy"), lambda *_: ())
    return made


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_the_option_that_differs_is_named(name: str, plan: Plan, tmp_path: Path) -> None:
    changed, told = OPTIONS[name]
    with pytest.raises(BadInput) as refused:
        check_same(plan, dataclasses.replace(BEGUN, **changed), str(tmp_path))
    asked = f"{tmp_path}: holds a run begun with other options ({told}); repeat its options to resume"
    assert str(refused.value) == asked


def test_what_is_left_out_stays_as_it_was(plan: Plan) -> None:
    begun = replace(plan, time_limit=5.0, cached=False)
    check_same(begun, dataclasses.replace(BEGUN, specs=()), "run")
    check_same(begun, dataclasses.replace(BEGUN, afresh=True, time_limit=5.0), "run")


def test_a_profile_of_the_same_name_is_another(plan: Plan) -> None:
    other = replace(PROFILES["practice"], subnormals="kept")
    with pytest.raises(BadInput, match="--profile: practice then, practice with other contents now"):
        check_same(plan, dataclasses.replace(BEGUN, profile=other), "run")
