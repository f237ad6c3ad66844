"""The axes that docs/coverage.md names are declared."""

from __future__ import annotations

import re
from pathlib import Path

from mmaspec.strategies.axes.space import space_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "coverage.md"


def test_every_axis_that_the_document_names_is_declared() -> None:
    rows = [line.split("|") for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row[2])}
    assert len(named) > 40
    assert named <= set(space_of("nv-coopmat2").axis)
