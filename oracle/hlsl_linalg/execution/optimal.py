"""Memory in optimal layouts: which matrix a device put where. The bytes mean nothing to others (LINALG-OPTIMAL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mmaspec.oracle.hlsl_linalg.addresses import UNTURNED
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import Layout


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A matrix in an optimal layout: ``legal`` has the shape ``(batch, m, n)``.

    ``base`` and ``terms`` are what it is the sum of, as long as no barrier has put an end to the order of additions.
    """

    component: ComponentType
    layout: Layout
    size: int
    legal: Legal
    base: Legal
    terms: tuple[Legal, ...] = ()


@dataclass(frozen=True, eq=False)
class OptimalMemory:
    """All matrices in optimal layouts, by buffer and first byte. What changes it makes another one."""

    regions: Mapping[tuple[str, int], Region] = field(default_factory=dict)

    def put(
        self, buffer: str, offset: int, component: ComponentType, layout: Layout, size: int, legal: Legal
    ) -> OptimalMemory:
        """With a matrix converted into an optimal layout; what it overlaps is lost."""
        apart = {
            (name, start): region
            for (name, start), region in self.regions.items()
            if not (name == buffer and start < offset + size and offset < start + region.size)
        }
        return OptimalMemory({**apart, (buffer, offset): Region(component, layout, size, legal, legal)})

    def holding(self, buffer: str, offset: int, region: Region) -> OptimalMemory:
        """With another region where one lies."""
        return OptimalMemory({**self.regions, (buffer, offset): region})

    def find(
        self, buffer: str, offset: int, component: ComponentType, layout: Layout, shape: tuple[int, int]
    ) -> Region | None:
        """The matrix of this type, layout and shape that lies there; None where there is no such one."""
        region = self.regions.get((buffer, offset))
        if region is None or (region.component, region.layout) != (component, layout):
            return None
        return region if region.legal.shape[-2:] == shape else None

    def get(
        self, buffer: str, offset: int, component: ComponentType, layout: Layout, shape: tuple[int, int]
    ) -> Legal | None:
        """The elements of an m x n matrix loaded through a layout, ``(batch, m, n)``; None as for `find`."""
        own = UNTURNED.get(layout)
        if own is None:
            found = self.find(buffer, offset, component, layout, shape)
            return None if found is None else found.legal
        turned = self.find(buffer, offset, component, own, (shape[1], shape[0]))
        return None if turned is None else turned.legal.transpose()

    def settled(self) -> OptimalMemory:
        """After a barrier: what is added from here on is added to what lies there."""
        if not any(region.terms for region in self.regions.values()):
            return self
        settled = {key: replace(region, base=region.legal, terms=()) for key, region in self.regions.items()}
        return OptimalMemory(settled)
