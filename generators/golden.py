"""Golden examples: ``examples/clauses/<ID>.toml``, one case per testable clause, small enough to follow by hand.

Operands and expected bytes are literal; the derivation says how a person gets from one to the other. Oracle
and numpy backend both have to meet them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct

from mmaspec.oracle.caps_report import check_written
from mmaspec.oracle.case import Case, check_size
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import AnySpec, spec_named, specs_at_hand
from mmaspec.programs.base import Program, Word
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import strictly
from mmaspec.programs.specifications import left_out, specification


class SparseValues(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Literal operands of one source: ``fill`` everywhere but at ``set``, entries ``[wave, pass, row, col, bits]``."""

    fill: int = 0
    set: tuple[tuple[int, int, int, int, int], ...] = ()


class Bytes(Struct, frozen=True, forbid_unknown_fields=True):
    """Bytes that must be at ``offset`` of a buffer's view afterwards."""

    buffer: str
    offset: int
    hex: str

    def __post_init__(self) -> None:
        """Raises ``ValueError`` for what is not hexadecimal."""
        try:
            bytes.fromhex(self.hex)
        except ValueError as error:
            raise ValueError(f"hex {self.hex!r}: expected two hexadecimal digits for each byte") from error

    @property
    def data(self) -> bytes:
        """The bytes themselves."""
        return bytes.fromhex(self.hex)


class GoldenCase(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The case; ``caps`` are the specification's default ones where none are given."""

    row: str
    program: Any
    caps: Any = None
    batch: int = 1
    words: tuple[Word, ...] = ()
    values: dict[str, SparseValues] = {}


class GoldenAnswer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The expected answer: rejected or undefined by these clauses, or these bytes (under these readings)."""

    verdict: Literal["rejected", "undefined", "defined"]
    clauses: tuple[str, ...] = ()
    bytes: tuple[Bytes, ...] = ()
    readings: dict[str, str] = {}


class Golden(Struct, frozen=True, forbid_unknown_fields=True):
    """One golden example."""

    clause: str
    title: str
    derivation: str
    case: GoldenCase
    expect: GoldenAnswer


def owner_of(clause: str) -> AnySpec:
    """The specification that has a clause of that ID; ``BadInput`` with the nearest IDs if none has."""
    import difflib

    known: dict[str, AnySpec] = {}
    for spec in specs_at_hand():
        known = dict.fromkeys((*spec.catalogue.clause, *spec.catalogue.ambiguity), spec) | known
    if clause not in known:
        near = difflib.get_close_matches(clause.upper(), known, n=3, cutoff=0.5)
        raise BadInput(
            f"no clause named {clause!r}"
            + (f"; did you mean {', '.join(near)}?" if near else "")
            + left_out(spec_named)
        )
    return known[clause]


def golden_ids() -> tuple[str, ...]:
    """IDs of all clauses with a golden example, sorted."""
    folders = {specification(spec.name).examples: None for spec in specs_at_hand()}
    return tuple(sorted(clause for folder in folders for clause in _listed(*folder)))


def _listed(package: str, folder: str) -> Iterator[str]:
    found = resources.files(package).joinpath(folder)
    for entry in found.iterdir() if found.is_dir() else ():
        if entry.name.endswith(".toml"):
            yield entry.name.removesuffix(".toml")


@cache
def golden_of(clause: str) -> Golden:
    """The golden example of a clause; ``BadInput`` if there is none or it cannot be read."""
    for spec in specs_at_hand():
        package, folder = specification(spec.name).examples
        path = resources.files(package).joinpath(folder, f"{clause}.toml")
        if path.is_file():
            return read_golden(path.read_bytes(), f"examples/clauses/{clause}.toml")
    raise BadInput(f"{clause} has no golden example{_why_none(clause)}{left_out(spec_named)}")


def _why_none(clause: str) -> str:
    """Why there is none of a clause, or of an ambiguity; empty where no specification at hand has it."""
    for spec in specs_at_hand():
        if clause in spec.catalogue.ambiguity:
            return f", as it is a point that the text leaves open and no clause: see mmaspec explain {clause}"
        if clause in spec.catalogue.clause and (why := spec.catalogue.clause[clause].why_not):
            return f", as no backend can fail it: {why}"
    return ""


def read_golden(text: bytes, where: str) -> Golden:
    """Decode a golden example strictly."""
    with strictly(where, "a golden example"):
        return msgspec.toml.decode(text, type=Golden)


def case_of(golden: Golden) -> Case:
    """The golden example as a case with dense values. Raises ``BadInput``."""
    spec = owner_of(golden.clause)
    with strictly(golden.clause, "a program"):
        program: Program = msgspec.convert(golden.case.program, type=spec.program_type)
        check_size(program, golden.case.batch, golden.clause)
    caps: object = spec.default_caps
    if golden.case.caps is not None:
        with strictly(golden.clause, "caps"):
            caps = msgspec.convert(golden.case.caps, type=spec.caps_type)
        check_written(spec.reported(caps), f"{golden.clause}: caps")
    if golden.case.row not in {row.name for row in spec.rows(caps)}:
        raise BadInput(f"{golden.clause}: row {golden.case.row!r}: no row of its caps has this name")
    case = Case(
        spec=spec.name,
        row=golden.case.row,
        template="golden",
        program=program,
        caps=caps,
        batch=golden.case.batch,
        values={},
        words=golden.case.words,
        target=golden.clause if golden.expect.verdict == "rejected" else "",
        labels=("golden",),
    )
    resolved = resolve(program, case.words)
    if spec.rejected(resolved, case.caps):
        return case  # what is invalid may load from nowhere
    given = golden.case.values
    if golden.expect.verdict == "rejected":  # and it is not: that has to be said, and not that it lacks values
        given = {**{source.name: SparseValues() for source in spec.sources(resolved)}, **given}
    return replace(case, values=dense(spec, case, given))


def dense(
    spec: AnySpec, case: Case, sparse: Mapping[str, SparseValues]
) -> dict[str, np.ndarray[Any, np.dtype[np.uint64]]]:
    """Sparse literal operands written out over the shapes of the program's sources."""
    values = {}
    for source in spec.sources(resolve(case.program, case.words)):
        given = sparse.get(source.name)
        if given is None:
            raise BadInput(f"golden example: no values for {source.name}")
        for entry in (given.fill, *(one[-1] for one in given.set)):
            if not 0 <= entry < 1 << source.fmt.bits:
                raise BadInput(
                    f"golden example: values of {source.name}: {entry:#x}; expected the {source.fmt.bits} bits of "
                    f"{source.fmt.name}, 0 to {(1 << source.fmt.bits) - 1:#x}"
                )
        try:
            bits = np.full((case.batch, *source.shape), given.fill, np.uint64)
            for wave, loop, row, col, entry in given.set:
                bits[:, wave, loop, row, col] = entry
        except (IndexError, OverflowError) as error:
            raise BadInput(f"golden example: values of {source.name}: {error}") from error
        values[source.name] = bits
    return values
