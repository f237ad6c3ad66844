"""The files of a vector folder as plain structs, from which their JSON schema is generated.

Numbers in ``*.bin`` files are little-endian, arrays are row-major, and every array starts at a multiple of 8 bytes.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from mmaspec.backends.protocol import Description
from mmaspec.oracle.spec import AnySpec
from mmaspec.programs.base import Word

VECTORS: Final = "mmaspec.vectors/1"
WITH_SPARSE: Final = "mmaspec.vectors/2"
"""A folder in which buffers may be sparse; but for that it is as one of version 1."""
VECTOR: Final = "mmaspec.vector/1"
RESULTS: Final = "mmaspec.results/1"

MANIFEST_FILE = "vectors.json"
SCHEMA_FILE = "schema.json"
RESULTS_FILE = "results.json"

Identity = Annotated[str, Meta(pattern="^[0-9a-f]{16}$", description="content hash of a case or of its recipe")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256, hexadecimal")]
Demand = Literal["results", "refusal", "nothing"]
"""results: run it and return every buffer. refusal: an invalid program, for backends that validate. nothing:
undefined, or with a larger buffer than was asked for: not to be run."""


class FileEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the folder."""

    bytes: int
    sha256: Sha256


class CaseEntry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A case of the list: ``cases/<id>.json`` and ``cases/<id>.bin``."""

    id: Identity
    demand: Demand
    row: str
    template: str
    batch: int
    total: int
    """Bytes of all buffers of one batch item: an answer has ``batch * total`` bytes a run."""
    pinned: bool
    """Whether it is the pinned case of a waiver, and not of the list."""
    runs: tuple[Sha256, ...]
    """What each run is about: SHA-256 over the program as one line of JSON, a zero byte, its inputs in buffer order."""


class NumberFormat(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number format: IEEE 754 field order (sign, exponent, fraction), or two's complement."""

    bits: int
    kind: Literal["float", "int"]
    signed: bool
    exponent_bits: int
    fraction_bits: int
    bias: int
    infinities: bool
    nans: Literal["none", "ieee", "all-ones"]


class Manifest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``vectors.json``: where a vector folder comes from, and the hash of every other file in it."""

    schema: Literal["mmaspec.vectors/1", "mmaspec.vectors/2"]
    mmaspec: str
    """Version that wrote the folder."""
    code: str
    """Hash of the sources that decide cases and legal sets."""
    spec: str
    title: str
    revision: str
    caps: Raw
    """In the specification's own terms."""
    tier: str
    seed: int
    profile: Raw
    """Under which the legal sets in the files hold."""
    sparse: int | msgspec.UnsetType = msgspec.UNSET
    """Version 2: bytes of the largest view of a sparse buffer; cases with larger ones demand nothing."""
    case_list: Identity
    formats: dict[str, NumberFormat]
    reasons: dict[str, str]
    """Why an element is not judged: upper four bits of its flags -> text."""
    cases: tuple[CaseEntry, ...]
    files: dict[str, FileEntry]
    digest: str
    """SHA-256 of this file with an empty digest: what answers name, and what shows that it was edited."""


class Array(Struct, frozen=True, forbid_unknown_fields=True):
    """An array in the case's ``.bin`` file, from byte ``offset`` on. Arrays with equal contents share a place."""

    offset: int
    type: Literal["u8", "u16", "u32", "u64", "i64"]
    shape: tuple[int, ...]


class BufferEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """An allocation of ``total`` bytes: guard zone of ``base`` bytes, view of ``size`` bytes, guard zone.

    Version 2: of a sparse one ``total`` are the bytes of its windows, which stand one after the other in arrays.
    """

    name: str
    base: int
    size: int
    total: int
    windows: tuple[tuple[int, int], ...] | msgspec.UnsetType = msgspec.UNSET
    """Start and length of each window, in bytes from the start of the view; only where the buffer is sparse."""


class RunInputs(Struct, frozen=True, forbid_unknown_fields=True):
    """One run of the program: whole allocations or windows, ``(batch, total)`` bytes each, in the order of ``buffers``.

    ``reversed``: item i of this run is item batch - 1 - i of the legal sets.
    """

    order: Literal["listed", "reversed"]
    inputs: tuple[Array, ...]


