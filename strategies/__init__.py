"""How programs are drawn: one grammar per specification, two drivers, data regimes, near misses, the reducer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmaspec.strategies.hypothesis_driver import cases as cases

__all__ = ["cases"]


def __getattr__(name: str) -> Any:
    """``cases`` on first use: importing Hypothesis takes longer than most commands run."""
    if name == "cases":
        from mmaspec.strategies.hypothesis_driver import cases

        return cases
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
