"""Whatever caps a device reports, as long as its document allows them, its case list is sound and can be answered."""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies import caps as device_caps
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import DEFAULT_SEED, grammar_of
from mmaspec.strategies.grammar import Draft, DrawContext

from .any_caps import REDUCED, Strict, problems

TABLES = {"amd-rdna3-wmma": 5, "hlsl-linalg": 2, "hlsl-wave-matrix": 3, "intel-subgroup-mma": 3, "nv-coopmat2": 3}
"""How many tables of caps CI draws."""
LONG = 300
"""How many the long mode draws of each specification; RDNA3 has no more than 64."""
LEAST = {"tables": 1, "rows": 1, "cases": 10, "near misses": 3, "run": 3}
"""What a table has to give, on average."""


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_every_legal_table_of_caps_has_a_sound_list(spec: str, times: int) -> None:
    """No bad input; every valid case is defined and rightly answered, and every near miss breaks its own clause."""
    counts: Counter[str] = Counter()

    @settings(
        max_examples=TABLES[spec] if times == 1 else LONG,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def sound(data: DataObject) -> None:
        caps = data.draw(device_caps(spec))
        choices = Counted(repr(caps))
        note(repr(caps))
        assert not list(problems(spec, caps, choices, counts, most=1, runs=4))

    sound()
    logging.getLogger(__name__).info("%s: %s", spec, dict(counts))  # shown by --log-cli-level=info
    assert all(counts[what] >= least * counts["tables"] for what, least in LEAST.items()), counts


def test_what_a_list_would_leave_out_is_noticed() -> None:
    """A near miss that breaks another clause, and one that fails: the suite would drop the case, or end."""
    spec = spec_named("hlsl-wave-matrix")
    row, grammar = spec.rows(spec.default_caps)[0], grammar_of(spec.name)

    def raising(_: DrawContext[Any], __: Draft) -> Draft:
        return Draft(None, (), 0)

    for change, says in ((grammar.near_misses["WM-MUL-CAPS"], "the last one broke WM-MUL-CAPS"), (raising, "Error")):
        wrong = dataclasses.replace(grammar, near_misses={"WM-MUL-USE": change})
        lister = Strict(spec, wrong, spec.default_caps, DEFAULT_SEED)
        assert not list(lister.near_misses(row, REDUCED))
        assert lister.wrong
        assert all(says in told for told in lister.wrong)
