"""Loads that see the bytes as something else than the store before them had."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.intel_subgroup_mma.program import Fragment
from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.touched import touched_of


def _reinterpreted(subject: Subject, thing: Thing) -> Answer:
    """Of a load the store before it; of a store the loads after it; of a sequence its loads."""
    touched = touched_of(subject)
    if thing.group == "sequence":
        loads = [event for event in thing.of.loads if touched.source(event)]
    elif isinstance(thing.of.step, Store):
        loads = [event for event in flow_of(subject).loads if touched.source(event) is thing.of]
    else:
        loads = [thing.of] if touched.source(thing.of) else []
    return {name for event in loads for name in _kinds(subject, event)} or None


def _kinds(subject: Subject, load: Event) -> Iterator[str]:
    touched = touched_of(subject)
    source = touched.source(load)
    assert source is not None
    program = subject.program
    stored: Fragment = program.fragment(touched.of[source.turn][0].fragment.name)
    loaded: Fragment = program.fragment(touched.of[load.turn][0].fragment.name)
    if stored.use != loaded.use:
        yield f"{stored.use}-as-{loaded.use}"
    if stored.holds != loaded.holds:
        yield "other-elements"
    if stored.component != loaded.component:
        yield "other-sign"
    if (stored.use, stored.holds, stored.component) == (loaded.use, loaded.holds, loaded.component):
        yield "no"


LOOKS: dict[str, Look] = {"reinterpreted": _reinterpreted}
