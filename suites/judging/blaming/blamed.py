"""The clauses that are to blame for a failure, how they were found, and what it goes away with."""

from __future__ import annotations

from dataclasses import dataclass, field

from mmaspec.backends.protocol import Runner
from mmaspec.programs.base import Place
from mmaspec.suites.judging.blaming.culprit import Beside
from mmaspec.suites.judging.blaming.removed import Removed
from mmaspec.suites.judging.blaming.stays import Stays

SLIGHT = "a slight error"
"""How the clause is blamed that leaves open how accurate sums are."""
UNOBSERVED = "not observed"
"""How clauses are blamed where no program that stores intermediate results was taken."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The blamed clauses, the most likely first; how they were found; the first wrong instruction."""

    clauses: tuple[str, ...]
    how: str
    place: Place | None = None
    own: tuple[str, ...] = ()
    """Clauses of the first wrong step, where it could be located."""
    only: tuple[str, ...] = ()
    """What it goes away with."""
    instead: str = ""
    """What the failure goes away with, where one ablation of the wrong instruction removes it: in its text."""
    pattern: str = ""
    """Which legal values stand in the wrong places."""
    where: str = ""
    """The rows or columns in which alone something is wrong, of a tile in which that are few."""
    otherwise: tuple[str, ...] = ()
    """The clauses without what a counterfactual says that leaves the same bytes, where it says something else."""
    unrun: tuple[str, ...] = field(default=())
    """Variations that the backend did not take."""
    removed: Removed | None = field(default=None, repr=False)
    """The ablation that is told in ``instead``: whatever else is wrong as the backend is goes away with it as well."""
    beside: Beside | None = field(default=None, repr=False)
    """The probes that were run: whatever is wrong as the backend is fails the same ones."""

    stays: tuple[Stays, ...] = field(default=(), repr=False)
    """Simpler programs that are wrong as well: whatever is wrong as the backend is fails them."""

    def unlike(self, backend: Runner) -> bool:
        """Whether another backend that leaves the same bytes is wrong for another reason, as variations show."""
        told = self.beside is not None and self.beside.unlike(backend)
        told = told or (self.removed is not None and self.removed.leaves(backend))
        return told or any(one.unlike(backend) for one in self.stays)
