"""What a device left held against the oracle under every combination of readings, before there is a case to judge."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.free_choices import with_alternatives
from mmaspec.oracle.hlsl_linalg.semantics import execute
from mmaspec.oracle.readings import Readings, combinations
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.profile import PRACTICE

from .by_hand import ambiguities
from .catalogue import catalogue

OPTIMAL_SIZE = 512
"""Bytes of the matrices of the tests in optimal layouts, as the default caps report them."""


def sized(program):
    """The program with the sizes of its optimal layouts."""
    body = tuple(
        replace(one, target_size=OPTIMAL_SIZE) if "Optimal" in getattr(one, "target_layout", "") else one
        for one in program.body
    )
    return replace(program, body=body)


def expected_from(program, start, revision="later"):
    """What is demanded under every combination of the readings that matter, from a memory, by a text."""

    def under(readings):
        def executed(chosen):
            memory = start.again()
            images, known = start.initial(), start.known
            steps = execute(program, memory, PRACTICE, chosen, revision=revision)
            return Defined(
                images, known, memory.owned(), steps, memory.regions(), frozenset(chosen.consulted), parts=memory.parts
            )

        return with_alternatives(Readings(ambiguities() | readings), executed)

    options = {name: catalogue().ambiguity[name].readings for name in under({}).consulted}
    return [under(dict(chosen)) for chosen in combinations(options)]


def is_accepted(program, start, demands, after):
    """Whether some combination of readings explains what a device left."""
    before, buffers = start.initial(), {buffer.name: buffer for buffer in program.buffers}
    return any(is_legal(one, before, after, buffers) for one in demands)
