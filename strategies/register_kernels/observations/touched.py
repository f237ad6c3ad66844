"""The bytes that loads and stores touch, wave by wave, and what a load finds there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from mmaspec.programs.base import at
from mmaspec.programs.register_kernels import Fragment, Load, RegisterProgram, Store
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of


@dataclass(frozen=True, slots=True)
class Touch:
    """The block of one wave that one load or store touches: bytes ``start`` to ``end`` of a view."""

    event: Event
    wave: int
    fragment: Fragment
    buffer: str
    start: int
    end: int

    @property
    def writes(self) -> bool:
        """Whether a store does."""
        return isinstance(self.event.step, Store)

    @property
    def bytes(self) -> tuple[str, int, int]:
        """What is touched."""
        return self.buffer, self.start, self.end

    def meets(self, other: Touch) -> bool:
        """Whether both touch some byte."""
        return self.buffer == other.buffer and self.start < other.end and other.start < self.end


def moved(program: RegisterProgram, step: Load | Store) -> Fragment:
    """The fragment that is loaded or stored."""
    found: Fragment = program.fragment(step.into if isinstance(step, Load) else step.fragment)
    return found


def block_bytes(program: RegisterProgram, fragment: Fragment) -> int:
    """Bytes of the vectors of one wave."""
    return program.lanes * fragment.vector_bytes


def block_start(program: RegisterProgram, step: Load | Store, wave: int, loop: int) -> int:
    """Byte of the view at which the block lies that a wave touches in a pass."""
    return at(step.block, wave, loop) * block_bytes(program, moved(program, step))


class Touched:
    """Every block that a program touches."""

    def __init__(self, program: RegisterProgram, events: list[Event]) -> None:
        self.all: list[Touch] = []
        self.of: dict[int, list[Touch]] = {}
        """Turn -> the blocks of all waves."""
        self.by_buffer: defaultdict[str, list[Touch]] = defaultdict(list)
        for event in events:
            step = event.step
            if not isinstance(step, (Load, Store)):
                continue
            fragment = moved(program, step)
            size = block_bytes(program, fragment)
            starts = [block_start(program, step, wave, event.place.loop) for wave in range(program.waves)]
            found = [
                Touch(event, wave, fragment, step.buffer, start, start + size) for wave, start in enumerate(starts)
            ]
            self.of[event.turn] = found
            self.all += found
            self.by_buffer[step.buffer] += found

    def stored_before(self, touch: Touch) -> list[Touch]:
        """The earlier stores to some of the bytes, the last one first."""
        found = [
            other for other in self.by_buffer[touch.buffer]
            if other.writes and other.event.turn < touch.event.turn and other.meets(touch)
        ]  # fmt: skip
        return found[::-1]

    def loaded_before(self, touch: Touch) -> list[Touch]:
        """The earlier loads of some of the bytes."""
        return [
            other for other in self.by_buffer[touch.buffer]
            if not other.writes and other.event.turn < touch.event.turn and other.meets(touch)
        ]  # fmt: skip

    def source(self, load: Event) -> Event | None:
        """The store that left what the first wave loads."""
        found = self.stored_before(self.of[load.turn][0])
        return found[0].event if found else None


@lru_cache(maxsize=4)
def touched_of(subject: Subject) -> Touched:
    """The bytes that a case's program touches."""
    return Touched(subject.program, flow_of(subject).events)
