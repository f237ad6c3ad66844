"""Integer sums that leave their range in every pass of a loop, or in some of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Kernel
from mmaspec.strategies.register_kernels.builder import Flags

PASSES = {"two": 2, "four": 4}
"""Classes of ``repeat-count``."""

FlagsOf = Callable[[Chosen], tuple[Flags, Flags]]
"""The flags of a product of a case, and of the one that goes on from it."""


def overflowing(make: type[Kernel], flags_of: FlagsOf, context: DrawContext[Any], chosen: Chosen) -> Draft:
    """One product in a loop, stored in every pass, and another one that goes on from it.

    It has the axes ``repeat-count``, ``c-source`` (``result`` or ``loaded``) and ``neighbour`` (``none`` or others).
    """
    kernel = make(context, context.choices.weighted(((3, 1), (1, 2))))
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    passes, (flags, others) = PASSES[chosen["repeat-count"]], flags_of(chosen)
    carried = chosen["c-source"] == "result"
    if carried:
        kernel.add(kernel.load("c", "C", "in-c"))
    body: list[Any] = [kernel.load(name, name.upper(), f"in-{name}", passes, by_loop=True) for name in "ab"]
    if not carried:
        body.append(kernel.load("c", "C", "in-c", passes, by_loop=True))
    d = "c" if carried else "d"
    body += [kernel.product(d, "a", "b", "c", flags), kernel.store(d, "out", passes, by_loop=True)]
    if chosen["neighbour"] != "none":
        kernel.fragments(e="cd")
        body += [kernel.product("e", "a", "b", d, others), kernel.store("e", "next", passes, by_loop=True)]
    kernel.add(kernel.repeat(passes, body))
    return kernel.draft("overflow", batch=6)
