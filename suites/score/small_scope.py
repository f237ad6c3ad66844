"""Every small tensor layout: the oracle's index functions against the reference device, byte by byte.

``python -m mmaspec.suites.score.small_scope`` runs all of it in some minutes; ``--sample`` takes few layouts,
in seconds, and ``--only NAME`` one scope. The matrix has 4 x 4 elements of one byte. Each layout is loaded from and
stored to in every clamp mode; a case that is not defined counts as such. Each line says how many cases were compared,
how many are undefined, how many differ, and whether the digest of all bytes is the stored one (``small_scope.toml``).
Exit code 1 where any differs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import resources
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.nv_coopmat2.tensors.elements import tensor_elements
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout
from mmaspec.strategies.choices import Counted

SIDE = 4
"""Rows and columns of the matrix."""
MODES = range(5)
FILL = 0xC5
"""Clamp value."""
MEMORY = (np.arange(64) * 37 + 11).astype(np.uint8)
"""What loads find: no two bytes agree."""
ELEMENTS = (np.arange(SIDE * SIDE) * 7 + 100).astype(np.uint8).reshape(SIDE, SIDE)
"""What stores write."""

Words = tuple[int, ...]
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Small:
    """The arguments of the calls that make one layout: block sizes, dimensions, strides, a slice."""

    block: Words
    dimension: Words
    stride: Words
    offset: Words
    span: Words


@dataclass(frozen=True, slots=True)
class Tally:
    """Cases of one part: how many, undefined, differing, and a digest of every byte."""

    cases: int
    undefined: int
    differing: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Scope:
    """A set of layouts in parts that can run anywhere.

    A sample has every ``sample``-th layout of the first ``sampled`` parts.
    """

    name: str
    about: str
    parts: int
    sampled: int
    sample: int
    layouts: Callable[[int], Iterator[Small]]


def strides(sizes: Words, block: Words, most: int) -> Iterator[Words]:
    """Every stride that is allowed (NVCM2-SETSTRIDE-MIN), the innermost from 0."""
    for stride in product(range(most + 1), repeat=len(sizes)):
        counts = [-(-size // extent) for size, extent in zip(sizes, block, strict=True)]
        if all(stride[i] >= stride[i + 1] * counts[i + 1] for i in range(len(sizes) - 1)):
            yield stride


def _all(rank: int, most: int, least: int, part: int) -> Iterator[Small]:
    """Every layout of a rank with nothing larger than ``most``; a part has one extent of the innermost block."""
    sizes = list(product(range(least, most + 1), repeat=rank))
    blocks = list(product(range(1, most + 1), repeat=rank))
    for dimension in sizes:
        for stride in strides(dimension, blocks[part], most):
            for offset, span in product(product(range(-most, most + 1), repeat=rank), sizes):
                yield Small(blocks[part], dimension, stride, offset, span)


def one_axis(part: int) -> Iterator[Small]:
    """One dimension, everything up to 4, zeros among it."""
    return _all(1, 4, 0, part)


def two_axes(part: int) -> Iterator[Small]:
    """Two dimensions, everything up to 3, no dimension and no span of zero."""
    return _all(2, 3, 1, part)


DRAWN, DRAWN_PARTS = 100_000, 10


def drawn(part: int) -> Iterator[Small]:
    """Layouts of two dimensions with everything up to 4, zeros among it; every other one without blocks."""
    choices = Counted(f"small-scope/{part}")

    def pair(least: int, most: int = 4) -> Words:
        return choices.integer(least, most), choices.integer(least, most)

    for number in range(DRAWN // DRAWN_PARTS):
        block = pair(1) if number % 2 else (1, 1)
        dimension = pair(0)
        blocks = max(1, -(-dimension[1] // block[1]))
        inner = choices.integer(0, 4 // blocks)
        outer = choices.integer(inner * blocks, 4)  # NVCM2-SETSTRIDE-MIN
        yield Small(block, dimension, (outer, inner), pair(-4), pair(0))


SCOPES = (
    Scope("one-axis", "every layout of one dimension, everything up to 4", 4, 4, 37, one_axis),
    Scope("two-axes", "every layout of two dimensions, everything up to 3", 9, 9, 4999, two_axes),
    Scope("drawn", f"{DRAWN:,} layouts of two dimensions, everything up to 4", DRAWN_PARTS, 1, 97, drawn),
)
"""In the order in which they run."""


def demanded(small: Small, mode: int, *, store: bool) -> Image | None:
    """The loaded matrix or the whole memory after a store, as the document's functions have it; None: undefined."""
    t = TensorLayout(mode, small.block, small.dimension, small.stride, small.offset, small.span, FILL)
    index = tensor_elements.__wrapped__(t, SIDE, SIDE, store=store).index
    ended = index == Ended.CONSTANT.value
    if ((index < 0) & ~ended).any():
        return None
    if not store:
        return np.where(ended, np.uint8(FILL), MEMORY[np.where(ended, 0, index)])
    places = index[~ended]
    if np.unique(places).size < places.size:
        return None
    image = MEMORY.copy()
    image[places] = ELEMENTS[~ended]
    return image


