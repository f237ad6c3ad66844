"""A search for a clause's ID finds its code, its counterfactuals and its tests: every ID is written in full."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from mmaspec.oracle.spec import SPECS, spec_named

ROOT = Path(__file__).resolve().parents[2]
PLACES = {"oracle": "oracle/{}", "counterfactuals": "backends/faults/{}", "tests": "tests/{}"}
"""Where an ID has to be found, and the folder that is a specification's own there."""
CLAUSES = [
    (name, clause)
    for name in SPECS
    for clause, entry in sorted(spec_named(name).catalogue.clause.items())
    if entry.testable
]
FOLDERS = ("oracle", "programs", "strategies", "backends", "suites", "reports", "front", "generators", "tests")
"""Where no ID may be shortened."""
PIECES = re.compile(r"(?<![\w-])(?:{})-[A-Z0-9-]*\{{")
"""A prefix, the beginning of an ID and a brace: an ID that is put together when the code runs."""


def texts(folder: Path, pattern: str) -> dict[Path, str]:
    """Every file of a folder that fits, and what stands in it."""
    found = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob(pattern))}
    assert found, folder
    return found


def holds(text: str, identity: str) -> bool:
    """Whether an ID stands there in full, and not as part of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(identity)}(?![\w-])", text) is not None


def shortened(text: str, identities: Iterable[str]) -> set[str]:
    """What stands for an ID and would escape a search for it.

    The end of one after a hyphen, as in "X-ADD-COL, -ROW"; one in quotes without its prefix; one put together from
    pieces when the code runs.
    """
    identities = list(identities)
    prefixes = {identity.partition("-")[0] for identity in identities}
    # One or two letters, as M or OP are, stand for other things too.
    bare = {end for identity in identities if len(end := identity.partition("-")[2]) > 2}
    ends = {word[at:] for word in bare for at in range(len(word)) if at == 0 or word[at - 1] == "-"}
    found = {
        f"-{end}" for end in re.findall(r"(?<![\w\])}\"'`-])-([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*)\b", text) if end in ends
    }
    found |= {word for _, word in re.findall(r"([\"'])([A-Z0-9]+(?:-[A-Z0-9]+)*)\1", text) if word in bare}
    built = re.compile(PIECES.pattern.format("|".join(sorted(prefixes))))
    return found | set(built.findall(text))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("spec", SPECS)
def test_a_search_finds_it_everywhere(spec: str, place: str) -> None:
    pattern = "test_*.py" if place == "tests" else "*.py"
    found = texts(ROOT / PLACES[place].format(spec.replace("-", "_")), pattern).values()
    words = {word for text in found for word in re.findall(r"[\w-]+", text)}
    assert [clause for name, clause in CLAUSES if name == spec and clause not in words] == []


HOMES = frozenset(catalogue.parent.name for catalogue in (ROOT / "oracle").glob("*/clauses*.toml"))
"""The folders' names of all specifications, unfinished ones included."""


def elsewhere(path: Path, spec: str) -> bool:
    """Whether a file is another specification's own: words of its document may end as an ID of this one does."""
    homes = HOMES & set(path.parts)
    return bool(homes) and spec.replace("-", "_") not in homes


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_id_is_shortened(folder: str) -> None:
    for path, text in texts(ROOT / folder, "*.py").items():
        if path != Path(__file__).resolve():
            for spec in SPECS:
                assert elsewhere(path, spec) or not shortened(text, spec_named(spec).catalogue.clause), path


def test_files_of_another_specification_are_told_apart() -> None:
    assert elsewhere(Path("programs/hlsl_linalg/caps.py"), "nv-coopmat2")
    assert not elsewhere(Path("programs/nv_coopmat2/caps.py"), "nv-coopmat2")
    assert not elsewhere(Path("programs/base.py"), "nv-coopmat2")


def strangers(text: str, identities: Iterable[str]) -> set[str]:
    """What looks like an ID and is none."""
    known = set(identities)
    prefixes = "|".join(sorted({identity.partition("-")[0] for identity in known}))
    found: list[str] = re.findall(rf"(?<![\w-])(?:{prefixes})(?:-[A-Z0-9]+)+(?![\w-])", text)
    return set(found) - known


@pytest.mark.parametrize("folder", [*FOLDERS[:-1], *(f"tests/{spec.replace('-', '_')}" for spec in SPECS)])
def test_no_id_is_misspelt(folder: str) -> None:
    catalogues = [spec_named(spec).catalogue for spec in SPECS]
    known = {name for catalogue in catalogues for name in (*catalogue.clause, *catalogue.ambiguity)}
    for path, text in texts(ROOT / folder, "*.py").items():
        assert not strangers(text, known), path


def test_misspelt_ids_are_seen() -> None:
    assert strangers('"X-ADD-COL", X-ADD-ROWS/load, Y-STOR.', IDENTITIES) == {"X-ADD-ROWS", "Y-STOR"}
    assert not strangers('"X-ADD-ROW/load" Z-OTHER name.removeprefix("X-ADD-") max-X-ADD', IDENTITIES)


IDENTITIES = ("X-ADD-COL", "X-ADD-ROW", "Y-IU-CLAMP", "Y-STORE", "V-N")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"""X-ADD-COL, -ROW: broadcast."""', {"-ROW"}),
        ("# X-ADD-COL (-ADD-ROW)", {"-ADD-ROW"}),
        ('_fault("name", "IU-CLAMP", "says")', {"IU-CLAMP"}),
        ("_fault('name', 'STORE')", {"STORE"}),
        ('f"X-ADD-{way}"', {"X-ADD-{"}),
        ('f"Y-{clause}"', {"Y-{"}),
        ('("X-ADD-COL", "X-ADD-ROW", f"Y-IU-CLAMP/{how}")', set()),
        ("x = y-ROW", set()),
        ('"ROW", "--STORE"', set()),
        ('"N", V-N', set()),
    ],
)
def test_shortened_ids_are_seen(text: str, found: set[str]) -> None:
    assert shortened(text, IDENTITIES) == found


@pytest.mark.parametrize(
    ("text", "there"),
    [("see WM-ADD-ROW.", True), ('"WM-ADD-ROW/load"', True), ("WM-ADD-ROWS", False), ("XWM-ADD-ROW", False)],
)
def test_part_of_a_longer_word_is_no_id(text: str, there: bool) -> None:
    assert holds(text, "WM-ADD-ROW") == there
    assert not holds(text.replace("WM-ADD-ROW", "WM-ADD-ROW-MIN"), "WM-ADD-ROW")


@pytest.mark.parametrize("spec", SPECS)
def test_locators_have_at_most_six_words(spec: str) -> None:
    for name, clause in spec_named(spec).catalogue.clause.items():
        assert len(clause.locator.split()) <= 6, name
        assert bool(clause.locator) == bool(clause.digest), name
        assert not clause.section or clause.locator, name
        assert bool(clause.locator) == bool(clause.section or clause.place) or clause.basis != "document", name
