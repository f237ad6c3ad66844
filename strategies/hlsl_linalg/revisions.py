"""The two texts of the proposal, and what programs under either may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, Revision
from mmaspec.programs.hlsl_linalg.program import Scope

LATER: Revision = "later"
EARLIER: Revision = "2025-09-19"

_POWERS = (4, 8, 16, 32, 64, 128)
"""K of a Thread or Wave matrix in HLSL scalars."""
_MOST_OF_GROUP = 1024


def is_earlier(caps: LinalgCaps) -> bool:
    """Whether a device follows the text of 2025-09-19."""
    return caps.revision == EARLIER


def under(revision: Revision) -> Callable[[Row[Any], Any], bool]:
    """Whether a row's device follows one of the texts: where a form of a near miss is possible."""
    return lambda _, caps: bool(caps.revision == revision)


def allowed_extent(component: ComponentType, scope: Scope, extent: int) -> bool:
    """Whether rows or columns of a matrix stay inside the table of dimensions of the text of 2025-09-19.

    The table limits K alone or every extent (LINALG-AMB-04), and a packed type's are four times those of a scalar.
    """
    whole, left = divmod(extent, COMPONENTS[component].packed)
    if left:
        return False
    return 1 <= whole <= _MOST_OF_GROUP if scope == "ThreadGroup" else whole in _POWERS


def allowed_extents(scope: Scope, most: int, *components: ComponentType) -> tuple[int, ...]:
    """The extents up to ``most`` that matrices of all these types may have."""
    return tuple(
        one for one in range(1, most + 1) if all(allowed_extent(component, scope, one) for component in components)
    )
