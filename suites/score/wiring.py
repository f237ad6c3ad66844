"""Wiring errors planted between a case and a backend, to test that each would be detected.

The backend itself is run as it is. What it is handed, or what it hands back, is changed on the way, as an adapter would
by mistake; the judge knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.failures import BadReply, Died, Raised, error_line
from mmaspec.backends.protocol import Images, Refused, Runner
from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.memory import gather, scatter
from mmaspec.oracle.parts_of_bytes import gather_parts, scatter_parts
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import spec_named
from mmaspec.oracle.wrong_elements import Buffers
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import Profile
from mmaspec.programs.windows import image_places
from mmaspec.suites.judging.ask import ask, buffers_of, lawful

Allocations = dict[str, NDArray[np.uint8]]


@dataclass(frozen=True, slots=True)
class Wiring:
    """The facts about a case that a wiring error needs: where data and results lie in the allocations."""

    sources: tuple[Source, ...]
    expected: Defined
    buffers: Buffers

    def hand_over(self, images: Images, role: str, change: Callable[[Bits], Bits]) -> Allocations:
        """The images with the data of every load of that role changed, ``(batch, waves, passes, rows, cols)``."""
        handed = {name: np.array(image) for name, image in images.items()}
        for source in self.sources:
            if source.role == role:
                places, width = image_places(self.buffers[source.buffer], source.addresses), source.fmt.bits
                bits = source.first_bits
                before, after = images[source.buffer], handed[source.buffer]
                if bits is None:
                    changed = change(gather(before, places[0], source.fmt.nbytes))
                else:
                    changed = change(gather_parts(before, places[0], bits[0], width))
                for number, copy in enumerate(places):
                    if bits is None:
                        scatter(after, copy, changed, source.fmt.nbytes)
                    else:
                        scatter_parts(after, copy, bits[number], changed, width)
        return handed

    def hand_back(self, after: Images, change: Callable[[Bits, Format], Bits]) -> Allocations:
        """The images with every stored result changed, ``(batch, waves, rows, cols)``."""
        handed = {name: np.array(image) for name, image in after.items()}
        for region in self.expected.regions:
            places = image_places(self.buffers[region.buffer], region.addresses)[region.live]
            found = gather(after[region.buffer], places, region.legal.fmt.nbytes)
            scatter(handed[region.buffer], places, change(found, region.legal.fmt), region.legal.fmt.nbytes)
        return handed


Execute = Callable[[Images], Images]
Mistake = Callable[[Wiring, Execute, Images], Images]
"""(wiring, the backend, what it should get) -> what arrives."""


def _altered(role: str, change: Callable[[Bits], Bits]) -> Mistake:
    """Give the backend altered data; bytes that it does not write come back unaltered."""

    def run(wiring: Wiring, execute: Execute, images: Images) -> Images:
        handed = wiring.hand_over(images, role, change)
        after = execute(handed)
        return {name: np.where(after[name] == handed[name], images[name], after[name]) for name in images}

    return run


def _returned(change: Callable[[Bits, Format], Bits]) -> Mistake:
    return lambda wiring, execute, images: wiring.hand_back(execute(images), change)


def _transposed(bits: Bits) -> Bits:
    return np.swapaxes(bits, -1, -2).reshape(bits.shape)


def _reversed(bits: Bits, fmt: Format) -> Bits:
    return bits.astype(f">u{fmt.nbytes}").view(f"<u{fmt.nbytes}").astype(np.uint64)


def _narrower(bits: Bits, fmt: Format) -> Bits:
    """Floats lose their last bits, integers their first, as a narrower sum does."""
    half = 4 * fmt.nbytes
    low = bits & np.uint64((1 << half) - 1)
    if fmt.is_float:
        return bits - low
    negative = low >> np.uint64(half - 1) == 1
    return np.where(negative, low | np.uint64(((1 << half) - 1) << half), low)


def _stale(_: Wiring, execute: Execute, images: Images) -> Images:
    execute(images)
    return images


@dataclass(frozen=True, slots=True)
class Plant:
    """One wiring error: what it imitates, in which cases it can show, and how it is made."""

    says: str
    mistake: Mistake
    roles: frozenset[str] = frozenset()
    """Data that a case has to load."""
    wide: bool = False
    """Whether it needs results of more than a byte."""
    batch: bool = False
    """Whether it needs more than one item."""

    def fits(self, wiring: Wiring) -> bool:
        """Whether the error can show in the case."""
        regions = wiring.expected.regions
        wide = any(region.legal.fmt.nbytes > 1 for region in regions)
        several = any(region.legal.shape[0] > 1 for region in regions)
        return (
            bool(regions)
            and self.roles <= {source.role for source in wiring.sources}
            and (wide or not self.wide)
            and (several or not self.batch)
        )


PLANTS: Mapping[str, Plant] = MappingProxyType(
    {
        "transposed-b": Plant("B transposed", _altered("b", _transposed), frozenset("ab")),
        "ignored-c": Plant("C taken for 0", _altered("c", np.zeros_like), frozenset("abc")),
        "stale-output": Plant("results not fetched", _stale),
        "byte-order": Plant("results in the other byte order", _returned(_reversed), wide=True),
        "silent-fallback": Plant("results of a narrower type", _returned(_narrower), wide=True),
        "batch-order": Plant("results of the next item", _returned(lambda bits, _: np.roll(bits, 1, 0)), batch=True),
    }
)
"""Every wiring error by name."""


class Miswired:
    """A backend with a wiring error in front of it."""

    def __init__(self, backend: Runner, mistake: Mistake, wiring: Wiring) -> None:
        self._backend = backend
        self._mistake = mistake
        self._wiring = wiring

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """The answer of the backend, with the wiring error applied."""
        return self._mistake(self._wiring, lambda images: self._backend.run(spec, program, images), inputs)


@dataclass(slots=True)
class Seen:
    """The result of one planted error in one specification."""

    tried: int = 0
    seen: int = 0


@dataclass(slots=True)
class Proof:
    """The planted errors, and whether each was detected; ``troubles`` are cases that fail with nothing planted."""

    plants: dict[str, Seen] = field(default_factory=lambda: {name: Seen() for name in PLANTS})
    troubles: list[str] = field(default_factory=list)


def prove(backend: Runner, case: Case, profile: Profile, proof: Proof) -> None:
    """Run a case as it is and, if that is legal, once with each error that fits; note in ``proof`` how it went."""
    by_reading = expect_by_reading(case, profile)
    first = by_reading.first
    if not isinstance(first, Defined):
        return
    wiring = Wiring(spec_named(case.spec).sources(resolve(case.program, case.words)), first, buffers_of(case.program))
    where = f"{case.row}, {case.template}"
    try:
        if not lawful(case, by_reading, ask(backend, case, first)):
            proof.troubles.append(f"{where}: illegal")
            return
        for name, plant in PLANTS.items():
            if plant.fits(wiring):
                seen = proof.plants[name]
                seen.tried += 1
                seen.seen += not lawful(case, by_reading, ask(Miswired(backend, plant.mistake, wiring), case, first))
    except (Refused, Raised, BadReply, Died) as error:
        proof.troubles.append(f"{where}: {type(error).__name__.lower()}: {error_line(error)}")
