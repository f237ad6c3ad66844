"""The axes and clauses that docs/coverage.md names are those of the specification under whose heading they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.axes.space import space_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "coverage.md"
SECTIONS = dict(
    re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
)
"""Name of a specification -> what is said of it."""


def cells(spec: str) -> list[list[str]]:
    """The rows of a section's tables, heads aside."""
    lines = [line for line in SECTIONS[spec].splitlines() if line.startswith("| ")]
    heads = {number + step for number, line in enumerate(lines) if line.startswith("| ---") for step in (-1, 0)}
    return [line.strip("|").split("|") for number, line in enumerate(lines) if number not in heads]


@pytest.mark.parametrize(
    "spec", ["amd-rdna3-wmma", "hlsl-linalg", "hlsl-wave-matrix", "intel-subgroup-mma", "nv-coopmat2"]
)
def test_every_axis_that_the_document_names_is_declared(spec: str) -> None:
    named = {name for row in cells(spec) for name in re.findall(r"`([a-z0-9-]+)`", row[-1])}
    assert len(named) > 40
    assert named <= set(space_of(spec).axis)


@pytest.mark.parametrize("spec", ["amd-rdna3-wmma", "hlsl-linalg", "hlsl-wave-matrix"])
def test_every_clause_that_the_document_names_is_in_the_catalogue(spec: str) -> None:
    named = {name.strip() for row in cells(spec) for name in row[1].split(",")}
    assert len(named) > 20
    assert named <= set(spec_named(spec).catalogue.clause)
