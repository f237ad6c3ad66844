"""Points on which a document can be read in several ways: readings that are kept open, or a decision of ours."""

from __future__ import annotations

from msgspec import Struct


class Ambiguity(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A point on which a document can be read in several defensible ways.

    Where several of them can be executed, every one is kept, in ``readings``: one has to explain a whole run.
    Where only one can, it is a ``decision`` of ours with its ``reason``; no run can show anything about it.
    """

    statement: str
    readings: dict[str, str] = {}
    """Name of each executable reading and what it says; two or more, or none for a decision."""
    default: str = ""
    """The reading used where one must be shown (``expect``); the judge tries them all. Empty for a decision."""
    clause: str = ""
    """The clause that fails when no reading explains a run (empty: cannot fail)."""
    decision: str = ""
    """The only reading that is executed; empty where there are ``readings``."""
    reason: str = ""
    """Why it is the only one, for a decision."""

    @property
    def decided(self) -> bool:
        """Whether it is a decision of ours, and not open to a run."""
        return bool(self.decision)

    def flaw(self) -> str:
        """What is wrong with an entry that is neither a decision with its reason nor a choice of readings; or empty."""
        if self.decision or self.reason:
            if not self.decision:
                return "has a reason and no decision"
            if not self.reason:
                return "has a decision and no reason"
            if self.readings or self.default or self.clause:
                return "is a decision, which has no readings, no default and no clause that could fail"
            return ""
        if len(self.readings) < 2:
            found = ", ".join(self.readings) or "no reading"
            return f"has {found}; expected two readings or more, or a decision and its reason"
        if self.default not in self.readings:
            return f"has the default {self.default!r}, which is none of its readings"
        return ""
