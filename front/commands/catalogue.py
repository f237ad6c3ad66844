"""``mmaspec specs``, ``clauses``, ``explain`` and ``--verify-source``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mmaspec.backends.faults import defects_of, faults_of
from mmaspec.backends.numpy.devices import device_of
from mmaspec.generators.golden import golden_ids, owner_of
from mmaspec.generators.golden_caps import golden_caps
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.source_text import locate
from mmaspec.oracle.spec import SPECS, AnySpec, spec_named, specs_at_hand
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import specification
from mmaspec.strategies.enumerate import grammar_of

KINDS = {
    "V": "validity",
    "X": "exact value",
    "M": "memory and layout",
    "C": "caps",
    "U": "boundary of the defined",
    "D": "device-dependent",
}


def table(*columns: str) -> Table:
    """A plain table that pipes well."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def show(rows: Table) -> None:
    """Print a table: as wide as the terminal, and as wide as it needs where piped."""
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=240)
    console.print(rows)


def specs() -> None:
    """One line a specification."""
    rows = table("SPEC", "TITLE", "REVISION", "CLAUSES", "TESTABLE", "READINGS", "DECISIONS", "CAPS ROWS")
    for name in SPECS:
        try:
            spec = spec_named(name)
            if specification(name).package:
                for other in (grammar_of, device_of, faults_of, defects_of):
                    other(name)
        except BadInput as broken:
            rows.add_row(name, Text(str(broken)), *"------")
            continue
        listed = spec.catalogue.clause.values()
        rows.add_row(
            name,
            spec.catalogue.title,
            ", ".join(dict.fromkeys(spec.of(caps).catalogue.revision for caps in spec.devices)),
            str(len(listed)),
            str(sum(clause.testable for clause in listed)),
            str(len(spec.catalogue.open_points)),
            str(len(spec.catalogue.decisions)),
            str(sum(len(spec.rows(caps)) for caps in spec.devices)),
        )
    show(rows)


def clauses(name: str | None) -> None:
    """One line a clause."""
    rows = table("CLAUSE", "KIND", "BASIS", "SAID IN", "TESTABLE", "STATEMENT")
    for spec in [spec_named(name)] if name else [spec_named(each) for each in SPECS]:
        for identity, clause in sorted(spec.catalogue.clause.items()):
            said_in = spec.catalogue.publication[clause.publication].title if clause.publication else ""
            testable = "yes" if clause.testable else "no"
            rows.add_row(identity, clause.kind, clause.basis, Text(said_in), testable, Text(clause.statement))
    show(rows)


def ambiguities(name: str) -> None:
    """One line for each point that a text leaves open: the decision, or the readings that are kept apart."""
    rows = table("AMBIGUITY", "STATEMENT", "TAKEN AS")
    for identity, entry in sorted(spec_named(name).catalogue.ambiguity.items()):
        taken = entry.decision if entry.decided else "open: " + ", ".join(sorted(entry.readings))
        rows.add_row(identity, Text(entry.statement), Text(taken))
    show(rows)


def as_written(identity: str) -> str:
    """The name of a clause, an ambiguity or a specification in its own letters, in whatever case it was typed."""
    known = {name.casefold(): name for name in SPECS}
    for spec in specs_at_hand():
        known |= {name.casefold(): name for name in (*spec.catalogue.clause, *spec.catalogue.ambiguity)}
    return known.get(identity.casefold(), identity)


def explain(identity: str) -> None:
    """Everything known about one clause or ambiguity; of a specification its ambiguities."""
    identity = as_written(identity)
    if identity in SPECS:
        ambiguities(identity)
        return
    spec = owner_of(identity)
    write = sys.stdout.write
    write(f"{identity}  ({spec.catalogue.title}, {spec.catalogue.revision})\n\n")
    if identity in spec.catalogue.ambiguity:
        _ambiguity(spec, identity)
        return
    clause = spec.catalogue.clause[identity]
    write(f"{clause.statement}\n\n")
    write(f"kind       {clause.kind}, {KINDS[clause.kind]}\n")
    write(f"basis      {clause.basis}\n")
    if clause.revision:
        write(f"only in    {_text_of(spec, clause.revision)}\n")
    places = spec.catalogue.places(clause) or ["no place in the document"]
    write("".join(f"{'' if number else 'place':10} {place}\n" for number, place in enumerate(places)))
    if clause.publication and (address := spec.catalogue.publication[clause.publication].address):
        write(f"{'':10} {address}\n")
    write(f"code       {specification(spec.name).module('oracle').replace('.', '/')}: look for {identity}\n")
    write(f"testable   {'yes' if clause.testable else 'no: ' + clause.why_not}\n")
    if clause.visible:
        write(f"seen       {'when compiling' if clause.visible == 'compile' else 'only at run time'}\n")
    for label, names in (("refines", clause.refines), ("entails", clause.entails), ("ambiguous", clause.readings)):
        if names:
            said = (f"{name} (decided)" if name in spec.catalogue.decisions else name for name in names)
            write(f"{label:10} {', '.join(said)}\n")
    for fault in faults_of(spec.name):
        if fault.clause == identity:
            write(f"caught     fault:{fault.name}, which behaves as if {fault.behaves_as_if}\n")
    if identity in golden_ids() or identity in golden_caps():
        write(f"example    mmaspec example {identity}\n")


def _ambiguity(spec: AnySpec, identity: str) -> None:
    """A point that a text leaves open, with its decision or readings, and the clauses that it touches."""
    write = sys.stdout.write
    entry = spec.catalogue.ambiguity[identity]
    write(f"{entry.statement}\n\n")
    if entry.decided:
        write(f"decision   {entry.decision}\nreason     {entry.reason}\n")
    for name, reading in sorted(entry.readings.items()):
        write(f"  {name}{' (shown by default)' if name == entry.default else ''}: {reading}\n")
    touched = [name for name, clause in sorted(spec.catalogue.clause.items()) if identity in clause.readings]
    write(f"\ntouches    {', '.join(touched) or 'no clause'}\n")
    # The text leaves it open wherever it speaks of what these clauses are about.
    places = dict.fromkeys(place for name in touched for place in spec.catalogue.places(spec.catalogue.clause[name]))
    for number, place in enumerate(places or ["nowhere: the document says nothing of it"]):
        write(f"{'' if number else 'see':10} {place}\n")


def _text_of(spec: AnySpec, tag: str) -> str:
    """Which devices a clause of one revision is asked of: the tag of their rows, and the edition of the text."""
    for caps in spec.devices:
        if any(tag in row.tags for row in spec.rows(caps)):
            return f"the text of {spec.of(caps).catalogue.revision} (devices of other texts are not asked)"
    return tag


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
    return report_places(catalogue, text, publication)


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
