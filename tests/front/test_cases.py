"""``mmaspec example``, ``expect``, ``replay`` and the listings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mmaspec.api import read_case, write_case
from mmaspec.oracle.spec import SPECS, spec_named

from .conftest import Command

EXAMPLES = Path(__file__).parents[2] / "examples" / "clauses"
KEPT = Path(__file__).parents[1] / "data" / "cases" / "rdna3-clamp.json"


def test_example_shows_program_operands_bytes_and_derivation(mmaspec: Command) -> None:
    out = mmaspec("example", "WM-ADDR-ROW").out
    for part in ("C.Load(in_, 8, 80", "row 2, col 3] = 0x7", "out, byte 172: 07 00 00 00", "16 + 2 * 72 + 3 * 4 = 172"):
        assert part in out


def test_expect_answers_an_example(mmaspec: Command) -> None:
    finished = mmaspec("expect", str(EXAMPLES / "WM-ADDR-ROW.toml"))
    assert finished.code == 0
    assert "wave 0 (2, 3) at byte 172: 00000007 = 7" in finished.out


def test_expect_prints_all_elements_if_asked(mmaspec: Command) -> None:
    path = str(EXAMPLES / "WM-ADDR-ROW.toml")
    few, every = (mmaspec("expect", path, *options).out.splitlines() for options in ((), ("--all",)))
    shown = [line for line in every if line.startswith("  wave 0 (")]
    assert len(shown) == len(set(shown)) == 256
    assert not any(line.endswith(" more") for line in every)
    assert set(few) - set(every) == {f"  and {256 - sum(line.startswith('  wave 0 (') for line in few)} more"}


def test_expect_answers_under_a_reading(mmaspec: Command) -> None:
    path = str(EXAMPLES / "RDNA3-IU-CLAMP.toml")
    saturated = mmaspec("expect", path)
    wrapped = mmaspec("expect", path, "--reading", "RDNA3-AMB-04=wrap")
    assert "depends on the reading of RDNA3-AMB-04" in saturated.out
    assert saturated.out != wrapped.out


@pytest.mark.parametrize("reading", ["RDNA3-AMB-04", "RDNA3-AMB-04=warp", "RDNA3-AMB-99=wrap"])
def test_unknown_reading_is_bad_input(mmaspec: Command, reading: str) -> None:
    finished = mmaspec("expect", str(EXAMPLES / "RDNA3-IU-CLAMP.toml"), "--reading", reading)
    assert (finished.code, finished.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("backend", "code"), [("numpy", 0), ("fault:wm-row-stride-ignored", 1), ("legal:sequential", 0)]
)
def test_replay_of_an_example(mmaspec: Command, backend: str, code: int) -> None:
    finished = mmaspec("replay", str(EXAMPLES / "WM-ADDR-ROW.toml"), "--backend", backend)
    assert finished.code == code, finished.out + finished.err


def test_replay_of_a_near_miss(mmaspec: Command) -> None:
    path = str(EXAMPLES / "WM-LOAD-STRIDE-MIN.toml")
    assert mmaspec("replay", path, "--backend", "numpy").code == 0
    assert mmaspec("replay", path, "--backend", "fault:wm-takes-short-stride").code == 1


def test_truncated_case_is_bad_input(mmaspec: Command, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(b'{"schema": "mmaspec.case/1", "spec": "hlsl-wave')
    for command in ("expect", "replay"):
        finished = mmaspec(command, str(path))
        assert (finished.code, finished.err.count("\n")) == (2, 1)
        assert str(path) in finished.err


@pytest.mark.parametrize("command", ["specs", "clauses", "faults", "profiles", "backends"])
def test_listing_prints_without_a_terminal(mmaspec: Command, command: str) -> None:
    finished = mmaspec(command)
    assert finished.code == 0
    assert len(finished.out.splitlines()) >= 4
    assert "\x1b" not in finished.out


@pytest.mark.parametrize("spec", SPECS)
def test_every_clause_can_be_listed(mmaspec: Command, spec: str) -> None:
    assert mmaspec("clauses", spec).code == 0


def test_a_clause_is_found_in_whatever_case_it_is_typed(mmaspec: Command) -> None:
    for command, name in (("explain", "WM-ADDR-ROW"), ("explain", "amd-rdna3-wmma"), ("example", "WM-ADDR-ROW")):
        asked, other = mmaspec(command, name), mmaspec(command, name.swapcase())
        assert (other.code, other.out) == (0, asked.out)
    assert mmaspec("explain", "rdna3-amb-04").out.startswith("RDNA3-AMB-04 ")
    assert mmaspec("explain", "no-such").code == 2


@pytest.mark.parametrize("clause", ["WM-ADDR-ROW", "WM-AMB-07", "KHRCM-FP-ORDER", "RDNA3-FP-MODE"])
def test_clause_is_explained(mmaspec: Command, clause: str) -> None:
    finished = mmaspec("explain", clause)
    assert finished.code == 0
    assert clause in finished.out


def test_a_replay_says_where_case_and_backend_follow_other_texts(mmaspec: Command, tmp_path: Path) -> None:
    other = EXAMPLES / "LINALG-ACC-OOB-NOOP.toml"
    (tmp_path / "of").mkdir()
    write_case(read_case(other), tmp_path / "of" / "other.json")
    texts = {caps.revision: spec_named("hlsl-linalg").of(caps) for caps in spec_named("hlsl-linalg").devices}
    theirs, ours = (
        texts[name].catalogue.revision for name in ("2025-09-19", spec_named("hlsl-linalg").default_caps.revision)
    )
    told = f"; the case is of the text of {theirs}, and this backend reports that it follows {ours}\n"
    for words in (["replay", str(other)], ["replay", "--all", str(tmp_path / "of")]):
        finished = mmaspec(*words)
        assert finished.code == 1
        assert told in finished.out
    assert "the case is of the text" not in mmaspec("replay", str(EXAMPLES / "LINALG-DIM-PACKED.toml")).out, "legal"


def test_values_that_nothing_loads_are_told(mmaspec: Command, tmp_path: Path) -> None:
    assert not mmaspec("expect", str(KEPT)).err
    case = json.loads(KEPT.read_text())
    case["values"].append({**case["values"][0], "name": "A left over"})
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))
    finished = mmaspec("expect", str(path))
    assert finished.code == 0
    told = f"{path}: nothing in its program loads the values A left over\n"
    assert told in finished.err
    assert mmaspec("replay", str(path)).err == told
    assert not mmaspec("replay", str(KEPT)).err


def test_an_ambiguity_is_found_where_its_clauses_are(mmaspec: Command) -> None:
    assert "see        How to accelerate AI" in mmaspec("explain", "RDNA3-AMB-02").out
    assert "see        nowhere: " in mmaspec("explain", "RDNA3-AMB-09").out


@pytest.mark.parametrize("spec", SPECS)
def test_ambiguities_of_a_specification_are_listed(mmaspec: Command, spec: str) -> None:
    finished = mmaspec("explain", spec)
    assert finished.code == 0
    for name, entry in spec_named(spec).catalogue.ambiguity.items():
        assert name in finished.out
        assert entry.decided or f"open: {min(entry.readings)}" in finished.out


def test_help_names_every_command(mmaspec: Command) -> None:
    out = mmaspec("--help").out
    for command in (
        "check",
        "specs",
        "clauses",
        "explain",
        "example",
        "expect",
        "replay",
        "backends",
        "faults",
        "profiles",
        "report",
    ):
        assert f"  {command} " in out


@pytest.mark.parametrize("command", [["expect"], ["replay", "--isolate"], ["replay", "--all"]])
def test_a_case_that_contradicts_itself_is_told_with_its_file(
    mmaspec: Command, tmp_path: Path, command: list[str]
) -> None:
    text = KEPT.read_text(encoding="utf-8")
    name = re.findall(r'"buffer": "([a-z]+)"', text)[0]
    file = tmp_path / "edited.json"
    file.write_text(text.replace(f'"buffer": "{name}"', '"buffer": "nowhere"', 1), encoding="utf-8")
    finished = mmaspec(*command, str(tmp_path if "--all" in command else file))
    assert finished.code == 2, finished.out
    assert finished.err.startswith(f"mmaspec: {file}: ")
    assert finished.err.count("edited.json") == 1
    assert finished.err.count("\n") == 1


def test_a_replay_takes_the_option_of_a_check(mmaspec: Command) -> None:
    finished = mmaspec("replay", str(KEPT), "--isolate")
    assert finished.code == 0, finished.err
