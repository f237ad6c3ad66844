"""Tables of where elements stand in a block of registers, one for all fragments that are alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.programs.register_kernels import Fragment

F = TypeVar("F", bound=Fragment)
Layout = Callable[[F, int], NDArray[np.int64]]
"""(fragment, lanes of a wave) -> places, whatever the fragment's name is and what it starts with."""


def made_once(layout: Layout[F]) -> Layout[F]:
    """The same, made once for each kind of vector; the tables are read-only."""

    @cache
    def made(fragment: F, lanes: int) -> NDArray[np.int64]:
        found = layout(fragment, lanes)
        found.setflags(write=False)
        return found

    @lru_cache(maxsize=1024)  # for the fragments of a program, asked for again and again: making one nameless is slow
    @wraps(layout)
    def known(fragment: F, lanes: int) -> NDArray[np.int64]:
        nameless: Any = replace(fragment, name="", fill=None)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
        return made(nameless, lanes)

    return cast("Layout[F]", known)
