"""Profiles: what is demanded where a specification leaves freedom, and on whose authority."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from msgspec import Struct

from mmaspec.oracle.numerics.rounding import Mode
from mmaspec.oracle.numerics.rules import FloatRules


class Pin(Struct, frozen=True, forbid_unknown_fields=True):
    """A reading that the implementation declares for one ambiguity."""

    ambiguity: str
    reading: str


class Profile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a run demands beyond the documents.

    ``None`` leaves a field to the specification's own practice (each specification's ``practice.py``).
    Sharper values are only ever declared by an implementation, which is then held to them.
    """

    name: str = "practice"
    subnormals: Literal["kept", "may-flush"] | None = None
    """``kept``: subnormal operands and results of floating-point sums must survive."""
    rounding: Literal["nearest-even"] | None = None
    """``nearest-even``: every product sum is the exact sum rounded once, to nearest, ties to even."""
    nan: Literal["required", "reported"] | None = None
    """Whether NaN operands, Inf x 0 and Inf - Inf must give NaN."""
    window: Literal["required", "reported"] | None = None
    """Whether sums of small integers must be exact (rule X of the float contract)."""
    pins: tuple[Pin, ...] = ()
    """Readings that the implementation declares; the others stay open."""

    def rules(self, practice: FloatRules) -> FloatRules:
        """The float rules of a specification's practice, sharpened by what this profile declares."""
        flush = self.subnormals != "kept" if self.subnormals else None
        return replace(
            practice,
            flush_inputs=practice.flush_inputs if flush is None else flush,
            flush_results=practice.flush_results if flush is None else flush,
            nan=self.nan or practice.nan,
            window=self.window or practice.window,
            rounding=Mode.NEAREST_EVEN if self.rounding else practice.rounding,
        )


PRACTICE = Profile()
"""The default: sound for every legal device (``docs/verdicts.md``)."""

PROFILES = {
    profile.name: profile
    for profile in (
        PRACTICE,
        Profile(name="ieee-subnormals", subnormals="kept"),
        Profile(
            name="correctly-rounded", subnormals="kept", rounding="nearest-even", nan="required", window="required"
        ),
    )
}
"""Profiles that can be named on the command line."""
