"""The parameter spaces forget nothing of programs, caps and clauses, and what is wrong with one is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.complete import flaws
from mmaspec.strategies.axes.space import Axis, Class, Impossible, LeftOut, Space, space_of

RDNA3 = "amd-rdna3-wmma"
TEMPLATE = Axis(
    groups=("thing",), says="how many", kind="number", clauses=(), fields=(),
    classes={"none": Class("nothing", 0, 0), "some": Class("a few", 1, 9)},
)  # fmt: skip


@pytest.mark.parametrize("spec", ours())
def test_nothing_is_forgotten(spec: str) -> None:
    assert list(flaws(space_of(spec), spec_named(spec))) == []


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("spec", ours())
def test_without_any_one_axis_something_is(spec: str) -> None:
    """But for axes of data and of what follows from several fields, which no struct holds."""
    space = space_of(spec)
    kept = [
        name
        for name in space.axis
        if not list(flaws(replace(space, axis=_without(space.axis, name), impossible=()), spec_named(spec)))
    ]
    assert len(kept) < len(space.axis)


def _without(axes: dict[str, Axis], name: str) -> dict[str, Axis]:
    return {other: axis for other, axis in axes.items() if other != name}


def with_axis(**changed: Any) -> Callable[[Space], Space]:
    def change(space: Space) -> Space:
        group = next(iter(space.group))
        return replace(space, axis={**space.axis, "new": replace(replace(TEMPLATE, groups=(group,)), **changed)})

    return change


def impossible(**changed: Any) -> Callable[[Space], Space]:
    entry = Impossible(**{"together": ("new=none", "new=some"), **changed})
    return lambda space: replace(with_axis()(space), impossible=(entry,))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (with_axis(groups=("nobody",)), "axis new: no group nobody"),
        (with_axis(fields=("Load.nothing",)), "axis new: no field Load.nothing"),
        (with_axis(clauses=("RDNA3-NOTHING",)), "axis new: no testable clause RDNA3-NOTHING"),
        (with_axis(classes={"one": Class("alone", 1, 1)}), "axis new: fewer than two classes"),
        (with_axis(classes={"a": Class("", 1, 1), "b": Class("b", 2, 2)}), "axis new: class a: says nothing"),
        (with_axis(classes={"a": Class("a", 1, 1), "b": Class("b", 3, 3)}), "axis new: class b: a gap or an overlap"),
        (with_axis(classes={"a": Class("a", 1, 1), "b": Class("b", 1, 3)}), "axis new: class b: a gap or an overlap"),
        (with_axis(classes={"a": Class("a", 2, 1), "b": Class("b")}), "axis new: class a: no range"),
        (with_axis(kind="choice"), "axis new: class none: a range"),
        (
            with_axis(kind="choice", classes={"a": Class("a", values=("x",)), "b": Class("b")}),
            "axis new: class a: x is no value",
        ),
        (impossible(together=("new=none",), arithmetic="why"), "impossible new=none: 1 classes"),
        (impossible(together=("new=none", "new=more"), arithmetic="why"), "no class new=more"),
        (impossible(together=("new=none|few", "new=some"), arithmetic="why"), "no class new=few"),
        (impossible(), "expected one reason"),
        (impossible(clause="RDNA3-NOTHING"), "no clause RDNA3-NOTHING"),
        (impossible(caps="Caps.nothing"), "no field Caps.nothing"),
        (lambda space: replace(space, left_out=LeftOut(fields={"Load.into": ""})), "Load.into without a reason"),
        (lambda space: replace(space, axis={}, impossible=(), left_out=LeftOut()), "field Wmma.clamp: in no axis"),
        (lambda space: replace(space, axis={}, impossible=(), left_out=LeftOut()), "clause RDNA3-MMA: in no axis"),
        (
            lambda space: replace(space, axis={}, impossible=(), left_out=LeftOut()),
            "value WmmaProgram.wave_size=64: in no class",
        ),
    ],
)
def test_what_is_wrong_is_told(change: Callable[[Space], Space], says: str) -> None:
    found = list(flaws(change(space_of(RDNA3)), spec_named(RDNA3)))
    assert any(says in flaw for flaw in found), found
