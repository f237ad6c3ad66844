"""The defects of a specification: which ones it has, what each breaks, and its device with a defect of memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from mmaspec.backends.faults.defects.defect import Trait
from mmaspec.backends.faults.defects.memory import MemoryDefect
from mmaspec.backends.numpy.backend import ReferenceDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs.call_shapes import takes


@dataclass(frozen=True, slots=True)
class Plan:
    """The ``DEFECTS`` of a specification's faults."""

    prefix: str
    """Begins the names: ``rdna3`` makes ``last-product-missing`` the defect ``rdna3-last-product-missing``."""
    traits: frozenset[Trait]
    clauses: Mapping[str, str]
    """Clause that is broken, by the name of one defect, or by role; memory defects by verb and way: ``load-row``."""
    memory: Callable[[ArithmeticUnit, MemoryDefect], ReferenceDevice]
    """Its device with a defect of memory."""
    also: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Defect, without prefix, or role -> other clauses that it breaks as much, so that to name one is right too."""
    left_out: frozenset[str] = frozenset()
    """Names of defects that do not show there."""

    def has(self, name: str, where: Trait | None) -> bool:
        """Whether a defect is a defect under this specification."""
        return name not in self.left_out and (where is None or where in self.traits)

    def flaws(self, known: Collection[str]) -> Iterator[str]:
        """What is wrong with it, where ``known`` are the clauses of the catalogue."""
        for attribute, named in (("clauses", {*self.clauses.values()}), ("also", set().union(*self.also.values()))):
            if unknown := sorted(named - set(known)):
                yield f".{attribute} names {', '.join(unknown)}, which the catalogue does not have"
        if not takes(self.memory, 2):
            yield ".memory is not a function of (unit, defect)"
