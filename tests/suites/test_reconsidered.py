"""A case file says what the report says, after the run has refuted a cause."""

from __future__ import annotations

from dataclasses import replace as dataclass_replace
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.telling.found import found_by, found_in
from mmaspec.suites.running.reconsidered import reconsidered
from mmaspec.suites.score.matrix import listed

from .test_refuted import SPEC, failing, legal


class Folder:
    """The part of a run folder that is asked for."""

    def __init__(self, shard: str, text: bytes) -> None:
        self.plan = SimpleNamespace(shard=shard)
        self.texts = {"a.json": text}
        self.opened = 0

    def example(self, result: Any) -> bytes:
        return self.texts[result.example]

    def recorder(self, _: str) -> Any:
        self.opened += 1
        return SimpleNamespace(smaller=self.texts.__setitem__, close=lambda: None)


def told(folder: Folder) -> Any:
    found = found_in(decode_case(folder.texts["a.json"], "a.json"))
    assert found is not None
    return found.finding


def folder_of(shard: str = "") -> tuple[Folder, Any]:
    result = replace(failing("a"), example="a.json")
    assert result.finding is not None
    recipe = next(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target)
    found = found_by(Description(name="d", version="1"), PRACTICE, "illegal", result.finding)
    case = dataclass_replace(materialise(recipe), found=found)
    return Folder(shard, encode_case(case)), result


def test_the_file_loses_the_cause_as_the_result_does() -> None:
    folder, result = folder_of()
    (now, _) = reconsidered(folder, [result, legal()])  # type: ignore[arg-type]
    assert now.finding is not None
    assert (now.finding.blamed, now.finding.cause) == (("ANOTHER",), "")
    assert told(folder) == now.finding
    # Once more, as a run does that is resumed: its rows say what they said.
    text = folder.texts["a.json"]
    assert reconsidered(folder, [result, legal()])[0] == now  # type: ignore[arg-type]
    assert folder.texts["a.json"] == text


def test_a_shard_changes_nothing_and_neither_does_a_run_that_refutes_nothing() -> None:
    for shard, rest in (("1/2", [legal()]), ("", [])):
        folder, result = folder_of(shard)
        assert reconsidered(folder, [result, *rest])[0] == result  # type: ignore[arg-type]
        assert told(folder) == result.finding
        assert not folder.opened
