"""What a person expects of a case is held against what the specification demands: nothing in the file is ignored."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mmaspec.generators.golden import case_of, golden_ids, golden_of
from mmaspec.generators.golden_answer import disagreements
from mmaspec.oracle.expect import expect

from .in_process import mmaspec

EXAMPLES = Path(__file__).parents[2] / "examples" / "clauses"


def changed(folder: Path, clause: str, old: str, new: str) -> Path:
    """The example of a clause with a piece of its text replaced once."""
    text = (EXAMPLES / f"{clause}.toml").read_text(encoding="utf-8")
    assert old in text
    path = folder / "hand.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.exhaustive(every=8)
@pytest.mark.parametrize("clause", golden_ids())
def test_every_example_agrees(clause: str) -> None:
    golden = golden_of(clause)
    case = case_of(golden)
    assert not disagreements(golden, case, expect(case, readings=golden.expect.readings))


def test_expect_says_that_a_file_agrees() -> None:
    finished = mmaspec("expect", EXAMPLES / "RDNA3-IU-CLAMP.toml")
    assert finished.code == 0
    assert finished.out.endswith("the file's [expect] agrees\n")


WRONG = {
    "other bytes": ('hex = "ffffff7f"', 'hex = "deadbeef"', "out, byte 0: deadbeef is not legal"),
    "part of an element": ('hex = "ffffff7f"', 'hex = "ff00"', "out, byte 0: ff00 is not legal"),
    "two elements": ('hex = "f9ffffff"', 'hex = "f9ffffff01000000"', "out, byte 8: 01000000 is not legal"),
    "another verdict": (
        'verdict = "defined"',
        'verdict = "rejected"\nclauses = ["RDNA3-SIG"]',
        "it says rejected by RDNA3-SIG; the program is defined",
    ),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_a_file_expects_wrongly_is_said(tmp_path: Path, name: str) -> None:
    old, new, says = WRONG[name]
    path = changed(tmp_path, "RDNA3-IU-CLAMP", old, new)
    finished = mmaspec("expect", path)
    assert finished.code == 1
    assert f"the file's [expect] disagrees: {says}\n" in finished.out
    replayed = mmaspec("replay", path)
    assert replayed.code == 0, "the backend is right, whatever the file says"
    assert f"the file's [expect] disagrees: {says}\n" in replayed.out


def test_a_valid_program_said_to_be_rejected_needs_no_values(tmp_path: Path) -> None:
    finished = mmaspec("expect", changed(tmp_path, "RDNA3-SIG", "count = 8 }", "count = 16 }"))
    assert "it says rejected by RDNA3-SIG; the program is defined" in finished.out
    assert finished.code == 1


def test_bytes_that_nothing_stores_are_said(tmp_path: Path) -> None:
    path = changed(tmp_path, "WM-ADDR-ROW", "offset = 172", "offset = 173")
    finished = mmaspec("expect", path)
    assert finished.code == 1
    assert re.search(r"disagrees: out, byte \d+: ", finished.out)


def test_bytes_outside_a_buffer_are_bad_input(tmp_path: Path) -> None:
    path = changed(tmp_path, "RDNA3-IU-CLAMP", "offset = 512", "offset = 1022")
    finished = mmaspec("expect", path)
    assert finished.code == 2
    assert finished.err.endswith("hand.toml: RDNA3-IU-CLAMP: [expect] has bytes outside the buffers: out, byte 1022")


def test_an_unknown_reading_in_a_file_is_bad_input(tmp_path: Path) -> None:
    path = changed(tmp_path, "RDNA3-IU-CLAMP", '"RDNA3-AMB-04" = "final-saturate"', '"RDNA3-AMB-04" = "warp"')
    finished = mmaspec("expect", path)
    assert finished.code == 2
    assert finished.err.startswith(f"{path}: RDNA3-AMB-04: no reading named 'warp'")


def test_under_another_reading_nothing_is_compared() -> None:
    finished = mmaspec("expect", EXAMPLES / "RDNA3-IU-CLAMP.toml", "--reading", "RDNA3-AMB-04=wrap")
    assert finished.code == 0
    assert "[expect]" not in finished.out


MISTAKES = {
    "not hexadecimal": ('hex = "ffffff7f"', 'hex = "zzffff7f"', "hex 'zzffff7f': expected two hexadecimal digits"),
    "half a byte": ('hex = "ffffff7f"', 'hex = "ffffff7"', "hex 'ffffff7': expected two hexadecimal digits"),
    "wider than an element": (
        "[0, 0, 1, 1, 0xff]", "[0, 0, 1, 1, 0x1ff]", "values of A: 0x1ff; expected the 8 bits of s8, 0 to 0xff",
    ),
    "below zero": ("[0, 0, 1, 1, 0xff]", "[0, 0, 1, 1, -1]", "values of A: -0x1; expected the 8 bits of s8"),
    "a wide fill": ("fill = 0x0", "fill = 0x100", "values of A: 0x100; expected the 8 bits of s8"),
    "no such row": ('row = "i32_16x16x16_iu8_w32"', 'row = "i32_w31"', "row 'i32_w31': no row of its caps"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_a_mistake_names_the_file_and_what_was_expected(tmp_path: Path, name: str) -> None:
    old, new, says = MISTAKES[name]
    path = changed(tmp_path, "RDNA3-IU-CLAMP", old, new)
    for command in ("expect", "replay"):
        finished = mmaspec(command, path)
        assert finished.code == 2
        assert finished.err.startswith(str(path))
        assert says in finished.err
