"""Sensitivities that come along count for exactly the code that they were computed with."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mmaspec.oracle.judge import expectations
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.cache import own_hash
from mmaspec.suites.judging.sensitivity import sensitive_to
from mmaspec.suites.score import shipped

from .conftest import every_recipe, smoke_case


def test_those_of_other_code_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for code, counts in (("0123456789abcdef", False), (own_hash(), True)):
        monkeypatch.setattr(shipped, "read", lambda code=code: shipped.Shipped(code, {"0": ("some-fault",)}))
        shipped.known.cache_clear()
        assert shipped.known() == ({"0": ("some-fault",)} if counts else {})
    shipped.known.cache_clear()


@pytest.mark.parametrize("text", [None, b"", b"[]", b'{"code": 1, "cases": {}}', b"\xff"], ids=repr)
def test_a_missing_or_damaged_file_is_as_none(tmp_path: Path, text: bytes | None) -> None:
    if text is not None:
        (tmp_path / shipped.NAME).write_bytes(text)
    assert shipped.read(tmp_path) == shipped.Shipped("", {})


def test_a_sample_of_what_comes_along_is_right() -> None:
    """Only where it is of this code; `python -m mmaspec.suites.score.shipped --check` computes all of it again."""
    found = shipped.read()
    if found.code != own_hash():
        pytest.skip("computed with other code: ignored")
    assert set(found.cases) == {recipe.id for recipe in every_recipe()}
    for recipe in every_recipe()[::30]:
        case = smoke_case(recipe.id)
        assert found.cases[recipe.id] == sensitive_to(case.case, expectations(case.case, PRACTICE))


def test_what_differs_is_named() -> None:
    assert shipped.differing({"a": ("x",), "b": ()}, {"b": ("y",), "c": ()}) == ["a", "b", "c"]
    assert shipped.differing({"a": ("x",)}, {"a": ("x",)}) == []


def test_the_file_is_read_back(tmp_path: Path) -> None:
    whole = shipped.Shipped("c0de", {"1": ("one", "two")})
    (tmp_path / shipped.NAME).write_bytes(msgspec.json.encode(whole))
    assert shipped.read(tmp_path) == whole
