"""Drawn programs with their data, what the oracle demands of them, and what the device leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.free_choices import with_alternatives
from mmaspec.oracle.hlsl_linalg.rows import rows
from mmaspec.oracle.hlsl_linalg.semantics import execute
from mmaspec.oracle.hlsl_linalg.sources import sources
from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.validity import rejected
from mmaspec.oracle.judge import Wrong, judge
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.program_facts import resolve
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.spec import Row
from mmaspec.oracle.stored_arguments import check_arguments
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import LinalgCaps, Revision
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.recipe import accumulator_of, products
from mmaspec.strategies.regimes.catalogue import draw
from tests.hlsl_linalg.by_hand import ambiguities

ATTEMPTS = 20
MOST_ITEMS = 4


def context(caps: LinalgCaps, row: Row, *key: object) -> DrawContext[LinalgCaps]:
    """The choices of one draw."""
    return DrawContext(Counted("/".join(map(str, (row.name, *key)))), row, caps)


def drawn(build: Any, caps: LinalgCaps, row: Row, *key: object) -> Draft | None:
    """A draft of a template; None where it finds no program."""
    for attempt in range(ATTEMPTS):
        found = build(context(caps, row, *key, attempt))
        if found is not None:
            return found
    return None


def breaches(draft: Draft, caps: LinalgCaps) -> frozenset[str]:
    """The clauses that forbid a draft's program, or else leave it undefined; ``BadInput`` where it is none."""
    program = resolve(draft.program, draft.words)
    return rejected(program, caps) or undefined(program, caps)


@dataclass(frozen=True)
class Held:
    """A program with data: what is demanded, and what was given to a device."""

    program: Any
    """As written, with arguments that it loads."""
    demanded: Defined

    def judged(self) -> int:
        """Elements that something is demanded of."""
        return sum(int((region.live & (region.legal.why == 0)).sum()) for region in self.demanded.regions)

    def left(self, device: LinalgDevice) -> tuple[Wrong, ...]:
        """What a device that runs it does wrong; it must not refuse it."""
        given = {name: image.copy() for name, image in self.demanded.images.items()}
        assert device.broken(Submitted(self.program, given)) == ()
        found = device.run(self.program, given)
        buffers = {buffer.name: buffer for buffer in self.program.buffers}
        return judge(self.demanded, self.demanded.images, found, buffers).wrong


def held(
    draft: Draft,
    row: Row,
    seed: int,
    batch: int = MOST_ITEMS,
    profile: Profile = PRACTICE,
    revision: Revision = "later",
) -> Held:
    """A draft with data of its regime, as a case would have them, of a few items, under a revision of the text."""
    program = resolve(draft.program, draft.words)
    batch = min(batch, draft.batch)
    found = sources(program)
    values = draw(
        draft.regime, seed, found, batch, accumulator=accumulator_of(row.tags), products=products(draft.program)
    )
    start = Memory(program.buffers, batch)
    for source in found:
        for copy in source.addresses:
            start.place(source.buffer, copy, values[source.name], source.fmt)
    for word in draft.words:
        start.place(word.buffer, np.array([word.offset]), np.full((batch, 1), word.value, np.uint64), FORMATS["u32"])

    def executed(chosen: Readings) -> Defined:
        memory = start.again()
        images, known = start.initial(), start.known
        steps = execute(program, memory, profile, chosen, revision=revision)
        check_arguments(draft.program, memory, steps)
        return Defined(
            images, known, memory.owned(), steps, memory.regions(), frozenset(chosen.consulted), parts=memory.parts
        )

    return Held(draft.program, with_alternatives(Readings(ambiguities()), executed))


def device(caps: LinalgCaps) -> LinalgDevice:
    """The reference device with these caps."""
    found = LinalgDevice(ExactUnit())
    found.caps = caps
    return found


__all__ = ["breaches", "context", "device", "drawn", "held", "rows"]