class Stored(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one store leaves, element by element."""

    buffer: str
    instruction: int
    """Number of the executed instruction, from 0, loops unrolled."""
    format: str
    addresses: Array
    """Bytes from the start of the view, (waves, rows, cols); -1 where nothing was stored or it was overwritten."""
    low: Array
    """Bits of the smallest legal number, (batch, waves, rows, cols)."""
    high: Array
    """Bits of the largest."""
    flags: Array
    """1: a number from low to high is legal; 2: NaN is legal; 4: the number's bits must be those of low, so -0 is not
    +0; 8: not judged, and the upper four bits say why."""
    same: Array | None = None
    """(batch, waves, rows, cols), or null: elements of an item with one number, -1 apart, hold one value, whichever it
    is. Zeros and subnormals count as one, and NaN and Inf are left alone."""


class Alternative(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is legal under one choice of readings, and of what a text leaves free.

    A case is legal where, under one choice of readings, every item of every run is what one of the alternatives with
    these readings says: in each of its parts, where the case has any.
    """

    readings: dict[str, str]
    stores: tuple[Stored, ...]
    written: tuple[Array, ...]
    """Per buffer, in their order, a byte for each of its bytes: 1 where some store writes. The rest must not change."""


class VectorCase(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``cases/<id>.json``: one case."""

    schema: Literal["mmaspec.vector/1"]
    id: Identity
    spec: str
    row: str
    template: str
    demand: Demand
    target: str
    """The validity clause that the program was made to break; empty for a valid one."""
    visible: str
    """Who can see that breach: ``compile`` or ``run``; empty for a valid program."""
    clauses: tuple[str, ...]
    """Clauses that act, or that the program breaks."""
    regime: str
    """How the data were drawn, and from which seed; empty and 0 for the pinned case of a waiver."""
    seed: int
    labels: tuple[str, ...]
    source: str
    """The program in the specification's own syntax; empty where it has none."""
    program: Raw
    """The program as data, with every field written out; ``windows`` only of sparse buffers."""
    words: tuple[Word, ...]
    """What run-time arguments find: they lie in the inputs already."""
    batch: int
    buffers: tuple[BufferEntry, ...]
    runs: tuple[RunInputs, ...]
    legal: tuple[Alternative, ...]
    """One for each combination of readings that matters; none where nothing is to be returned."""
    parts: tuple[Array, ...] | None
    """Per buffer, in their order, the part of the program that each of its bytes belongs to; null: there is one."""


class ResultsFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``results.json`` of a folder of answers."""

    schema: Literal["mmaspec.results/1"]
    vectors: Sha256
    """The ``digest`` of the ``vectors.json`` that was answered."""
    backend: Description


ADDED = frozenset({"windows"})
"""Fields of programs that version 2 added."""

_encoder = msgspec.json.Encoder(order="deterministic")


def compact(value: object) -> bytes:
    """A value as one line of JSON, the same bytes for the same value."""
    return _encoder.encode(value)


def render(value: object) -> bytes:
    """A value as indented JSON, the same bytes for the same value."""
    return msgspec.json.format(_encoder.encode(value), indent=1) + b"\n"


def explicit(value: Any) -> Any:
    """A value of structs as plain data in which no field is left out, not even one with its default.

    But for those that version 1 did not know: they are there only where they say something.
    """
    if isinstance(value, Struct):
        config = value.__struct_config__
        tag = {} if config.tag is None else {config.tag_field: config.tag}
        names = (name for name in value.__struct_fields__ if getattr(value, name) or name not in ADDED)
        return tag | {name: explicit(getattr(value, name)) for name in names}
    if isinstance(value, tuple | list):
        return [explicit(part) for part in value]
    return {key: explicit(part) for key, part in value.items()} if isinstance(value, dict) else value


def json_schema(spec: AnySpec) -> bytes:
    """The JSON schema of every file, and of the programs and caps of one specification."""
    kinds = {
        MANIFEST_FILE: Manifest,
        "cases/*.json": VectorCase,
        RESULTS_FILE: ResultsFile,
        "program of a case": spec.program_type,
        "caps": spec.caps_type,
    }
    found, components = msgspec.json.schema_components(kinds.values(), ref_template="#/$defs/{name}")
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Files of a vector folder and of its answers",
        "anyOf": [{"title": name, **kind} for name, kind in zip(kinds, found, strict=True)],
        "$defs": components,
    }
    return render(schema)
