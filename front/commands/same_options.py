"""Whether a run goes on under the options with which it was begun, and which of them differ if not."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.backends.given_caps import parted
from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.planning.plan import TIME_LIMIT, Plan
from mmaspec.suites.planning.prepare import Wanted, effective, explores


def check_same(plan: Plan, asked: Wanted, folder: str) -> None:
    """A run goes on only as what it was begun as. Raises ``BadInput`` with every option that differs.

    What is left out of the command and has no value of its own, such as ``--spec``, is as it was.
    """
    if differing := list(_differing(plan, asked)):
        told = "; ".join(f"{option}: {was} then, {now} now" for option, was, now in differing)
        raise BadInput(f"{folder}: holds a run begun with other options ({told}); repeat its options to resume")
    if plan.code != code_hash():
        raise BadInput(f"{folder}: holds a run begun by another version of mmaspec; finish it there, or start anew")


def _differing(plan: Plan, asked: Wanted) -> Iterator[tuple[str, str, str]]:
    """(option, what the earlier run had, what was given now) of each that is not as it was."""
    (was, was_caps), (now, now_caps) = parted(plan.backend), parted(asked.backend)
    if was != now:
        yield "--backend", was, now
    if was_caps != now_caps:
        yield "--caps", _files(was_caps), _files(now_caps)
    specs = tuple(sorted(set(asked.specs)))
    if specs and specs != tuple(sorted(plan.specs)):
        yield "--spec", ", ".join(sorted(plan.specs)), ", ".join(specs)
    for option, before, given in (
        ("--tier", plan.tier, asked.tier),
        ("--seed", str(plan.seed), str(asked.seed)),
        ("--authority", plan.authority, asked.authority),
        ("--shard", plan.shard or "none", asked.shard or "none"),
        ("--isolate", _given(plan.isolate), _given(asked.isolate)),
        ("--no-explore", _given(not plan.explore), _given(not explores(asked))),
    ):
        if option == "--no-explore" and plan.tier != asked.tier:
            continue  # one of the tiers may have no exploration at all
        if before != given:
            yield option, before, given
    profile = effective(plan.description.profile, asked.profile, asked.authority)
    if profile != plan.profile:
        another = " with other contents" if profile.name == plan.profile.name else ""
        yield "--profile", plan.profile.name, f"{profile.name}{another}"
    if asked.time_limit not in (TIME_LIMIT, plan.time_limit):
        yield "--time-limit", f"{plan.time_limit:g}", f"{asked.time_limit:g}"
    if asked.afresh and plan.cached:  # some of what was answered may have been known, so it would not be true
        yield "--afresh", "not given", "given"


def _given(given: bool) -> str:
    return "given" if given else "not given"


def _files(caps: dict[str, str]) -> str:
    return ", ".join(f"{spec}={path}" for spec, path in caps.items()) or "none"