def found(device: CoopMat2Device, small: Small, mode: int, *, store: bool) -> Image:
    """The same by the device, through its own setters."""
    region = device.create(len(small.dimension), mode)
    device.set_block(region, list(small.block))
    device.set_dimension(region, list(small.dimension))
    device.set_stride(region, list(small.stride))
    device.cut(region, list(small.offset), list(small.span))
    index, none, _, _ = device.locate(region, device.number(SIDE, SIDE), store=store)
    if not store:
        return np.where(none, np.uint8(FILL), MEMORY[np.where(none, 0, index)])
    image = MEMORY.copy()
    image[index[~none]] = ELEMENTS[~none]
    return image


def run_part(name: str, part: int, step: int, device: CoopMat2Device | None = None) -> Tally:
    """Every ``step``-th layout of one part, loaded and (without blocks) stored, in every mode."""
    device = device or CoopMat2Device(SequentialUnit())
    scope = next(scope for scope in SCOPES if scope.name == name)
    digest, cases, undefined, differing = hashlib.sha256(), 0, 0, 0
    for number, small in enumerate(scope.layouts(part)):
        if number % step:
            continue
        kinds = (False,) if max(small.block) > 1 else (False, True)  # NVCM2-STORE-NOBLOCK
        for mode, store in product(MODES, kinds):
            wanted = demanded(small, mode, store=store)
            cases += 1
            if wanted is None:
                undefined += 1
                digest.update(b"undefined")
                continue
            differing += not np.array_equal(wanted, found(device, small, mode, store=store))
            digest.update(wanted.tobytes())
    return Tally(cases, undefined, differing, digest.digest())


def joined(tallies: list[Tally]) -> Tally:
    """The parts of a scope as one, in order."""
    digest = hashlib.sha256(b"".join(tally.digest for tally in tallies)).digest()
    return Tally(
        sum(tally.cases for tally in tallies),
        sum(tally.undefined for tally in tallies),
        sum(tally.differing for tally in tallies),
        digest,
    )


def stored() -> dict[str, dict[str, str]]:
    """The digests on record: by scope, ``whole`` and ``sample``."""
    text = (resources.files("mmaspec.suites.score") / "small_scope.toml").read_text("utf-8")
    records: dict[str, dict[str, str]] = tomllib.loads(text)
    return records


def main(arguments: list[str] | None = None) -> int:
    """Run the scopes and print one line each; 1 where a byte or a digest differs."""
    parser = argparse.ArgumentParser(description="Every small tensor layout, oracle against reference device.")
    parser.add_argument("--sample", action="store_true", help="few layouts instead of all")
    parser.add_argument("--only", choices=[scope.name for scope in SCOPES], help="one scope instead of all")
    parser.add_argument("-n", type=int, default=2, help="processes (default 2)")
    given = parser.parse_args(arguments)
    right = True
    with ProcessPoolExecutor(given.n) as pool:
        for scope in SCOPES:
            if given.only not in (None, scope.name):
                continue
            started = time.perf_counter()
            parts, step = (scope.sampled, scope.sample) if given.sample else (scope.parts, 1)
            jobs = [pool.submit(run_part, scope.name, part, step) for part in range(parts)]
            tally = joined([job.result() for job in jobs])
            digest = tally.digest.hex()
            same = stored().get(scope.name, {}).get("sample" if given.sample else "whole") == digest
            right = right and same and tally.differing == 0
            sys.stdout.write(
                f"{scope.name:9} {tally.cases:>9} cases, {tally.undefined} undefined, {tally.differing} differ, "
                f"{digest[:16]} ({'as stored' if same else f'NOT as stored: {digest}'}), "
                f"{time.perf_counter() - started:.1f} s\n"
            )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
