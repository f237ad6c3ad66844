"""Cases, programs and caps for property tests: ``mmaspec.strategies.cases``, ``programs`` and ``caps``.

The private modules draw the case lists of ``mmaspec check``.

One grammar per specification, driven by our own generator or by Hypothesis; data regimes, near misses, the reducer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmaspec.strategies.hypothesis_driver import caps, cases, programs

__all__ = ["caps", "cases", "programs"]


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)


if not TYPE_CHECKING:  # a type checker that saw this would take any name for one of ours

    def __getattr__(name: str) -> object:
        """The strategies on first use: importing Hypothesis takes longer than most commands run."""
        if name in __all__:
            from mmaspec.strategies import hypothesis_driver

            return getattr(hypothesis_driver, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
