"""The case list, made once for the tests of this folder."""

from __future__ import annotations

import pytest

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from tests.case_lists import case_list


@pytest.fixture(scope="session")
def smoke() -> list[tuple[Case, ByReading]]:
    """Every case of the quick tier with what is expected of it, of devices with builtins and with instructions."""
    cases = [materialise(recipe) for caps in SPEC.devices for recipe in case_list(SPEC.name, caps, "quick")]
    return [(case, expect_by_reading(case, PRACTICE)) for case in cases]
