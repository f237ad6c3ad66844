"""The adapter protocol: the methods that a backend must have.

A backend executes programs (role ``executes``), refuses invalid ones (role ``validates``), or both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from mmaspec.programs.profile import PRACTICE, Profile

Role = Literal["executes", "validates"]
Images = Mapping[str, NDArray[np.uint8]]
"""Buffer name -> its images, ``(batch, Buffer.total)`` bytes: whole allocations, or the windows of a sparse buffer."""


class Refused(Exception):
    """Raised by a backend that does not accept a program; ``clauses`` names the broken rules, if it knows them."""

    def __init__(self, reason: str, clauses: Iterable[str] | None = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.clauses: tuple[str, ...] = (
            (clauses,) if isinstance(clauses, str) else tuple(str(clause) for clause in clauses or ())
        )


class Description(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a backend says of itself, once, before the first case."""

    name: str
    version: str
    roles: tuple[Role, ...] = ("executes",)
    borrowed: tuple[str, ...] = ()
    """Clauses carried out by code that is not the backend's own; they are not applicable."""
    enforces: Literal["compile", "all"] = "compile"
    """Which validity clauses a validating backend checks: those a compiler can see, or run-time ones too."""
    profile: Profile = PRACTICE
    """What it declares, and is held to, where the specification leaves freedom."""
    sparse: int = 0
    """Bytes of the largest view of which it takes the windows alone; 0: it takes whole allocations only."""


class Reporter(Protocol):
    """The half of a backend that describes the device and its caps."""

    def describe(self) -> Description:
        """Name, version, roles, declared profile."""
        ...

    def caps(self, spec: str) -> Any | None:
        """The caps it reports for a specification (that specification's ``Caps``), or None: not supported."""
        ...


class Runner(Protocol):
    """The half of a backend that runs programs."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Execute ``program`` on every item of the batch and return *all* buffers, guard zones included.

        ``inputs`` must not be modified. Raises ``Refused`` for a program it does not accept.
        """
        ...


class Backend(Reporter, Runner, Protocol):
    """The full level of an adapter."""
