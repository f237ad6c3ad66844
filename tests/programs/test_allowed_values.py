"""An error about a value that is not one of a few names those that are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from msgspec import Struct

from mmaspec.backends.failures import BadReply
from mmaspec.backends.given_caps import decode_caps
from mmaspec.backends.processes.wire import caps_of
from mmaspec.oracle.case import decode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.allowed_values import allowed_values, telling_allowed
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import decode_profile

LINALG = "hlsl-linalg"
KEPT = Path(__file__).parents[1] / "data" / "cases" / "rdna3-clamp.json"
WRONG = msgspec.json.encode({**msgspec.to_builtins(spec_named(LINALG).default_caps), "revision": "2020-01-01"})
SAYS = "'2020-01-01' - at `$.revision`; expected 'later' or '2025-09-19'"


class Inner(Struct):
    """Something with a choice, under another name in the file."""

    kind: Literal["a", "b"] = msgspec.field(default="a", name="type")


class Outer(Struct):
    """Everything in which one can be."""

    one: Inner | None = None
    several: tuple[Inner, ...] = ()
    named: dict[str, Inner] = {}
    first: tuple[Literal[1, 2], Literal["x", "y"]] = (1, "x")


@pytest.mark.parametrize(
    "data",
    [{"one": {"type": "c"}}, {"several": [{}, {"type": "c"}]}, {"named": {"n": {"type": "c"}}}],
)
@pytest.mark.parametrize("kind", [Outer, Outer | None])
def test_they_are_found_wherever_the_value_stands(data: Any, kind: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"; expected 'a' or 'b'$"), telling_allowed(kind):
        msgspec.json.decode(msgspec.json.encode(data), type=kind)


class Added(Struct, tag="add"):
    """One of two instructions."""

    use: Literal["a", "b"] = "a"


class Moved(Struct, tag="move"):
    """The other one."""


@pytest.mark.parametrize(
    ("data", "told"),
    [([{"type": "ad"}], "expected 'add' or 'move'"), ([{"type": "add", "use": "c"}], "expected 'a' or 'b'")],
)
def test_so_are_the_names_of_instructions(data: Any, told: str) -> None:
    kind = tuple[Added | Moved, ...]
    with pytest.raises(msgspec.ValidationError, match=f"; {told}$"), telling_allowed(kind):
        msgspec.json.decode(msgspec.json.encode(data), type=kind)


def test_a_case_file_names_them_as_well() -> None:
    case = KEPT.read_text().replace('"element": "int"', '"element": "integer"', 1)
    with pytest.raises(BadInput, match=r"element`; expected 'half' or 'short' or 'float' or 'int'$"):
        decode_case(case.encode(), "case.json")


def test_other_errors_stay_as_they_are() -> None:
    with pytest.raises(msgspec.ValidationError) as told, telling_allowed(Outer):
        msgspec.json.decode(b'{"one": 3}', type=Outer)
    assert "; expected" not in str(told.value)
    assert allowed_values(Outer, "Invalid enum value 'c' - at `$.nowhere`") == ()


def test_a_file_of_caps_names_the_texts_that_there_are() -> None:
    with pytest.raises(BadInput) as told:
        decode_caps(LINALG, WRONG, str(Path("device.json")))
    assert str(told.value) == f"device.json: not caps of hlsl-linalg: Invalid enum value {SAYS}"


def test_so_do_caps_that_an_adapter_reports() -> None:
    with pytest.raises(BadReply) as told:
        caps_of(LINALG, msgspec.Raw(WRONG), msgspec.json.decode)
    assert SAYS in str(told.value)


def test_a_profile_names_them_as_well() -> None:
    with pytest.raises(BadInput, match=r"subnormals`; expected 'kept' or 'may-flush' or 'may-flush-inputs' or"):
        decode_profile(b'name = "x"\nsubnormals = "maybe"\n', "mine.toml")


def test_of_many_those_most_like_it_are_named() -> None:
    names = tuple(f"name-{number}" for number in range(40))
    kind = tuple[Literal[names], ...]  # type: ignore[valid-type]
    with pytest.raises(msgspec.ValidationError) as near, telling_allowed(kind):
        msgspec.json.decode(b'["name-31x"]', type=kind)
    assert "; expected 'name-31' or " in str(near.value)
    assert str(near.value).endswith(", or one of 37 others")
    with pytest.raises(msgspec.ValidationError, match=r"; expected one of 40 names$"), telling_allowed(kind):
        msgspec.json.decode(b'["ZZ"]', type=kind)
