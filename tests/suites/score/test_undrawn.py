"""What the smoke lists never have is stored, and does not grow."""

from __future__ import annotations

import pytest

from mmaspec.oracle.spec import SPECS
from mmaspec.strategies.axes.measure import GroupReach, Reach
from mmaspec.strategies.axes.observation import observer_of
from mmaspec.strategies.axes.space import space_of
from mmaspec.suites.score import undrawn

MOST = {"amd-rdna3-wmma": 74, "hlsl-wave-matrix": 450, "nv-coopmat2": 1907}
"""How many classes may be left. Each number may only become smaller."""
PAIRS = {"amd-rdna3-wmma": 46_900, "hlsl-wave-matrix": 78_800, "nv-coopmat2": 146_900}
"""How many pairs there are at least."""


@pytest.mark.parametrize("spec", SPECS)
def test_no_class_that_some_case_had_is_lost(spec: str) -> None:
    groups = undrawn.read(spec).groups.values()
    assert sum(len(group.undrawn) for group in groups) <= MOST[spec]
    assert sum(group.pairs[0] for group in groups) >= PAIRS[spec]


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_undrawn_are_classes_that_programs_can_have(spec: str) -> None:
    space, unseen = space_of(spec), observer_of(spec).unseen
    found = undrawn.read(spec)
    assert set(found.groups) == set(space.group)
    for name, group in found.groups.items():
        seen, expressible = group.classes
        assert seen + len(group.undrawn) == expressible
        for one in group.undrawn:
            axis, _, written = one.partition("=")
            assert name in space.axis[axis].groups
            assert written in space.axis[axis].classes
            assert not {axis, one} & set(unseen)


def test_a_file_says_what_the_list_reaches(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("undrawn")
    monkeypatch.setattr(undrawn, "folder", lambda: folder)
    spec = SPECS[0]
    assert undrawn.is_stale(spec)
    group = GroupReach("load", "", 2, 5, 4, 3, None, 6, 2, None, (("stride", "large"),))
    (folder / f"{spec}.json").write_bytes(undrawn.text(undrawn.told(Reach(spec, 1, (group,)), "0" * 16)))
    assert undrawn.read(spec).groups["load"] == undrawn.Group((3, 4), (2, 6), ("stride=large",))
    assert undrawn.is_stale(spec)
    assert undrawn.check() == 1
