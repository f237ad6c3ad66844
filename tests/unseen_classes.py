"""What is asked of an observer's reasons for what it does not see."""

from __future__ import annotations

from collections.abc import Set

from mmaspec.strategies.axes.observation import Observer
from mmaspec.strategies.axes.space import Space


def every_axis_is_seen_or_unseen(space: Space, observer: Observer) -> None:
    """An axis has a look, or a reason why it has none."""
    whole = {name for name in observer.unseen if "=" not in name}
    assert observer.looks.keys() | whole == space.axis.keys()
    assert not observer.looks.keys() & whole


def exists_and_has_a_reason(space: Space, observer: Observer, name: str) -> None:
    """``axis``, ``axis=class`` or ``group/axis=class``, with some words."""
    written, _, one = name.partition("=")
    group, _, axis = written.rpartition("/")
    assert axis in space.axis
    assert not group or group in space.axis[axis].groups
    assert not one or one in space.axis[axis].classes
    assert observer.unseen[name].strip()


def not_all_classes_are_unseen(space: Space, observer: Observer, but: Set[str] = frozenset()) -> None:
    """A look of which no class is ever seen is none."""
    for axis in observer.looks.keys() - but:
        assert any(f"{axis}={one}" not in observer.unseen for one in space.axis[axis].classes), axis
