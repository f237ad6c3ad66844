"""The adapter with one mistake, which mmaspec must find: the sign of A goes for B too."""

from collections.abc import Callable
from typing import Any

import adapter

right: Callable[..., Any] = adapter.mma


def mma(types: list[str], a: Any, b: Any, c: Any) -> Any:
    """A product for which mixed signs do not exist."""
    return right(types, a, b.view(a.dtype) if types[2] == "s32" else b, c)


adapter.mma = mma

if __name__ == "__main__":
    adapter.main()
