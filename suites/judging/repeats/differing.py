"""Where answers to one question differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined, Region
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.oracle.wrong_elements import Buffers, live_places
from mmaspec.programs.windows import image_place
from mmaspec.suites.judging.ask import Answer
from mmaspec.suites.judging.telling.whose import owner_of, spot
from mmaspec.suites.judging.value_text import value_text

SHOWN = 4
"""How many different contents of one place are told."""


@dataclass(frozen=True, slots=True)
class Differing:
    """The places in which answers to one question differ."""

    expected: Defined
    answers: Sequence[Answer]
    where: Buffers
    elements: tuple[Flags, ...]
    """Of each region, ``(batch, wave, row, column)``."""
    others: dict[str, Flags]
    """Of each buffer, the bytes outside every stored element, ``(batch, byte)``."""

    @classmethod
    def of(cls, expected: Defined, answers: Sequence[Answer], where: Buffers) -> Differing:
        """Compare the answers, of which there is at least one."""
        elements = tuple(
            _differ([_held(region, one, where) for one in answers]) & region.live for region in expected.regions
        )
        others = {
            name: _differ([one.after[name] for one in answers]) & ~owned for name, owned in expected.owned.items()
        }
        return cls(expected, answers, where, elements, others)

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(int(flags.sum()) for flags in (*self.elements, *self.others.values()))

    def shown(self, wrong: Wrong) -> Wrong:
        """The wrong place, or another one where that holds the same in every answer."""
        if len(set(self.contents(wrong))) > 1:
            return wrong
        for number, flags in enumerate(self.elements):
            if flags.any():
                region = self.expected.regions[number]
                item, *index = (int(i) for i in np.unravel_index(int(flags.argmax()), flags.shape))
                got = int(_held(region, self.answers[0], self.where)[(item, *index)])
                return replace(
                    wrong, symptom="unlike", buffer=region.buffer, region=number, item=item, index=tuple(index),
                    address=int(region.addresses[tuple(index)]), got=got,
                )  # fmt: skip
        return wrong

    def contents(self, wrong: Wrong) -> list[str]:
        """What each answer has in a place."""
        if wrong.symptom == "touched":
            at = image_place(self.where[wrong.buffer], wrong.address)
            return [f"0x{int(one.after[wrong.buffer][wrong.item, at]):02x}" for one in self.answers]
        region = self.expected.regions[wrong.region]
        place = (wrong.item, *wrong.index)
        return [value_text(region.legal.fmt, int(_held(region, one, self.where)[place])) for one in self.answers]

    def told(self, wrong: Wrong, waves: int) -> str:
        """The place with what was there, and how many such places there are; the program has so many ``waves``."""
        if wrong.symptom == "touched":
            place = f"byte {wrong.buffer}[{wrong.address}] outside every stored element"
        else:
            number, row, col = wrong.index
            owner = owner_of(self.expected.regions[wrong.region], waves)
            place = f"{spot(owner, number, row, col)} in {wrong.buffer}"
        different = list(dict.fromkeys(self.contents(wrong)))
        listed = [*different[:SHOWN], *(["more"] if len(different) > SHOWN else [])]
        others = f"; {self.count} places differ" if self.count > 1 else ""
        return f"{place} was {' and '.join(listed)}{others}"


def _held(region: Region, answer: Answer, where: Buffers) -> Bits:
    """The contents of a region after the run."""
    image = answer.after[region.buffer]
    return gather(image, live_places(region, where[region.buffer]), region.legal.fmt.nbytes)


def _differ(contents: Sequence[NDArray[Any]]) -> Flags:
    """Where some of these arrays differ."""
    found = np.zeros(contents[0].shape, np.bool_)
    for other in contents[1:]:
        found |= other != contents[0]
    return found
