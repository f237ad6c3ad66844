"""Memory in optimal layouts: which matrix a device put where. The bytes mean nothing to others (LINALG-OPTIMAL)."""

from __future__ import annotations

from dataclasses import dataclass, field

from mmaspec.oracle.hlsl_linalg.addresses import UNTURNED
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import Layout


@dataclass(slots=True)
class Region:
    """A matrix in an optimal layout: ``legal`` has the shape ``(batch, m, n)``.

    ``base`` and ``terms`` are what it is the sum of, as long as no barrier has put an end to the order of additions.
    """

    component: ComponentType
    layout: Layout
    size: int
    legal: Legal
    base: Legal
    terms: list[Legal] = field(default_factory=list)


@dataclass
class OptimalMemory:
    """All matrices in optimal layouts, by buffer and first byte."""

    regions: dict[tuple[str, int], Region] = field(default_factory=dict)

    def put(self, buffer: str, offset: int, component: ComponentType, layout: Layout, size: int, legal: Legal) -> None:
        """A matrix converted into an optimal layout; what it overlaps is lost."""
        for (name, start), region in list(self.regions.items()):
            if name == buffer and start < offset + size and offset < start + region.size:
                del self.regions[name, start]
        self.regions[buffer, offset] = Region(component, layout, size, legal, legal)

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

    def settle(self) -> None:
        """A barrier: what is added from here on is added to what lies there."""
        for region in self.regions.values():
            region.base, region.terms = region.legal, []
