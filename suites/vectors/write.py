"""Writing a case list as files: a pure function of specification, caps, tier, seed and profile."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, Raw
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Images, Rejected
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.numerics.legal import Reason
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import Profile
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import RUNS
from mmaspec.suites.judging.ask import given as inputs
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.planning.plan import Plan, reported_caps
from mmaspec.suites.pool import Progress
from mmaspec.suites.suited import suited
from mmaspec.suites.vectors.layout import (
    MANIFEST_FILE,
    SCHEMA_FILE,
    VECTOR,
    VECTORS,
    WITH_SPARSE,
    Alternative,
    Array,
    BufferEntry,
    CaseEntry,
    Demand,
    FileEntry,
    Manifest,
    NumberFormat,
    RunInputs,
    Stored,
    VectorCase,
    compact,
    explicit,
    json_schema,
    render,
)
from mmaspec.suites.vectors.packing import Packing


@dataclass(frozen=True, slots=True)
class Vector:
    """A case, and the contents of its files."""

    id: str
    case: Case
    regime: str = ""
    seed: int = 0
    pinned: bool = False


def listed(recipe: Recipe) -> Vector:
    """A case of the list."""
    return Vector(recipe.id, materialise(recipe), recipe.regime, recipe.seed)


def pinned_vector(case: Case) -> Vector:
    """The pinned case of a waiver: whatever it came from, its ID is that of its contents."""
    return Vector(case.content_id, case, pinned=True)


def write_vectors(
    folder: Path, plan: Plan, recipes: Iterable[Recipe], progress: Progress, pinned: Iterable[Case] = ()
) -> Manifest:
    """Write the cases of a plan with one specification. Raises ``BadInput`` where the folder cannot be used.

    The cases that waivers pin come behind those of the list. ``vectors.json`` is written last, so that a folder whose
    writing was cut off has none.
    """
    ordered = sorted(recipes, key=lambda recipe: recipe.id)
    extra = {vector.id: vector for vector in map(pinned_vector, pinned)}
    total = len(ordered) + len(extra)
    files: dict[str, FileEntry] = {}

    def keep(name: str, data: bytes) -> None:
        (folder / name).write_bytes(data)
        files[name] = FileEntry(len(data), hashlib.sha256(data).hexdigest())

    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInput(f"{folder}: is not an empty folder; choose another with --out")
        (folder / "cases").mkdir(parents=True)
        keep(SCHEMA_FILE, json_schema(spec_named(plan.specs[0])))
        entries = []
        for done, vector in enumerate(chain(map(listed, ordered), (extra[name] for name in sorted(extra)))):
            progress(done, total)
            entry, text, data = case_files(vector, plan.profile, plan.description)
            keep(f"cases/{vector.id}.json", text)
            keep(f"cases/{vector.id}.bin", data)
            entries.append(entry)
        manifest = signed(_manifest(plan, tuple(entries), files))
        (folder / MANIFEST_FILE).write_bytes(render(manifest))
    except OSError as error:
        raise BadInput(f"{error.filename or folder}: cannot be written: {error.strerror or error}") from error
    return manifest


def signed(manifest: Manifest) -> Manifest:
    """The manifest with its digest."""
    unsigned = replace(manifest, digest="")
    return replace(manifest, digest=hashlib.sha256(render(unsigned)).hexdigest())


def run_key(program: Any, inputs: Mapping[str, NDArray[np.uint8]]) -> str:
    """The key of a run: a hash of the program and its inputs, as in `CaseEntry.runs`."""
    digest = hashlib.sha256(compact(explicit(program)) + b"\0")
    for buffer in program.buffers:
        digest.update(np.ascontiguousarray(inputs[buffer.name]).data)
    return digest.hexdigest()


def _manifest(plan: Plan, entries: tuple[CaseEntry, ...], files: dict[str, FileEntry]) -> Manifest:
    (name,) = plan.specs
    spec = spec_named(name)
    caps = reported_caps(plan, spec)
    catalogue = (spec if caps is None else spec.of(caps)).catalogue
    return Manifest(
        schema=WITH_SPARSE if plan.description.sparse else VECTORS,
        sparse=plan.description.sparse or UNSET,
        mmaspec=version("mmaspec"),
        code=plan.code,
        spec=name,
        title=catalogue.title,
        revision=catalogue.revision,
        caps=_data(plan.reported[name]),
        tier=plan.tier,
        seed=plan.seed,
        profile=_data(plan.profile),
        case_list=plan.case_list,
        formats={
            row.name: NumberFormat(**{field: getattr(row, field) for field in NumberFormat.__struct_fields__})
            for row in FORMATS.values()
        },
        reasons={str(int(reason)): reason.text for reason in Reason if reason},
        cases=entries,
        files=dict(sorted(files.items())),
        digest="",
    )


def case_files(vector: Vector, profile: Profile, description: Description) -> tuple[CaseEntry, bytes, bytes]:
    """One case as a device can take it: its line of the list, its JSON text, its arrays."""
    taken = suited(vector.case, description)
    case = taken or vector.case
    vector = dataclasses.replace(vector, case=case)
    by_reading = expect_by_reading(case, profile)
    first = by_reading.first
    demand: Demand = "nothing"
    given: list[Images] = []
    if taken is None:
        by_reading = dataclasses.replace(by_reading, variants=())
    elif isinstance(first, Defined):
        demand = "results"
        given = [inputs(first, run) for run in range(RUNS)]
    elif isinstance(first, Rejected):
        demand, given = "refusal", [outline(case)]
    entry = CaseEntry(
        id=vector.id,
        demand=demand,
        row=case.row,
        template=case.template,
        batch=case.batch,
        total=sum(buffer.total for buffer in case.program.buffers),
        pinned=vector.pinned,
        runs=tuple(run_key(case.program, images) for images in given),
    )
    packing = Packing()
    text = render(_described(vector, by_reading, demand, given, packing))
    return entry, text, bytes(packing.data)


def _described(
    vector: Vector, by_reading: ByReading, demand: Demand, given: list[Images], packing: Packing
) -> VectorCase:
    case = vector.case
    names = [buffer.name for buffer in case.program.buffers]
    spec = spec_named(case.spec)
    return VectorCase(
        schema=VECTOR,
        id=vector.id,
        spec=case.spec,
        row=case.row,
        template=case.template,
        demand=demand,
        target=case.target,
        visible=spec.catalogue.clause[case.target].visible if case.target else "",
        clauses=tuple(sorted(by_reading.first.clauses)),
        regime=vector.regime,
        seed=vector.seed,
        labels=case.labels,
        source=_source(case),
        program=_data(case.program),
        words=case.words,
        batch=case.batch,
        buffers=tuple(map(_entry, case.program.buffers)),
        runs=tuple(
            RunInputs("reversed" if run else "listed", tuple(packing.add(images[name]) for name in names))
            for run, images in enumerate(given)
        ),
        legal=tuple(
            Alternative(
                readings=dict(assignment),
                stores=_stores(one, packing),
                written=tuple(packing.add(one.owned[name].astype(np.uint8)) for name in names),
            )
            for assignment, variant in by_reading.variants
            for one in (variant, *variant.others)
        ),
        parts=_parts(by_reading, names, packing),
    )


def _parts(by_reading: ByReading, names: list[str], packing: Packing) -> tuple[Array, ...] | None:
    """The parts that each variant with alternatives has: they are the program's, whatever the reading."""
    found = next((one.parts for _, one in by_reading.variants if one.others and one.parts), None)
    if found is None:
        return None
    first = by_reading.variants[0][1]
    nothing = {name: np.zeros(first.images[name].shape[1], np.int64) for name in names}
    return tuple(packing.add(np.ascontiguousarray(found.get(name, nothing[name]))) for name in names)


def _entry(buffer: Buffer) -> BufferEntry:
    return BufferEntry(buffer.name, buffer.base, buffer.size, buffer.total, buffer.windows or UNSET)


def _stores(variant: Defined, packing: Packing) -> tuple[Stored, ...]:
    found = []
    for region in variant.regions:
        addresses = packing.add(np.where(region.live, region.addresses, -1))
        low, high, flags = packing.legal(region.legal)
        found.append(
            Stored(
                buffer=region.buffer,
                instruction=region.step,
                format=region.legal.fmt.name,
                addresses=addresses,
                low=low,
                high=high,
                flags=flags,
                same=None if region.same is None else packing.add(region.same),
            )
        )
    return tuple(found)


def _data(value: object) -> Raw:
    """Structs as JSON with every field, so that a reader needs to know no defaults."""
    return Raw(compact(explicit(value)))


def _source(case: Case) -> str:
    """The program as text; an invalid one may have none."""
    try:
        return spec_named(case.spec).text(case.program, case.caps)
    except Exception:
        if not case.target:
            raise
        return ""
