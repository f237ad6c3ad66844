"""The clause catalogues from which a report takes statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mmaspec.oracle.clauses import Catalogue, Clause
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput

Catalogues = Mapping[str, Catalogue]


def catalogues_of(specs: Iterable[str]) -> dict[str, Catalogue]:
    """The catalogue of each specification that this version knows; a report does without the others."""
    found = {}
    for name in specs:
        try:
            found[name] = spec_named(name).catalogue
        except BadInput:
            continue
    return found


def clause_of(catalogues: Catalogues, spec: str, clause: str) -> Clause | None:
    """A clause's entry, or None where this version has none of that name."""
    catalogue = catalogues.get(spec)
    return None if catalogue is None else catalogue.clause.get(clause)
