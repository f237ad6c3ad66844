"""tests/README.md names every folder of the tests, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
TEXT = (TESTS / "README.md").read_text(encoding="utf-8")
MOST = 120
"""Characters of a line: a line for each entry."""


def folders(text: str) -> list[str]:
    """The folders that a map has headings for, relative to ``tests``, which is the first."""
    return re.findall(r"^### `(.+)/`$", text, re.MULTILINE)


def files(text: str) -> list[str]:
    """The files that a map lists, each relative to ``tests``."""
    found = []
    for part in text.split("\n### `")[1:]:
        folder = part.partition("/`")[0]
        for line in re.findall(r"^- (`[^:]*`):", part, re.MULTILINE):
            found += [name if folder == "tests" else f"{folder}/{name}" for name in re.findall(r"`(.+?)`", line)]
    return found


def mentioned(text: str) -> list[str]:
    """Files and folders of the tests that the tables name."""
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| ")]
    names = [name for row in rows for cell in row for name in re.findall(r"`([\w/]+\.py)`", cell)]
    return [name.removeprefix("tests/") for name in names]


def test_every_folder_is_listed_once() -> None:
    own = (path.relative_to(TESTS) for path in TESTS.rglob("*") if path.is_file())
    there = {TESTS / path.parent for path in own if not any(part.startswith((".", "__")) for part in path.parts)}
    wanted = {"tests" if path == TESTS else path.relative_to(TESTS).as_posix() for path in there}
    assert sorted(folders(TEXT)) == sorted(wanted)


def test_nothing_is_listed_that_is_missing() -> None:
    assert len(files(TEXT)) > 80
    assert len(mentioned(TEXT)) > 8
    missing = [name for name in (*files(TEXT), *mentioned(TEXT)) if not (TESTS / name).is_file()]
    assert not missing


def test_every_folder_has_a_line_of_its_own() -> None:
    for part in TEXT.split("\n### `")[1:]:
        name, _, rest = part.partition("`\n\n")
        line = rest.partition("\n")[0]
        assert line.endswith("."), name
        assert len(line) <= MOST, name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\n### `a/`\n\nWhat.\n\n- `x.py`: says.\n- `y.py`, `z.py`: say.\n", ["a/x.py", "a/y.py", "a/z.py"]),
        ("\n### `tests/`\n\n- `x.py`: says `b.py`.\n", ["x.py"]),
        ("\n### `a/b/`\n\nNo list.\n", []),
    ],
)
def test_files_are_read_as_they_are_written(text: str, found: list[str]) -> None:
    assert files(text) == found
    assert mentioned("| `a/x.py`, `tests/y.py` | says `z.py` |") == ["a/x.py", "y.py", "z.py"]
