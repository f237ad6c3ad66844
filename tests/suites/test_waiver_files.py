"""Waiver files: read strictly, their cases found beside them and nowhere else."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import encode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.gate.waivers import Waiver, decode_waivers, read_waivers
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.score.matrix import listed
from tests.damage import damaged, refusal

GOOD = """[[waiver]]
clause = "RDNA3-SHAPE"
reason = "the compiler takes any shape"
link = "https://example.org/1"
owner = "someone"
expires = 2030-01-31
case = "cases/shape.json"
rows = ["i32_*"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    recipe = next(
        recipe
        for recipe in listed(spec_named("amd-rdna3-wmma"), "quick")
        if recipe.target == "RDNA3-SHAPE" and recipe.row.startswith("i32_")
    )
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "shape.json").write_bytes(encode_case(materialise(recipe)))
    (tmp_path / "torn.json").write_text('{"schema": "mm', encoding="utf-8")
    (tmp_path / "waivers.toml").write_text(GOOD, encoding="utf-8")
    return tmp_path


def test_a_waiver_is_read_with_its_case(folder: Path) -> None:
    (one,) = read_waivers(folder / "waivers.toml")
    assert one.waiver.clause == one.case.target == "RDNA3-SHAPE"
    assert one.waiver.concerns("i32_16x16x16_iu8_w32")
    assert not one.waiver.concerns("f32_16x16x16_f16_w32")
    (folder / "waivers.toml").write_text("waiver = []\n", encoding="utf-8")
    assert read_waivers(folder / "waivers.toml") == ()


@pytest.mark.parametrize("text", ["", "# none left\n"])
def test_a_file_without_even_an_empty_list_is_a_mistake(folder: Path, text: str) -> None:
    (folder / "waivers.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"is empty; expected waivers, or waiver = \[\] where there is none$"):
        read_waivers(folder / "waivers.toml")


MISTAKES = {
    "unknown clause": ("RDNA3-SHAPE", "RDNA3-SHAPES", "no clause named"),
    "not testable": ('clause = "RDNA3-SHAPE"', 'clause = "RDNA3-FP-MODE"', "cannot fail"),
    "another specification": ("RDNA3-SHAPE", "WM-ADDR-ROW", "its case is one of amd-rdna3-wmma"),
    "another row": ("i32_*", "f32_*", "which its rows leave out"),
    "no rows": ('["i32_*"]', "[]", "length >= 1"),
    "no owner": ('owner = "someone"\n', "", "missing required field `owner`"),
    "empty reason": ('"the compiler takes any shape"', '""', "length >= 1"),
    "no day": (
        "2030-01-31",
        "2030-02-31",
        ": expires = 2030-02-31; expected a date without quotes, such as 2027-12-31",
    ),
    "words for a day": ("2030-01-31", '"soon"', "waiver 1: expires 'soon'; expected a date such as 2027-12-31"),
    "number for a day": ("2030-01-31", "2030", "waiver 1: expires 2030; expected a date such as 2027-12-31"),
    "broken table": ("[[waiver]]", "[[waiver]", "at line 1, column 9): [[waiver]"),
    "day and hour": ("2030-01-31", "2030-01-31T10:00:00Z", "not a waiver file"),
    "unknown field": ("owner =", "ownr =", "not a waiver file"),
    "unknown symptom": ("owner =", 'symptom = "odd"\nowner =', "Invalid enum value"),
    "huge number": ("2030-01-31", "9" * 5000, "not a waiver file"),
    "missing case": ("shape.json", "shapes.json", "cannot be read"),
    "torn case": ("cases/shape.json", "torn.json", "torn.json: not a valid case"),
    "folder for a case": ("cases/shape.json", "cases", "cannot be read"),
    "outside": ("cases/shape.json", "../shape.json", "below the folder"),
    "outside in a way": ("cases/shape.json", "cases/../../shape.json", "below the folder"),
    "absolute": ("cases/shape.json", "/etc/passwd", "below the folder"),
    "ends with a slash": ("cases/shape.json", "with /", "with / between folders, such as cases/0123456789abcdef.json"),
    "drive": ("cases/shape.json", "C:/shape.json", "below the folder"),
    "stream": ("cases/shape.json", "cases/a.json:b", "below the folder"),
    "twice": (GOOD, GOOD + GOOD, "waived twice"),
    "deep": ("2030-01-31", "[" * 3000, "not a waiver file"),
}


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_a_mistake_is_told_in_a_line_that_names_the_file(folder: Path, name: str) -> None:
    old, new, says = MISTAKES[name]
    assert old in GOOD
    (folder / "waivers.toml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_waivers(folder / "waivers.toml")
    assert says in str(caught.value)
    assert str(caught.value).startswith(str(folder / "waivers.toml")), "also where its case is what is wrong"
    assert "\n" not in str(caught.value)


def test_a_damaged_waiver_file_is_read_or_refused(times: int) -> None:
    draw = Random(5)  # noqa: S311 - the same mutations every time
    said = [refusal(lambda: decode_waivers(damaged(GOOD.encode(), draw), "w.toml")) for _ in range(600 * times)]
    assert {bool(line) for line in said} == {True, False}
    assert all(line.startswith("w.toml: ") for line in said if line)


def test_what_a_waiver_explains() -> None:
    (waiver,) = decode_waivers(GOOD.encode(), "w.toml")

    def finding(*blamed: str, how: str = "base", cause: str = "", symptom: str = "value") -> Finding:
        return Finding(symptom=symptom, blamed=blamed, how=how, says="", cause=cause)  # type: ignore[arg-type]

    assert waiver.explains(finding("RDNA3-SHAPE", how="toggle"))
    assert waiver.explains(finding("RDNA3-MMA", "RDNA3-SHAPE"))
    assert not waiver.explains(finding("RDNA3-MMA", "RDNA3-SHAPE", cause="C were zero"))
    assert not waiver.explains(finding("RDNA3-MMA", "RDNA3-SHAPE", how="toggle"))
    told = "any size in a builtin's name were right"
    assert waiver.explains(finding("RDNA3-MMA", how="toggle", cause=told)), "its counterfactual does just the same"
    assert not waiver.explains(finding("RDNA3-SHAPE", symptom="died"))
    assert not waiver.explains(finding())
    crash = finding(symptom="died")
    assert not waiver.explains(crash, ["RDNA3-SHAPE"]), "what blames no clause is waived by its symptom"
    by_name = replace(waiver, symptom="died")
    assert by_name.explains(crash, ["RDNA3-SHAPE"])
    assert not by_name.explains(crash, ["RDNA3-MMA"])


def test_every_field_of_a_waiver_is_read() -> None:
    more = GOOD + 'backend = "my-*"\nversion = "1.?"\nsymptom = "died"\n'
    (waiver,) = decode_waivers(more.encode(), "w.toml")
    assert (waiver.backend, waiver.version, waiver.symptom) == ("my-*", "1.?", "died")
    assert set(Waiver.__struct_fields__) == {line.split(" =")[0] for line in more.splitlines()[1:]}
