"""The products of a kernel: how many it executes, and the same change in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from mmaspec.programs.register_kernels import Fill, Load, Repeat, Store

P = TypeVar("P")


def is_product(step: Any) -> bool:
    """Whether an instruction is one that a specification multiplies with."""
    return not isinstance(step, (Load, Fill, Store, Repeat))


def executed(body: Sequence[Any]) -> int:
    """The number of products that the body executes."""
    return sum(step.count * executed(step.body) if isinstance(step, Repeat) else is_product(step) for step in body)


def with_calls(program: P, **changes: Any) -> P:
    """The program with the same change in every product."""

    def changed(steps: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            replace(step, body=changed(step.body))
            if isinstance(step, Repeat)
            else replace(step, **changes)
            if is_product(step)
            else step
            for step in steps
        )

    body: Any = changed(program.body)  # type: ignore[attr-defined]
    return replace(program, body=body)  # type: ignore[type-var]
