"""Programs held against bytes that were worked out by hand: no answer comes from the oracle."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.free_choices import with_alternatives
from mmaspec.oracle.hlsl_linalg.semantics import execute
from mmaspec.oracle.judge import judge
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import PRACTICE

HALF, SINGLE = np.float16, np.float32


@cache
def ambiguities():
    """The open points of the catalogue, each with its default."""
    found = {}
    for file in resources.files("mmaspec.oracle.hlsl_linalg").iterdir():
        if file.name.startswith("clauses") and file.name.endswith(".toml"):
            found |= tomllib.loads(file.read_text(encoding="utf-8")).get("ambiguity", {})
    return {name: entry["default"] for name, entry in found.items() if entry.get("readings")}


def octets(*values, dtype):
    """Values as bytes, little-endian."""
    return np.array(values, dtype=dtype).tobytes()


def image(size, *parts):
    """The bytes of a view: ``parts`` are pairs of an offset and bytes, everything else is 0xEE."""
    found = bytearray(b"\xee" * size)
    for offset, part in parts:
        found[offset : offset + len(part)] = part
    return bytes(found)


def expected(program, contents, readings=None, profile=PRACTICE, revision="later"):
    """What the oracle demands of a program whose buffers hold these bytes; the other buffers hold poison."""
    start = Memory(program.buffers, 1)
    for name, held in contents.items():
        codes = np.frombuffer(held, np.uint8).astype(np.uint64)[np.newaxis]
        start.place(name, np.arange(len(held)), codes, FORMATS["u8"])

    def executed(chosen):
        memory = start.again()
        images, known = start.initial(), start.known
        steps = execute(program, memory, profile, chosen, revision=revision)
        return Defined(
            images, known, memory.owned(), steps, memory.regions(), frozenset(chosen.consulted), parts=memory.parts
        )

    return with_alternatives(Readings(ambiguities() | (readings or {})), executed)


def after(program, demanded, left):
    """The images that a device leaves that changed the views to these bytes, and nothing else."""
    images = {name: one.copy() for name, one in demanded.images.items()}
    for buffer in program.buffers:
        if buffer.name in left:
            held = left[buffer.name]
            assert len(held) == buffer.size
            images[buffer.name][0, buffer.base : buffer.base + buffer.size] = np.frombuffer(held, np.uint8)
    return images


def is_right(program, contents, left, readings=None, profile=PRACTICE, revision="later"):
    """Whether a device may leave these bytes."""
    demanded = expected(program, contents, readings, profile, revision)
    buffers = {buffer.name: buffer for buffer in program.buffers}
    images = after(program, demanded, left)
    found = is_legal(demanded, demanded.images, images, buffers)
    assert found == (not judge(demanded, demanded.images, images, buffers).wrong)
    return found


def points(program, contents, readings=None, revision="later"):
    """Every coverage point that acts."""
    return {point for step in expected(program, contents, readings, revision=revision).steps for point in step.points}


def left(program, held, buffer, *parts):
    """The view of a buffer as it was, but for the parts that a program writes."""
    size = next(one.size for one in program.buffers if one.name == buffer)
    base = next(one.base for one in program.buffers if one.name == buffer)
    whole = bytearray(expected(program, held).images[buffer][0, base : base + size].tobytes())
    for offset, part in parts:
        whole[offset : offset + len(part)] = part
    return {buffer: bytes(whole)}


def numbered(m, n, dtype=HALF):
    """A matrix of which every element is different."""
    return np.arange(m * n, dtype=np.float64).reshape(m, n).astype(dtype)


def in_rows(values, offset, stride):
    return [(offset + row * stride, line.tobytes()) for row, line in enumerate(values)]
