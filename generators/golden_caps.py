"""Golden examples of clauses about what a device reports: ``examples/caps/<ID>.toml``, a table of caps and its verdict.

Nothing is run, so there are no operands and no bytes: some rows of the table break the clause, the others keep it.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct

from mmaspec.generators.golden import owner_of
from mmaspec.oracle.spec import specs_at_hand
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import strictly
from mmaspec.programs.specifications import specification


class GoldenCaps(Struct, frozen=True, forbid_unknown_fields=True):
    """One such example."""

    clause: str
    title: str
    derivation: str
    breaks: tuple[str, ...]
    """Names of the rows that break the clause."""
    keeps: tuple[str, ...]
    """Names of the other rows."""
    caps: Any
    """In the specification's own terms, as a device would report them."""
    kept: Any = None
    """Caps of a device that keeps the clause, where no row of a device that breaks it can keep it."""

    @property
    def reported(self) -> Any:
        """The caps, decoded. Raises ``BadInput``."""
        return self._decoded(self.caps)

    @property
    def reported_right(self) -> Any:
        """``kept``, decoded; None where there are none. Raises ``BadInput``."""
        return None if self.kept is None else self._decoded(self.kept)

    def _decoded(self, caps: Any) -> Any:
        with strictly(self.clause, "caps"):
            return msgspec.convert(caps, type=owner_of(self.clause).caps_type)


@cache
def golden_caps() -> dict[str, GoldenCaps]:
    """Clause -> its example, sorted. Raises ``BadInput`` for one that cannot be read."""
    found = {}
    for package, folder in {specification(spec.name).caps_examples: None for spec in specs_at_hand()}:
        place = resources.files(package).joinpath(folder)
        for entry in place.iterdir() if place.is_dir() else ():
            if entry.name.endswith(".toml"):
                found[entry.name.removesuffix(".toml")] = read_golden_caps(entry.read_bytes(), f"{folder}/{entry.name}")
    return dict(sorted(found.items()))


def read_golden_caps(text: bytes, where: str) -> GoldenCaps:
    """Decode an example strictly."""
    with strictly(where, "a golden example of caps"):
        return msgspec.toml.decode(text, type=GoldenCaps)


def golden_caps_of(clause: str) -> GoldenCaps:
    """The example of a clause; ``BadInput`` if there is none."""
    if clause not in golden_caps():
        raise BadInput(f"{clause} has no golden example of caps")
    return golden_caps()[clause]
