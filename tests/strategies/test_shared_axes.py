"""Axes that several specifications have: what each makes of them, and what is wrong with a file that shares them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.strategies.axes.shared import Sharing, adapted
from mmaspec.strategies.axes.space import Axis, Class, Group, Impossible, Space, space_of

FOLDER = "register_kernels"
SPECS = ("amd-rdna3-wmma", "intel-subgroup-mma")
AXIS = Axis(
    groups=("load", "scalar"), says="where", kind="choice", clauses=("memory",), fields=("Product.a", "Load.block"),
    classes={"here": Class("here"), "there": Class("there"), "nowhere": Class("nowhere")},
)  # fmt: skip
WHOLE = Space(
    group={"load": Group("a load")},
    axis={"place": AXIS, "time": replace(AXIS, clauses=())},
    impossible=(
        Impossible(together=("place=here|there", "time=nowhere"), clause="memory"),
        Impossible(together=("place=nowhere", "time=here"), arithmetic="it is so"),
    ),
)


def sharing(**changed: Any) -> Sharing:
    return replace(
        Sharing(folder="", clauses={"memory": ("X-MEMORY", "X-MORE")}, fields={"Product": "Call"}), **changed
    )


def test_words_become_clauses_and_structs() -> None:
    found = adapted(WHOLE, sharing(), ())
    axis = found.axis["place"]
    assert axis.groups == ("load",)
    assert axis.clauses == ("X-MEMORY", "X-MORE")
    assert axis.fields == ("Call.a", "Load.block")
    assert found.impossible[0].clause == "X-MEMORY"
    assert adapted(WHOLE, sharing(), ("scalar",)).axis["place"].groups == ("load", "scalar")
    assert adapted(WHOLE, sharing(fields={"Load.block": "Read.at"}), ()).axis["place"].fields == (
        "Product.a",
        "Read.at",
    )


def test_what_a_specification_is_without_is_in_no_rule() -> None:
    found = adapted(WHOLE, sharing(without={"place=there": "no", "place=nowhere": "no"}), ())
    assert list(found.axis["place"].classes) == ["here"]
    assert [rule.together for rule in found.impossible] == [("place=here", "time=nowhere")]
    found = adapted(WHOLE, sharing(without={"time": "no"}), ())
    assert list(found.axis) == ["place"]
    assert found.impossible == ()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"clauses": {}}, "no clauses are named for 'memory'"),
        ({"without": {"room": "no"}}, "there is no room"),
        ({"without": {"place=nothing": "no"}}, "there is no place=nothing"),
    ],
)
def test_unknown_words_are_told(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        adapted(WHOLE, sharing(**changed), ())


def test_every_shared_group_is_one_of_some_specification() -> None:
    """Groups that a specification lacks are left out, so a name that is misspelt would be in none."""
    shared = space_of(FOLDER)
    named = {group for axis in shared.axis.values() for group in axis.groups}
    assert named <= {group for spec in SPECS for group in space_of(spec).group}


@pytest.mark.parametrize("spec", SPECS)
def test_every_word_of_a_sharing_is_used(spec: str) -> None:
    found, shared = space_of(spec).shared, space_of(FOLDER)
    assert found is not None
    words = {word for axis in shared.axis.values() for word in axis.clauses}
    assert found.clauses.keys() == words | {rule.clause for rule in shared.impossible if rule.clause}
    fields = {field for axis in shared.axis.values() for field in axis.fields}
    assert found.fields.keys() <= fields | {field.partition(".")[0] for field in fields}


def test_both_specifications_call_the_same_by_the_same_names() -> None:
    one, other = (space_of(spec).axis for spec in SPECS)
    assert len(one.keys() & other.keys() & space_of(FOLDER).axis.keys()) > 100
