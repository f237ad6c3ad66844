"""A vector folder: the same bytes each time, complete, and readable by its documents alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.backends.given_caps import read_caps
from mmaspec.backends.protocol import Backend
from mmaspec.oracle.numerics.legal import Legal, Reason, illegal
from mmaspec.oracle.numerics.ordinals import is_nan
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.suites.vectors.folder import check_files, read_manifest
from mmaspec.suites.vectors.layout import NumberFormat
from mmaspec.suites.vectors.packing import ends
from mmaspec.suites.vectors.request import planned
from mmaspec.suites.vectors.write import write_vectors

from . import devices
from .conftest import WANTED, Written, silent, small_list
from .lab import illegal_elements, legal, loaded


def test_same_bytes_each_time(written: Written, tmp_path: Path) -> None:
    plan, recipes = small_list()
    again = tmp_path / "again"
    write_vectors(again, plan, tuple(reversed(recipes)), silent)
    names = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(written.folder) for path in written.folder.rglob("*") if path.is_file())
    assert all((again / name).read_bytes() == (written.folder / name).read_bytes() for name in names)


def test_caps_written_out_in_full_list_the_same_cases() -> None:
    spelled = msgspec.convert({"architecture": "rdna3", "builtins": list(Caps().builtins)}, Caps)
    assert planned(WANTED, spelled)[0].case_list == planned(WANTED, Caps())[0].case_list


def test_every_file_has_its_hash(written: Written) -> None:
    manifest = loaded(written.folder, "vectors.json")
    found = {
        path.relative_to(written.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in written.folder.rglob("*")
        if path.is_file() and path.name != "vectors.json"
    }
    assert found == {name: entry["sha256"] for name, entry in manifest["files"].items()}
    check_files(written.folder, read_manifest(written.folder))


def test_manifest_says_where_it_comes_from(written: Written) -> None:
    manifest = loaded(written.folder, "vectors.json")
    assert manifest["case_list"] == written.plan.case_list
    builtins = ["i32_16x16x16_iu8_w32"]
    assert manifest["caps"] == {"architecture": "rdna3", "builtins": builtins, "instructions": []}
    assert (manifest["spec"], manifest["tier"], manifest["seed"]) == (devices.SPEC, "quick", written.plan.seed)
    assert manifest["profile"]["name"] == "practice"
    assert {entry["demand"] for entry in manifest["cases"]} == {"results", "refusal"}


def test_programs_are_written_out_in_full(written: Written) -> None:
    for recipe in written.recipes:
        case = loaded(written.folder, f"cases/{recipe.id}.json")
        assert msgspec.convert(case["program"], WmmaProgram) == recipe.program
        for buffer in case["program"]["buffers"]:
            assert set(buffer) == {"name", "size", "base"}


def test_schema_describes_every_file(written: Written) -> None:
    schema = loaded(written.folder, "schema.json")
    definitions: Any = schema["$defs"]
    (identity,) = (entry["id"] for entry in loaded(written.folder, "vectors.json")["cases"][:1])
    for name, kind in (("vectors.json", "Manifest"), (f"cases/{identity}.json", "VectorCase")):
        assert sorted(loaded(written.folder, name)) == sorted(definitions[kind]["required"])
    assert {"ResultsFile", "Description", "WmmaProgram", "Caps", "Wmma"} <= definitions.keys()
    assert {entry["$ref"] for entry in schema["anyOf"]} <= {f"#/$defs/{name}" for name in definitions}


def test_near_misses_name_the_rule_that_they_break(written: Written) -> None:
    targets = {recipe.id: recipe.target for recipe in written.recipes if recipe.target}
    for identity, target in targets.items():
        case = loaded(written.folder, f"cases/{identity}.json")
        assert (case["demand"], case["target"], case["legal"]) == ("refusal", target, [])
        assert target in case["clauses"]
        assert case["visible"] in {"compile", "run"}


def _smallest(written: Written) -> str:
    entries = [entry for entry in loaded(written.folder, "vectors.json")["cases"] if entry["demand"] == "results"]
    return min(entries, key=lambda entry: (entry["batch"] * entry["total"], entry["id"]))["id"]  # type: ignore[no-any-return]


def test_a_reader_of_the_files_alone_finds_what_is_wrong(
    written: Written, answered: Callable[[type[Backend]], Path]
) -> None:
    identity = _smallest(written)
    formats = loaded(written.folder, "vectors.json")["formats"]
    case = loaded(written.folder, f"cases/{identity}.json")
    data = (written.folder / "cases" / f"{identity}.bin").read_bytes()
    given = bytearray((answered(devices.Device) / f"{identity}.bin").read_bytes())
    assert illegal_elements(case, data, bytes(given), formats) == 0
    for at in (0, len(given) - 1):  # guard zones of the first run and of the last
        wrong = bytearray(given)
        wrong[at] ^= 1
        assert illegal_elements(case, data, bytes(wrong), formats) == 1


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64", "e5m2", "e4m3", "s8", "u8", "s32", "u64"])
def test_ends_and_flags_say_what_the_judge_says(name: str) -> None:
    fmt = FORMATS[name]
    random = np.random.default_rng(7)
    edges = [0, fmt.sign_bit, fmt.mask, fmt.mask >> 1, 1, fmt.sign_bit | 1]
    bits = np.array([*edges, *(int(bits) & fmt.mask for bits in random.integers(0, 1 << 63, 30))], np.uint64)
    ordinals = np.sort(random.integers(fmt.min_ordinal, fmt.max_ordinal, (2, bits.size)), axis=0)
    ordinals[1, ::5] = ordinals[0, ::5]
    nan = (np.arange(bits.size) % 3 == 0) & (fmt.nans != "none")
    sets = [
        Legal.from_bits(fmt, bits),
        Legal.interval(fmt, ordinals[0], ordinals[1], nan),
        Legal.interval(fmt, ordinals[0], ordinals[1]).not_judged(np.arange(bits.size) % 2 == 0, Reason.SPEC_SILENT),
        Legal.interval(fmt, np.full(bits.size, fmt.min_ordinal), np.full(bits.size, fmt.max_ordinal), nan),
    ]
    if fmt.nans != "none":
        sets.append(Legal.interval(fmt, np.ones(bits.size, np.int64), np.zeros(bits.size, np.int64), nan | True))
    spelled = {field: getattr(fmt, field) for field in NumberFormat.__struct_fields__}
    verdicts = set()
    for found in sets:
        low, high, flags = ends(found)
        for got in (bits, np.roll(bits, 1), low.astype(np.uint64), high.astype(np.uint64)):
            mine = [
                not legal(int(g), int(a), int(b), int(f), spelled)
                for g, a, b, f in zip(got, low, high, flags, strict=True)
            ]
            assert mine == illegal(found, got).tolist()
            verdicts |= set(mine)
    assert verdicts == {True, False}
    assert fmt.nans == "none" or is_nan(fmt, bits).any()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept", encoding="utf-8")
    plan, recipes = small_list()
    with pytest.raises(BadInput, match="not an empty folder"):
        write_vectors(tmp_path, plan, recipes, silent)
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"builtins": ["f32_16x16x16_f16_w16"]}',
        b'{"builtins": []}',
        b'{"builtins": 5}',
        b'{"extra": 1}',
        b"\xff\xfe",
        json.dumps({"builtins": ["x" * (2 << 20)]}).encode(),
    ],
    ids=["empty", "cut", "deep", "unknown", "none", "type", "field", "bytes", "large"],
)
def test_bad_caps_are_one_line(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "caps.json"
    path.write_bytes(text)
    with pytest.raises(BadInput) as caught:
        read_caps(devices.SPEC, path)
    assert "caps.json" in str(caught.value)


def test_no_caps_file(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(BadInput, match=str(path.name)):
            read_caps(devices.SPEC, path)
