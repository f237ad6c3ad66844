"""The lists of devices with caps of their own have no case that their grammar gets wrong.

Such a case is left out of a run, so that nobody would see that it is missing.
"""

from __future__ import annotations

import pytest

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import TIERS, Lister, grammar_of

DEVICES = 6


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("device", range(DEVICES))
@pytest.mark.parametrize("name", ours())
def test_no_case_of_a_random_device_breaks_a_rule(name: str, device: int, times: int) -> None:
    spec, grammar = spec_named(name), grammar_of(name)
    assert grammar.random_caps is not None
    for n in range(times):
        caps = spec.reported(grammar.random_caps(Counted(f"device/{device}/{n}"))).usable
        lister = Lister(spec, grammar, caps, 1, strict=True)
        rows = spec.rows(caps)
        made = 0
        for row in rows[device % len(rows) :: len(rows) if times == 1 else 3]:
            made += sum(1 for _ in lister.positive(row, TIERS["smoke"]))
            made += sum(1 for _ in lister.arrays(row, TIERS["smoke"]))
        assert made


def test_waves_of_every_size_have_programs_with_threads_to_spare() -> None:
    """Vectors of a last wave that is not whole: once their number followed from another size than the wave's."""
    spec = spec_named("hlsl-linalg")
    lister = Lister(spec, grammar_of(spec.name), spec.default_caps, 1)
    sizes = set()
    for number in range(40):
        caps = grammar_of(spec.name).random_caps(Counted(f"waves/{number}"))  # type: ignore[misc]
        for row in spec.rows(caps):
            if row.name.startswith("vector") and len(caps.wave_sizes) > 1:
                one = Lister(spec, lister.grammar, caps, 1)
                found = [recipe.program for recipe in one.arrays(row, TIERS["smoke"])]
                sizes |= {program.wave_size for program in found if program.group % program.wave_size}
                break
        if len(sizes) > 2:
            return
    raise AssertionError(sizes)
