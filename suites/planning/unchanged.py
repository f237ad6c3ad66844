"""Whether a backend is still the one for which a plan was made."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from mmaspec.backends.protocol import Reporter
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.plan import Plan, Planned, recipe_of, test_key
from mmaspec.suites.planning.prepare import Wanted, prepare

_OWN = ("run", "listed", "digest", "cached", "recorded", "not_covered")
"""What a plan has beyond what options, backend and code decide. What is not covered follows from caps and cases."""


def check_unchanged(plan: Plan, cases: Sequence[Planned], asked: Wanted, backend: Reporter, where: str) -> None:
    """Plan once more for the cases of ``plan``; ``BadInput`` with what differs unless the same plan comes out.

    ``asked`` has the options with which the plan was made.
    """
    listed: dict[str, list[Recipe]] = {}
    explored: dict[str, list[Recipe]] = {}
    for planned in cases:
        recipe = recipe_of(planned)
        if planned.test != test_key(recipe):
            raise BadInput(f"{where}: case {planned.id} is listed for another test than its own")
        (explored if planned.explored else listed).setdefault(recipe.spec, []).append(recipe)
    asked = _with_specs(asked, plan)
    now, _ = prepare(
        asked,
        backend,
        lambda spec, *_: tuple(listed.get(spec, ())),
        lambda spec, *_: tuple(explored.get(spec, ())),
    )
    was, is_now = _facts(plan), _facts(replace(now, **{name: getattr(plan, name) for name in _OWN}))
    if found := _first_difference(was, is_now, ""):
        raise BadInput(f"{where}: {found}; a run goes on only with the backend with which it was begun")


def _with_specs(asked: Wanted, plan: Plan) -> Wanted:
    specs = () if plan.broken else plan.specs  # a broken one is reported only where none was asked for by name
    return dataclasses.replace(asked, specs=specs, time_limit=plan.time_limit, shard=plan.shard)


def _facts(plan: Plan) -> Any:
    """As data, in which order does not matter: as its file has it."""
    return msgspec.json.decode(msgspec.json.encode(replace(plan, specs=tuple(sorted(plan.specs)))))


def _first_difference(was: Any, now: Any, place: str) -> str:
    """Where two documents differ first, and what stands there in each; empty if they are equal."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name in sorted(was.keys() | now.keys()):
            if found := _first_difference(was.get(name), now.get(name), f"{place}.{name}" if place else name):
                return found
        return ""
    if was == now:
        return ""
    return f"{place} was {_shown(was)}, and is now {_shown(now)}"


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 120 else f"{text[:117]}..."
