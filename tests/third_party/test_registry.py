"""Where the parts of our own specifications are: by convention, so that nothing else has to name one."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from importlib import import_module, resources
from pathlib import Path

import pytest

from mmaspec.generators.golden import golden_of
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import OURS, ours, part, specification
from mmaspec.strategies.grammar import Grammar

NAMES = ("amd-rdna3-wmma", "hlsl-linalg", "hlsl-wave-matrix", "intel-subgroup-mma", "nv-coopmat2")
ATTRIBUTES = {"oracle": "SPEC", "strategies": "GRAMMAR", "device": "DEVICE", "faults": "FAULTS"}
FOLDERS = tuple(name.replace("-", "_") for name in NAMES)
ROOMS = ("backends", "front", "generators", "oracle", "programs", "reports", "strategies", "suites")
OF_ONE = {"suites/score/small_scope.py"}
"""Tools for one specification."""


def test_ours_are_the_folders_with_a_catalogue() -> None:
    assert ours() == NAMES
    assert set(NAMES) <= set(SPECS)
    assert list(SPECS) == sorted(SPECS)


@pytest.mark.parametrize("name", NAMES)
def test_every_part_is_in_a_folder_of_its_name(name: str) -> None:
    place = specification(name)
    assert set(ATTRIBUTES) == set(OURS)
    for room, attribute in ATTRIBUTES.items():
        assert hasattr(import_module(place.module(room)), attribute), room  # type: ignore[arg-type]
    assert part(name, "strategies", "GRAMMAR", Grammar).spec == spec_named(name).name == name
    example = next(clause for clause, entry in spec_named(name).catalogue.clause.items() if entry.testable)
    assert golden_of(example).clause == example


def test_the_document_names_every_part_and_counts_the_example() -> None:
    here = Path(__file__).parent
    text = (here.parents[1] / "docs" / "new-specification.md").read_text(encoding="utf-8")
    for room, attribute in ATTRIBUTES.items():
        assert f"| `their_spec.{room}` | `{attribute}`, a " in text, room
    files = [*here.glob("toy_mac/**/*.py"), *here.glob("toy_mac/**/*.toml"), here / "pyproject.toml"]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    assert len(files) == 9
    assert f"nine files, {lines} lines" in text


def test_an_unknown_name_is_bad_input() -> None:
    with pytest.raises(
        BadInput,
        match="no specification named 'amd'; there are amd-rdna3-wmma, hlsl-linalg, hlsl-wave-matrix, intel",
    ):
        specification("amd")


def code(path: Path) -> Iterator[str]:
    """The words of a module and its strings that are no documentation."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.NAME or (token.type == tokenize.STRING and not token.line.lstrip().startswith('"""')):
            yield token.string.strip("\"'")


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_outside_their_folders_names_a_specification(room: str) -> None:
    root = Path(str(resources.files("mmaspec" if room == "front" else f"mmaspec.{room}")))
    seen = 0
    for path in root.rglob("*.py"):
        inside = path.relative_to(root).parts
        if room == "front" and inside[0] in ROOMS:
            continue
        if set(inside) & set(FOLDERS) or f"{room}/{'/'.join(inside)}" in OF_ONE:
            continue
        seen += 1
        named = {word for word in code(path) if word in {*NAMES, *FOLDERS}}
        assert not named, path
    assert seen > 2
