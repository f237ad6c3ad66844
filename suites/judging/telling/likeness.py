"""Which counterfactuals leave the bytes that a backend left: the likely causes of a failure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np

from mmaspec.backends.faults import faults_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.oracle.case import Case
from mmaspec.suites.judging.ask import Answer
from mmaspec.suites.judging.sensitivity import made

Reproduced = Callable[[Fault], bool]
"""Whether a counterfactual leaves the bytes that the backend left, in the whole batch and all runs."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The counterfactuals that explain a failure, those of the clauses most suspected first.

    In few values many mistakes look alike. So one is claimed as the cause only where no other explains the failure.
    """

    faults: tuple[Fault, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What the backend may behave as if, each once."""
        return tuple(dict.fromkeys(fault.behaves_as_if for fault in self.faults))

    @property
    def cause(self) -> str:
        """The only one of these, if it is; else empty."""
        return self.texts[0] if len(self.texts) == 1 else ""

    @property
    def candidates(self) -> tuple[str, ...]:
        """All of these, where there are several."""
        return self.texts if len(self.texts) > 1 else ()

    @property
    def clauses(self) -> frozenset[str]:
        """The clauses that they break."""
        return frozenset(fault.clause for fault in self.faults)

    @property
    def clause(self) -> str:
        """The clause that all of them break; empty if they break several."""
        return "" if len(self.clauses) != 1 else next(iter(self.clauses))


def alike(
    case: Case,
    answer: Answer,
    item: int,
    tried: Iterable[Fault],
    reproduced: Reproduced,
) -> Likeness:
    """Those of some counterfactuals that leave every observed byte.

    Batch item ``item`` of the first answer is compared alone, before the whole batch is ``reproduced`` in all runs.
    """
    return Likeness(tuple(fault for fault in tried if _same_item(fault, case, answer, item) and reproduced(fault)))


def in_question(
    case: Case, clauses: Iterable[str], borrowed: Collection[str], unknown: Collection[str]
) -> tuple[Fault, ...]:
    """The counterfactuals of some clauses, in the order of these."""
    order = {clause: rank for rank, clause in enumerate(dict.fromkeys(clauses)) if clause not in borrowed}
    found = (
        fault
        for fault in faults_of(case.spec)
        if fault.clause in order and fault.name not in unknown and fault.misreports is None
    )
    return tuple(sorted(found, key=lambda fault: (order[fault.clause], fault.name)))


def _same_item(fault: Fault, case: Case, answer: Answer, item: int) -> bool:
    one = slice(item, item + 1)
    before = {name: image[one] for name, image in answer.before.items()}
    try:
        reply = made(fault, case.caps).run(case.spec, case.program, before)
    except Exception:  # noqa: BLE001 - a counterfactual may break down where the backend did not
        return False
    return all(np.array_equal(reply[name], image[one]) for name, image in answer.after.items())
