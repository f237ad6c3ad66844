"""The document of the built-in backends names every legal variant and counts the defects right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mmaspec.backends.faults import defects_of
from mmaspec.backends.legal import LEGAL
from mmaspec.oracle.spec import SPECS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/backends.md").read_text(encoding="utf-8")


def test_every_legal_variant_has_a_line_with_its_source() -> None:
    for variant in LEGAL.values():
        line = next(line for line in TEXT.splitlines() if line.startswith(f"| `{variant.name}` |"))
        assert (variant.source or " - ") in line


def test_the_legal_variants_are_counted_right() -> None:
    assert f"lists {len(LEGAL)} such legal variants" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"none, of {len(LEGAL)} variants" in (ROOT / "docs/score.md").read_text(encoding="utf-8")


def test_the_defects_are_counted_right() -> None:
    for spec in SPECS:
        found = Counter(defect.family for defect in defects_of(spec))
        assert f"| `{spec}` | {found['arithmetic']} | {found['integer']} | {found['state']} |" in TEXT
