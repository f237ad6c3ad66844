"""``mmaspec clauses SPEC --verify-source TEXT``: where a text says what the clauses do."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.source_text import locate
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput

FITS = 0.5
"""A text of which this share of the clauses is found is taken for theirs."""


def verify_source(name: str | None, path: Path, publication: str = "") -> int:
    """Find every clause's place in the document's text, or in that of a publication.

    1 if one is missing or stands in several places, or if its sentence changed.
    """
    if name is None:
        raise BadInput("--verify-source needs one SPEC, such as: mmaspec clauses hlsl-wave-matrix --verify-source TEXT")
    catalogue = spec_named(name).catalogue
    texts = sorted(
        {clause.publication for clause in catalogue.clause.values() if clause.locator and not clause.section}
    )
    if publication and publication not in texts:
        there = ", ".join(texts) or "none"
        raise BadInput(f"no clause of {name} has its place in a publication {publication!r}; expected one of: {there}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read as UTF-8 text: {error}") from error
    if not text.strip():
        raise BadInput(f"{path}: is empty; expected the text of {publication or catalogue.document}")
    code = report_places(catalogue, text, publication)
    if code and (other := fits_better(catalogue, text, publication, texts)):
        sys.stdout.write(f"{path}: {other}\n")
    return code


def fits_better(catalogue: Catalogue, text: str, publication: str, texts: Sequence[str]) -> str:
    """That the file seems to be another text on which clauses rest, and the option that names it; empty if not."""
    fits = {name: _found(catalogue, text, name) for name in ("", *texts)}
    shares = {name: found / placed if placed else 0.0 for name, (found, placed) in fits.items()}
    best = max(shares, key=lambda name: shares[name])
    if shares[best] < FITS or shares[best] < 2 * shares[publication]:
        return ""
    found, placed = fits[best]
    told = catalogue.publication[best].named if best else catalogue.document
    option = f"use --publication {best}" if best else "leave out --publication"
    return f"seems to be another text, {told}, where {found} of {placed} clauses are found; {option}"


def _found(catalogue: Catalogue, text: str, publication: str) -> tuple[int, int]:
    """How many clauses are found where they should be, and how many have a place."""
    placed = catalogue.placed(publication).values()
    return sum(locate(text, clause.locator, clause.digest) == "found" for clause in placed), len(placed)


def report_places(catalogue: Catalogue, text: str, publication: str = "") -> int:
    """A line for each clause whose place is not found as it should be, and the counts; the exit code."""
    placed = catalogue.placed(publication)
    asked = sum(publication in ("", clause.publication) for clause in catalogue.clause.values())
    found = Counter({"without a place": asked - len(placed)})
    for identity, clause in sorted(placed.items()):
        state = locate(text, clause.locator, clause.digest)
        found[state] += 1
        if state != "found":
            sys.stdout.write(f'{identity}: {state}: "{clause.locator}"\n')
    sys.stdout.write(", ".join(f"{count} {state}" for state, count in sorted(found.items()) if count) + "\n")
    return 1 if found["missing"] or found["repeated"] or found["changed"] else 0
