"""Published texts beside the document itself, on which a clause may rest: companions, originals, language texts."""

from __future__ import annotations

from msgspec import Struct


class Publication(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One text, so that a reader can find the very edition that a clause speaks of."""

    publisher: str
    title: str
    revision: str
    """A revision, version, release or commit, with its date where that tells more."""
    address: str = ""
    """Where it is published, such as a repository."""

    def flaw(self) -> str:
        """What is missing for a reader to find it; empty if nothing is."""
        for field in ("publisher", "title", "revision"):
            if not getattr(self, field):
                return f"has no {field}"
        return ""

    @property
    def named(self) -> str:
        """Title, edition and publisher in one line."""
        return f"{self.title}, {self.revision} ({self.publisher})"
