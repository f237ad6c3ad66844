"""Numbers of a class: those that an axis of the parameter space counts to it, in the steps that are legal."""

from __future__ import annotations

from functools import cache

from mmaspec.strategies.axes.space import space_of


@cache
def within(axis: str, name: str, step: int = 1) -> range:
    """The multiples of ``step`` in a class of an axis of numbers; of a wide class only those near its lower end.

    Memory is what is far away: the lower end of a class shows as much.
    """
    one = space_of("hlsl-wave-matrix").axis[axis].classes[name]
    assert one.least is not None, f"{axis} has no numbers"
    assert one.most is not None, f"{axis} has no numbers"
    first = -(-one.least // step) * step
    return range(first, min(one.most, one.least + max(one.least // 4, 512)) + 1, step)


def reaching(axis: str, most: int, step: int = 1) -> tuple[str, ...]:
    """The classes of an axis of numbers that have a number up to ``most``."""
    classes = space_of("hlsl-wave-matrix").axis[axis].classes
    return tuple(
        name
        for name, one in classes.items()
        if one.least is not None and one.least <= most and within(axis, name, step)
    )
