"""Axes that several specifications have: told once, under words of their own for clauses and structs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mmaspec.programs.errors import BadInput

if TYPE_CHECKING:
    from mmaspec.strategies.axes.space import Axis, Impossible, Space


class Sharing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"folder": "with"}):
    """Which axes a specification has in common with others, and what their words mean there.

    A group that the specification has no axis of its own for, and no shared one, is left out.
    """

    folder: str
    """The folder of ``strategies`` in whose ``axes/`` they are."""
    clauses: Mapping[str, tuple[str, ...]]
    """What an axis exercises -> the clauses that demand it; none, where the specification has no such demand."""
    fields: Mapping[str, str] = {}
    """Name of a struct, or of one field as ``Fragment.element``, in the shared axes -> name here; others are alike."""
    without: Mapping[str, str] = {}
    """``axis`` or ``axis=class`` that the specification does not share, with the reason."""


def adapted(whole: Space, sharing: Sharing, own: Iterable[str]) -> Space:
    """Shared axes as one specification has them; ``own`` are its groups. Raises ``BadInput`` for unknown words."""
    for name in sharing.without:
        axis, _, one = name.partition("=")
        if axis not in whole.axis or (one and one not in whole.axis[axis].classes):
            raise BadInput(f"shared axes: there is no {name} to be without")
    groups = {*whole.group, *own}
    axes = {
        name: _axis(name, axis, sharing, groups) for name, axis in whole.axis.items() if name not in sharing.without
    }
    rules = (_rule(rule, sharing) for rule in whole.impossible)
    return replace(whole, axis=axes, impossible=tuple(rule for rule in rules if rule is not None))


def _axis(name: str, axis: Axis, sharing: Sharing, groups: set[str]) -> Axis:
    clauses = dict.fromkeys(clause for word in axis.clauses for clause in _meant(word, sharing))
    classes = {one: what for one, what in axis.classes.items() if f"{name}={one}" not in sharing.without}
    return replace(
        axis,
        groups=tuple(group for group in axis.groups if group in groups),
        clauses=tuple(clauses),
        fields=tuple(_field(field, sharing) for field in axis.fields),
        classes=classes,
    )


def _field(field: str, sharing: Sharing) -> str:
    struct, _, name = field.partition(".")
    return sharing.fields.get(field, f"{sharing.fields.get(struct, struct)}.{name}")


def _meant(word: str, sharing: Sharing) -> tuple[str, ...]:
    if word not in sharing.clauses:
        raise BadInput(f"shared axes: no clauses are named for {word!r}")
    return sharing.clauses[word]


def _rule(rule: Impossible, sharing: Sharing) -> Impossible | None:
    """A rule without the classes that are not shared; nothing, if that is all of an axis."""
    together = [_kept(named, sharing) for named in rule.together]
    if not all(together):
        return None
    clause = _meant(rule.clause, sharing)[0] if rule.clause else ""
    return replace(rule, together=tuple(together), clause=clause)


def _kept(named: str, sharing: Sharing) -> str:
    axis, _, classes = named.partition("=")
    left = [one for one in classes.split("|") if not {axis, f"{axis}={one}"} & sharing.without.keys()]
    return f"{axis}={'|'.join(left)}" if left else ""
