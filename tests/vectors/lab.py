"""A lab machine: answers a vector folder by what its documents say, with none of mmaspec's readers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.failures import Died
from mmaspec.backends.protocol import Backend, Refused
from mmaspec.oracle.spec import spec_named

TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i64": "<i8"}


def loaded(folder: Path, name: str) -> Any:
    """A JSON file of the folder."""
    return json.loads((folder / name).read_bytes())


def array(data: bytes, place: dict[str, Any]) -> NDArray[Any]:
    """An array of a case's ``.bin`` file."""
    count = int(np.prod(place["shape"]))
    return np.frombuffer(data, TYPES[place["type"]], count, place["offset"]).reshape(place["shape"])


def answer(folder: Path, results: Path, backend: Backend) -> None:
    """Run every case of the folder and leave the answers in ``results``."""
    manifest = loaded(folder, "vectors.json")
    results.mkdir()
    described = {
        "schema": "mmaspec.results/1",
        "vectors": manifest["digest"],
        "backend": msgspec.to_builtins(backend.describe()),
    }
    (results / "results.json").write_text(json.dumps(described), encoding="utf-8")
    validates = "validates" in backend.describe().roles
    for entry in manifest["cases"]:
        if entry["demand"] == "results" or (entry["demand"] == "refusal" and validates):
            _answer_one(folder, results, backend, entry["id"])


def _answer_one(folder: Path, results: Path, backend: Backend, identity: str) -> None:
    case = loaded(folder, f"cases/{identity}.json")
    data = (folder / "cases" / f"{identity}.bin").read_bytes()
    program: Any = msgspec.convert(case["program"], spec_named(case["spec"]).program_type)
    written = b""
    for run in case["runs"]:
        inputs = {b["name"]: array(data, place) for b, place in zip(case["buffers"], run["inputs"], strict=True)}
        try:
            outputs = backend.run(case["spec"], program, inputs)
        except Refused as refusal:
            text = "\n".join((refusal.reason, *refusal.clauses))
            (results / f"{identity}.refused").write_text(text, encoding="utf-8")
            return
        except Died as death:
            (results / f"{identity}.died").write_text(str(death), encoding="utf-8")
            return
        written += b"".join(np.ascontiguousarray(outputs[b["name"]]).tobytes() for b in case["buffers"])
    (results / f"{identity}.bin").write_bytes(written)


def illegal_elements(case: Any, data: bytes, written: bytes, formats: Any) -> int:
    """What a consumer counts by itself: wrong elements and touched bytes of both runs, under the best readings.

    Every item of a run goes by the alternative that explains most of it, and so does each of its parts.
    """
    best: dict[str, dict[Any, list[int]]] = {}
    for alternative in case["legal"]:
        counted: Counter[Any] = Counter()
        for where, wrong in _wrong(case, data, written, formats, alternative):
            counted[where] += wrong
        readings = best.setdefault(str(sorted(alternative["readings"].items())), {})
        for where, count in counted.items():
            readings.setdefault(where, []).append(count)
    alike = Counter(str(sorted(one["readings"].items())) for one in case["legal"])
    return min(
        (
            sum(0 if len(counts) < alike[readings] else min(counts) for counts in places.values())
            for readings, places in best.items()
        ),
        default=0,
    )


def _wrong(case: Any, data: bytes, written: bytes, formats: Any, alternative: Any) -> Iterator[tuple[Any, int]]:
    """Of every run, item and part, in pieces, how much is wrong."""
    start = 0
    parts = [None] * len(case["buffers"]) if case["parts"] is None else [array(data, one) for one in case["parts"]]
    part_of = {buffer["name"]: of for buffer, of in zip(case["buffers"], parts, strict=True)}
    for turn, run in enumerate(case["runs"]):
        order = -1 if run["order"] == "reversed" else 1
        after = {}
        for number, (buffer, place) in enumerate(zip(case["buffers"], run["inputs"], strict=True)):
            before = array(data, place)
            size = case["batch"] * buffer["total"]
            image = np.frombuffer(written[start : start + size], np.uint8).reshape(before.shape)[::order]
            start += size
            kept = array(data, alternative["written"][number]) == 0
            for item, byte in zip(*np.nonzero((image != before[::order]) & kept), strict=True):
                of = part_of[buffer["name"]]
                yield (turn, int(item), 0 if of is None else int(of[byte])), 1
            after[buffer["name"]] = image
        buffers = {buffer["name"]: buffer for buffer in case["buffers"]}
        for store in alternative["stores"]:
            addresses = array(data, store["addresses"])
            low, high, flags = (array(data, store[name]) for name in ("low", "high", "flags"))
            width = low.dtype.itemsize
            copies = None if store["same"] is None else array(data, store["same"])
            for item, image in enumerate(after[store["buffer"]]):
                flat = image.tobytes()
                seen: dict[int, int] = {}
                for place in zip(*np.nonzero(addresses >= 0), strict=True):
                    at = place_of(buffers[store["buffer"]], int(addresses[place]))
                    got = int.from_bytes(flat[at : at + width], "little")
                    where = (item, *place)
                    fmt = formats[store["format"]]
                    wrong = not legal(got, int(low[where]), int(high[where]), int(flags[where]), fmt)
                    value = as_copy(got, fmt)
                    if copies is not None and copies[where] >= 0 and value is not None:
                        wrong |= seen.setdefault(int(copies[where]), value) != value
                    of = part_of[store["buffer"]]
                    yield (turn, item, 0 if of is None else int(of[at])), int(wrong)


def place_of(buffer: Any, address: int) -> int:
    """Where a byte of the view lies in the bytes of a buffer: behind the guard zone, or in one of its windows."""
    place = 0
    for start, length in buffer.get("windows", ()):
        if start <= address < start + length:
            return place + address - start
        place += length
    assert "windows" not in buffer
    return int(buffer["base"]) + address


def legal(got: int, low: int, high: int, flags: int, fmt: Any) -> bool:
    """One element, as the document says it."""
    if flags & 8:
        return True
    if fmt["kind"] == "int":
        return bool(flags & 1) and signed(low, fmt) <= signed(got, fmt) <= signed(high, fmt)
    sign = 1 << (fmt["bits"] - 1)
    if is_nan(got & (sign - 1), fmt):
        return bool(flags & 2)
    if flags & 4:
        return got == low
    at = [-(bits & (sign - 1)) if bits & sign else bits for bits in (low, got, high)]
    return bool(flags & 1) and at[0] <= at[1] <= at[2]


def as_copy(got: int, fmt: Any) -> int | None:
    """What has to be equal in copies of one value; None: nothing."""
    if fmt["kind"] == "int":
        return got
    magnitude = got & ((1 << (fmt["bits"] - 1)) - 1)
    exponent = magnitude >> fmt["fraction_bits"]
    if is_nan(magnitude, fmt) or (fmt["nans"] == "ieee" and exponent == (1 << fmt["exponent_bits"]) - 1):
        return None
    return got if exponent else 0


def signed(bits: int, fmt: Any) -> int:
    """An integer's value."""
    return bits - (1 << fmt["bits"]) if fmt["signed"] and bits >> (fmt["bits"] - 1) else bits


def is_nan(magnitude: int, fmt: Any) -> bool:
    """Whether exponent and fraction are those of a NaN."""
    exponents = ((1 << fmt["exponent_bits"]) - 1) << fmt["fraction_bits"]
    ones = exponents | ((1 << fmt["fraction_bits"]) - 1)
    return magnitude > exponents if fmt["nans"] == "ieee" else fmt["nans"] == "all-ones" and magnitude == ones
