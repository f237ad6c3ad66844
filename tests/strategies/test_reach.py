"""What a list reaches of a space: counted by hand on a small one, and printed for the real ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.commands.reach import Wanted, reach
from mmaspec.programs.amd_rdna3_wmma import Caps
from mmaspec.strategies.axes import measure
from mmaspec.strategies.axes.observation import Seen, Thing
from mmaspec.strategies.axes.reached import Had, Reached, contradictions, never, possible_classes, possible_pairs
from mmaspec.strategies.axes.space import Axis, Class, Group, Impossible, Space
from mmaspec.strategies.axes.triples import Triples
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.lists import listed_whole
from tests.front.in_process import told

FEW = 4


def axis(*classes: str, group: str = "load") -> Axis:
    return Axis(
        groups=(group,), says="", kind="choice", clauses=(), fields=(), classes={name: Class(name) for name in classes}
    )


SPACE = Space(
    group={"load": Group("a load"), "loop": Group("a loop")},
    axis={"rank": axis("one", "two"), "side": axis("left", "right"), "count": axis("few", "many", group="loop")},
    impossible=(Impossible(together=("rank=one", "side=right"), arithmetic="there is one"),),
)


def had(group: str = "load", **classes: str) -> Had:
    return Had(group, {name: frozenset({one}) for name, one in classes.items()})


def thing(group: str = "load", **classes: str) -> Seen:
    return Seen(Thing(group, None), had(group, **classes).classes)


def test_classes_and_pairs_are_counted_by_group() -> None:
    reached = Reached(SPACE)
    old, other = had(rank="one", side="left"), had(rank="two", side="left")
    assert reached.add("first", [old, had("loop", count="few")]) == [old, had("loop", count="few")]
    assert reached.add("second", [other, old]) == [other]
    assert reached.classes["load"] == {("rank", "one"): "first", ("side", "left"): "first", ("rank", "two"): "second"}
    assert reached.classes["loop"] == {("count", "few"): "first"}
    assert reached.pairs("load") == {(("rank", "one"), ("side", "left")), (("rank", "two"), ("side", "left"))}


def test_what_is_possible_leaves_out_what_a_rule_excludes() -> None:
    assert len(list(possible_classes(SPACE, "load"))) == 4
    pairs = set(possible_pairs(SPACE, "load"))
    assert len(pairs) == 3
    assert (("rank", "one"), ("side", "right")) not in pairs


def test_a_class_that_goes_with_no_class_of_another_axis_is_never_there() -> None:
    assert never(SPACE, "load") == set()
    rule = Impossible(together=("rank=one", "side=left|right"), arithmetic="there is one")
    assert never(replace(SPACE, impossible=(rule,)), "load") == {("rank", "one")}


def test_what_a_rule_excludes_and_is_there_after_all_is_told() -> None:
    assert not list(contradictions(SPACE, [thing(rank="two", side="right"), thing(rank="one")]))
    ((rule, _),) = contradictions(SPACE, [thing(rank="one", side="right")])
    assert rule is SPACE.impossible[0]


def test_triples_are_counted_as_by_listing_them() -> None:
    wide = replace(SPACE, axis=SPACE.axis | {"mode": axis("a", "b", "c"), "far": axis("no", "yes")})
    three = Impossible(together=("rank=two", "mode=a|b", "far=yes"), arithmetic="")
    wide = replace(wide, impossible=(*SPACE.impossible, three))
    found = Triples(wide, "load")
    # By hand: 2 x 2 x 3 + 2 x 2 x 2 + 2 x 3 x 2 + 2 x 3 x 2 of the four threes of axes. One and right are in 3 + 2 of
    # them, the rule about three excludes 2.
    assert found.counts(()) == (44 - 5 - 2, 0)
    assert found.counts({("far", "yes")})[0] == 12 - 3 + 4 - 1 + 6 + 6
    found.add(had(rank="one", side="left", mode="a", far="yes").classes)
    assert found.counts(())[1] == 4
    found.add({"rank": frozenset({"one", "two"}), "mode": frozenset({"a"}), "far": frozenset({"no"})})
    assert found.counts(())[1] == 6
    found.add({"rank": frozenset({"two"}), "mode": frozenset({"a"}), "far": frozenset({"yes"})})  # is impossible
    assert found.counts(())[1] == 6


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many cases are looked at: what all of them reach takes minutes."""

    def some(spec: str, tier: str, seed: int = DEFAULT_SEED) -> tuple[Recipe, ...]:
        return listed_whole(spec, tier, seed)[:FEW]

    monkeypatch.setattr(measure, "whole_list", some)


