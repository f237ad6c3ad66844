"""A user's mistake ends with one line that says what and where, and exit code 2; never with a traceback."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from . import in_process
from .conftest import SMALL, Command, adapter

GOLDEN = next((Path(__file__).parents[2] / "examples" / "clauses").glob("RDNA3-*.toml"))

MISTAKES = {
    "unknown-command": ["chekc"],
    "unknown-spec": ["check", "--spec", "hlsl-wavematrix"],
    "unknown-backend": ["check", "--backend", "nunpy"],
    "unknown-fault": ["check", "--backend", "fault:no-such"],
    "adapter-without-class": ["check", "--backend", "adapter.py"],
    "unknown-legal-variant": ["check", "--backend", "legal:flushs"],
    "missing-adapter": ["check", "--backend", "no/such/adapter.py:Class"],
    "unknown-profile": ["check", "--profile", "sharpest"],
    "nameless-profile": ["check", "--profile", ""],
    "missing-profile": ["check", "--profile", "no-such.toml"],
    "unknown-tier": ["check", "--tier", "smoking"],
    "unknown-authority": ["check", "--authority", "me"],
    "profile-out-of-reach": ["check", "--authority", "practice", "--profile", "nvidia-hopper"],
    "bad-limit": ["check", "--time-limit", "0"],
    "endless-limit": ["check", "--time-limit", "inf"],
    "no-limit": ["check", "--time-limit", "nan"],
    "report-below-a-file": ["check", "--spec", "amd-rdna3-wmma", "--report", f"{__file__}/run"],
    "caps-raise": ["check", "--backend", adapter("CapsRaise")],
    "caps-of-no-type": ["check", "--backend", adapter("CapsOfNoType")],
    "pins-unknown-reading": ["check", "--backend", adapter("PinsUnknownReading")],
    "borrows-unknown-clause": ["check", "--backend", adapter("BorrowsUnknownClause")],
    "version-of-no-text": ["check", "--backend", adapter("VersionOfNoText")],
    "long-name": ["check", "--backend", adapter("LongName")],
    "long-version": ["check", "--backend", adapter("LongVersion")],
    "name-of-no-text": ["check", "--backend", adapter("NameOfNoText")],
    "long-speech": ["check", "--backend", adapter("LongSpeech")],
    "bad-workers": ["check", "-n", "-1"],
    "workers-beyond-number": ["check", "-n", "99999999999"],
    "tier-of-what": ["clauses", "amd-rdna3-wmma", "--tier", "quick"],
    "unknown-clause": ["explain", "WM-ADDR-ROWS"],
    "unknown-example": ["example", "NO-SUCH"],
    "specification-twice": ["clauses", "amd-rdna3-wmma", "--spec", "amd-rdna3-wmma"],
    "missing-case": ["expect", "no-such.json"],
    "missing-replay": ["replay", "no-such.json"],
    "missing-run": ["report", "no-such-folder"],
    "folder-of-no-run": ["report", str(Path(__file__).parent)],
    "baseline-of-no-run": ["baseline", "update", str(Path(__file__).parent), "baseline.json"],
    "argument-left-out": ["baseline", "update", "run"],
    "argument-too-many": ["check", "numpy"],
    "unknown-option": ["check", "--specs", "amd-rdna3-wmma"],
    "number-of-no-digits": ["check", "-n", "two"],
    "resume-nothing": ["check", "--resume", "--report", "no-such-folder"],
    "resumed-list": ["check", "--list", "--resume", "--waivers", "w.toml"],
    "unknown-clauses": ["clauses", "no-such-spec"],
    "no-source": ["clauses", "hlsl-wave-matrix", "--verify-source", "no-such.txt"],
    "judged-or-seen": ["reach", "amd-rdna3-wmma", "--judged", "--seen"],
    "example-of-no-clause": ["example", "RDNA3-AMB-04"],
    "example-of-no-test": ["example", "ISGMMA-N"],
    "seed-of-no-digits": ["check", "--seed", "x"],
    "case-of-no-name": ["replay"],
    "case-and-folder": ["replay", "a.json", "--all", "b"],
    "report-of-no-name": ["check", "--report", ""],
    "program-that-says-nothing": ["check", "--backend", f"cmd:{sys.executable} -c pass"],
    "small-program-that-says-nothing": ["check", "--backend", f"cmd:{sys.executable} -c pass {{stdio}}"],
    "replay-with-it": ["replay", str(GOLDEN), "--backend", f"cmd:{sys.executable} -c pass"],
    "vectors-of-what": ["vectors", "no-such-spec"],
    "source-of-what": ["clauses", "--verify-source", "README.md"],
}


TOLD = {
    "bad-workers": "'-n': '-1'; expected at least 0; see ",
    "seed-of-no-digits": "'--seed': 'x'; expected a whole number; see ",
    "case-of-no-name": "replay: no case is named; expected FILE, or --all DIR",
    "case-and-folder": "replay: both a.json and --all b are named; expected one of them",
    "report-of-no-name": "'--report': is empty; expected the name of a folder",
    "report-below-a-file": "/run: cannot be written: Not a directory; choose another folder",
    "program-that-says-nothing": "; expected a program that answers on the descriptor that MMASPEC_OUT names",
    "small-program-that-says-nothing": "; expected a program that answers on its standard output, as docs/external.md",
    "replay-with-it": "; expected a program that answers on the descriptor that MMASPEC_OUT names",
    "vectors-of-what": "no specification named 'no-such-spec'; there are ",
    "version-of-no-text": "wrong Description: Expected `str`, got `int`",
    "adapter-without-class": "expected adapter.py:Class",
    "unknown-legal-variant": "did you mean legal:flushing",
    "folder-of-no-run": "no run folder, it has no run.json",
    "argument-left-out": "Missing argument 'FILE'; see ",
    "unknown-option": "--spec",
    "judged-or-seen": "--judged and --seen exclude each other",
    "example-of-no-clause": "a point that the text leaves open and no clause: see mmaspec explain RDNA3-AMB-04",
    "example-of-no-test": "as no backend can fail it: the functions that a device is asked for",
    "resumed-list": "--list runs nothing; leave out --resume, --waivers",
}
"""What some of them say of what was expected."""


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_mistake_is_told(tmp_path: Path, name: str) -> None:
    words = list(MISTAKES[name])
    if words[0] == "check" and "--report" not in words:
        words += ["--report", str(tmp_path / "run"), "--tier", "quick"][: 2 if "--tier" in words else 4]
    finished = in_process.mmaspec(*words)
    assert finished.code == 2, finished.out
    assert finished.err
    assert "\n" not in finished.err
    assert TOLD.get(name, "") in finished.err


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_mistake_is_told_in_a_line(mmaspec: Command, name: str) -> None:
    """By a process of its own."""
    finished = mmaspec(*MISTAKES[name])
    assert finished.code == 2, finished.out + finished.err
    assert finished.err.startswith("mmaspec: ")
    assert finished.err.count("\n") == 1, finished.err
    assert TOLD.get(name, "") in finished.err


PROFILES = {
    "unknown-field": 'name = "x"\nsubnormal = "kept"\n',
    "wrong-value": 'name = "x"\nsubnormals = "sometimes"\n',
    "wrong-type": "name = 3\n",
    "not-toml": "name = \n",
    "unknown-ambiguity": 'name = "x"\n[[pins]]\nambiguity = "WM-AMB-99"\nreading = "wrap"\n',
    "unknown-reading": 'name = "x"\n[[pins]]\nambiguity = "WM-AMB-07"\nreading = "warp"\n',
    "not-utf8": "name = \udcff\n",
}


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", sorted(PROFILES))
def test_profile_file_is_decoded_strictly(mmaspec: Command, tmp_path: Path, name: str) -> None:
    path = tmp_path / "profile.toml"
    path.write_bytes(PROFILES[name].encode("utf-8", "surrogateescape"))
    finished = mmaspec("check", "--list", "--profile", str(path))
    assert finished.code == 2, finished.out[-300:] + finished.err
    assert finished.err.startswith(f"mmaspec: {path}: ")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["clauses", "hlsl-wave-matrix", "--verify-source"],
        ["check", "--spec", "amd-rdna3-wmma", "--tier", "quick", "--waivers"],
    ],
    ids=lambda words: words[-1],
)
def test_an_empty_file_is_no_answer(tmp_path: Path, words: list[str]) -> None:
    """It is most often what a command left that failed."""
    path = tmp_path / "empty"
    path.write_text("\n")
    report = ["--report", str(tmp_path / "run")] if words[0] == "check" else []
    finished = in_process.mmaspec(*words, str(path), *report)
    assert finished.code == 2, finished.out
    assert f"{path}: is empty; expected " in finished.err
    assert "\n" not in finished.err


JSON = {
    "empty": (" \n", "is empty; expected "),
    "cut": ('{"builtins": ["i32', "is cut: Unterminated string starting at, line 1, column 15; expected "),
    "damaged": ('{"builtins" 3}', "is not JSON: Expecting ':' delimiter, line 1, column 13; expected "),
    "no-text": ("\udcff\udcfe{}", "is not UTF-8 text: byte 0 is 0xff; expected "),
}


@pytest.mark.parametrize("name", sorted(JSON))
@pytest.mark.parametrize("named", ["", f"{SMALL}="], ids=["alone", "of a specification"])
def test_a_file_of_caps_that_is_no_json_is_told_to_be_none(tmp_path: Path, name: str, named: str) -> None:
    text, told = JSON[name]
    path = tmp_path / "caps.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    finished = in_process.mmaspec("check", "--spec", SMALL, "--caps", f"{named}{path}", "--report", tmp_path / "run")
    assert (finished.code, finished.err) == (2, f"{path}: {told}caps of {SMALL} as JSON")
    (tmp_path / "run.json").write_text('{"builtins": 3}', encoding="utf-8")
    assert "builtins" in in_process.mmaspec("check", "--spec", SMALL, "--caps", tmp_path / "run.json").err


@pytest.mark.parametrize("name", [*sorted(JSON), "foreign"])
def test_a_file_that_is_no_case_is_told_to_be_none(tmp_path: Path, name: str) -> None:
    foreign = (json.dumps({"a": 1}), 'is JSON of something else, as it has no "schema": "mmaspec.case/1"; expected ')
    text, told = {**JSON, "foreign": foreign}[name]
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    for words in (["replay", path], ["replay", "--all", tmp_path], ["expect", path]):
        finished = in_process.mmaspec(*words)
        assert (finished.code, finished.err) == (2, f"{path}: {told}a case file of mmaspec")


def test_foreign_folder_is_not_cleared(mmaspec: Command, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("years of work")
    finished = mmaspec("check", "--report", str(precious))
    assert finished.code == 2
    assert "not a run folder" in finished.err
    assert [path.name for path in precious.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("hidden", ["run", "run/inside"])
def test_a_folder_that_may_not_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    """For root nothing is closed, so the system's answer is put in its place."""
    closed = tmp_path / hidden

    def denied(path: Path, *_: object, **__: object) -> bool:
        if path == closed or closed in path.parents:
            raise PermissionError(13, "Permission denied", str(path))
        return True

    monkeypatch.setattr(Path, "exists", denied)
    monkeypatch.setattr(Path, "is_dir", denied)
    monkeypatch.setattr(Path, "is_file", denied)
    asked = in_process.mmaspec("check", "--spec", SMALL, "--tier", "quick", "--report", closed)
    assert (asked.code, asked.err) == (2, f"{closed}: cannot be written: Permission denied")
    read = in_process.mmaspec("report", closed)
    assert (read.code, read.err) == (2, f"{closed}: cannot be read: Permission denied")
