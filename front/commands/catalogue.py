"""``mmaspec specs``, ``clauses`` and ``explain``."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mmaspec.backends.faults import defects_of, faults_of
from mmaspec.backends.numpy.devices import device_of
from mmaspec.generators.golden import golden_ids, owner_of
from mmaspec.generators.golden_caps import golden_caps
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
    shown = [spec_named(name)] if name else [spec_named(each) for each in SPECS]
    only = any(clause.revision for spec in shown for clause in spec.catalogue.clause.values())
    columns = ("CLAUSE", "KIND", "BASIS", "SAID IN", *(["ONLY IN"] if only else []), "TESTABLE", "STATEMENT")
    rows = table(*columns)
    for spec in shown:
        for identity, clause in sorted(spec.catalogue.clause.items()):
            said_in = spec.catalogue.publication[clause.publication].title if clause.publication else ""
            testable = "yes" if clause.testable else "no"
            text = [_edition(spec, clause.revision)] if only else []
            rows.add_row(identity, clause.kind, clause.basis, Text(said_in), *text, testable, Text(clause.statement))
    show(rows)


def ambiguities(name: str) -> None:
    """One line for each point that a text leaves open: the decision, or the readings that are kept apart."""
    spec = spec_named(name)
    texts = {identity: _edition(spec, _only_in(spec, identity)) for identity in spec.catalogue.ambiguity}
    only = any(texts.values())
    rows = table("AMBIGUITY", *(["ONLY IN"] if only else []), "STATEMENT", "TAKEN AS")
    for identity, entry in sorted(spec.catalogue.ambiguity.items()):
        taken = entry.decision if entry.decided else "open: " + ", ".join(sorted(entry.readings))
        rows.add_row(identity, *([texts[identity]] if only else []), Text(entry.statement), Text(taken))
    show(rows)


def _only_in(spec: AnySpec, ambiguity: str) -> str:
    """The tag of the one text of which all clauses are that an ambiguity touches; empty where they are of several."""
    tags = {clause.revision for clause in spec.catalogue.clause.values() if ambiguity in clause.readings}
    return next(iter(tags)) if len(tags) == 1 else ""


def _edition(spec: AnySpec, tag: str) -> str:
    """The edition of the text that devices with this tag in their rows follow; empty without a tag."""
    for caps in spec.devices if tag else ():
        if any(tag in row.tags for row in spec.rows(caps)):
            return spec.of(caps).catalogue.revision
    return tag


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
    named = spec.catalogue.clause.get(identity)
    tag = _only_in(spec, identity) if named is None else named.revision
    write(f"{identity}  ({spec.catalogue.title}, {_edition(spec, tag) or spec.catalogue.revision})\n\n")
    if identity in spec.catalogue.ambiguity:
        _ambiguity(spec, identity)
        return
    clause = spec.catalogue.clause[identity]
    write(f"{clause.statement}\n\n")
    write(f"kind       {clause.kind}, {KINDS[clause.kind]}\n")
    write(f"basis      {clause.basis}\n")
    if clause.revision:
        write(f"only in    the text of {_edition(spec, tag)} (devices of other texts are not asked)\n")
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
    if tag := _only_in(spec, identity):
        write(f"only in    the text of {_edition(spec, tag)} (devices of other texts are not asked)\n")
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