@pytest.mark.usefixtures("few")
def test_the_command_prints_every_group_and_what_is_never_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert reach(["amd-rdna3-wmma"], "quick", None, 1, Wanted(judged=False, missing=True), as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("amd-rdna3-wmma, quick: ")
    assert any(line.split()[:2] == ["float-sum", "29"] for line in lines)
    assert any(line.startswith("never drawn: ") for line in lines)


@pytest.mark.usefixtures("few")
def test_what_is_impossible_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert reach(["amd-rdna3-wmma"], "quick", None, 1, Wanted(judged=False, impossible=True), as_json=False) == 0
    told = [line.split(": ", 3) for line in capsys.readouterr().out.splitlines() if line.startswith("impossible: ")]
    assert {len(parts) for parts in told} == {4}
    assert all(reason for *_, reason in told)
    together = {what: reason for _, group, what, reason in told if group == "program"}
    rule = "wave-size=wave64 with waves=seventeen-to-31|thirty-two"
    assert together[rule] == "a group has at most 1024 lanes, sixteen waves of 64"


@pytest.mark.usefixtures("few")
def test_what_is_drawn_and_not_judged_is_told_apart_from_what_is_not_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """Where it was judged that nothing can tell a class, it is said why."""
    assert reach(["nv-coopmat2"], "quick", None, 1, Wanted(judged=True, missing=True), as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    undrawn = {line.partition(": ")[2] for line in lines if line.startswith("never drawn: ")}
    unjudged = {line.partition(": ")[2] for line in lines if line.startswith("drawn, not judged: ")}
    assert undrawn
    assert unjudged
    assert not undrawn & unjudged


def test_the_list_for_one_device_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One without half sums, so that nothing of these is there."""
    caps = tmp_path / "caps.json"
    caps.write_text('{"builtins": ["i32_16x16x16_iu8_w32"]}')
    wanted = Wanted(judged=False, caps=[str(caps)])
    assert reach(["amd-rdna3-wmma"], "quick", None, 1, wanted, as_json=True) == 0
    (found,) = json.loads(capsys.readouterr().out)
    row = Caps(builtins=("i32_16x16x16_iu8_w32",))
    assert found["cases"] == len(case_list("amd-rdna3-wmma", row, "quick"))
    groups = {group["group"]: group for group in found["groups"]}
    assert groups["integer-sum"]["seen"] > 0
    assert groups["float-sum"]["seen"] == 0


def test_a_file_of_caps_says_of_which_specification(tmp_path: Path) -> None:
    caps = tmp_path / "caps.json"
    caps.write_text("{}")
    done = told("reach", "--caps", str(caps), folder=Path())
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "of which specification?" in done.err


def test_bad_words_are_told() -> None:
    for words, says in (
        (["--spec", "nothing"], "no specification named"),
        (["--tier", "long"], "no tier named 'long'"),
    ):
        done = told("reach", *words, folder=Path())
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert says in done.err


@pytest.mark.usefixtures("few")
def test_numbers_of_the_command_can_be_read_by_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert reach(["amd-rdna3-wmma"], "quick", None, 1, Wanted(triples=True), as_json=True) == 0
    (found,) = json.loads(capsys.readouterr().out)
    for group in found["groups"]:
        assert group["judged"] <= group["seen"] <= group["expressible"] <= group["classes"]
        assert group["pairs_judged"] <= group["pairs_seen"] <= group["pairs"]
        assert group["triples_judged"] <= group["triples_seen"] <= group["triples"]
        assert (group["expressible"] < group["classes"]) <= bool(group["impossible"])
        assert group["pairs_impossible"] >= 0
