"""Making a plan and its case list from the options of a user."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from mmaspec.backends.faults import faults_of
from mmaspec.backends.numpy.devices import device_of
from mmaspec.backends.protocol import Description, Reporter
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import SPECS, AnySpec, spec_named, specs_at_hand
from mmaspec.programs.canonical import canonical
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, case_list, grammar_of, tier_named
from mmaspec.strategies.exploration import explored_cases
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.planning.lists import Draw
from mmaspec.suites.planning.plan import TIME_LIMIT, Plan, case_list_hash, shard_of

AUTHORITIES = ("document", "practice", "profile")
"""How far a verdict reaches: published texts and what follows from them; also practice; also what was declared."""


LONGEST = 1_000_000
"""Seconds, the largest time limit: clocks and waits of every system can count as far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of ``mmaspec check``."""

    backend: str = "numpy"
    specs: tuple[str, ...] = ()
    profile: Profile | None = None
    """None: what the backend declares."""
    authority: str = "profile"
    tier: str = "smoke"
    seed: int = DEFAULT_SEED
    isolate: bool = False
    time_limit: float = TIME_LIMIT
    shard: str = ""
    """``I/N``; empty: the whole list."""
    explore: bool = True
    """Whether to go beyond the list, at a tier that does."""
    afresh: bool = False
    """Whether nothing that this user's earlier runs found is used, and no answer known as judged before."""


def check_names(wanted: Wanted) -> None:
    """Raise ``BadInput`` for an unknown specification, tier or authority."""
    for spec in wanted.specs:
        spec_named(spec)
    try:
        wanted.backend.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"backend {wanted.backend!r}: is not text in UTF-8, so no file can name it") from error
    if wanted.tier not in TIERS:
        raise BadInput(f"no tier named {wanted.tier!r}; there are {', '.join(TIERS)}")
    if wanted.authority not in AUTHORITIES:
        raise BadInput(f"no authority named {wanted.authority!r}; there are {', '.join(AUTHORITIES)}")
    if wanted.authority != "profile" and wanted.profile not in (None, PRACTICE):
        raise BadInput(
            f"authority {wanted.authority} leaves declared profiles out, so profile {wanted.profile.name} "
            "would not count; leave out one of them"
        )
    check_limit(wanted.time_limit)
    if wanted.shard:
        shard_of(wanted.shard)


def explores(wanted: Wanted) -> bool:
    """Whether a run has cases beyond its list."""
    return wanted.explore and tier_named(wanted.tier).explored > 0


def check_limit(seconds: float) -> None:
    """Raise ``BadInput`` for an unusable time limit."""
    if not 0 < seconds <= LONGEST:
        raise BadInput(f"time limit {seconds} s; expected more than 0 and at most {LONGEST}")


def effective(declared: Profile, asked: Profile | None, authority: str) -> Profile:
    """The profile that was asked for, else that of the backend; practice if declarations do not count.

    What breaks practice and no document is told apart afterwards (``Finding.practice_only``).
    """
    if authority != "profile":
        return PRACTICE
    return declared if asked is None else asked


def check_pins(profile: Profile, where: str) -> None:
    """Raise ``BadInput`` unless every ambiguity and reading that ``profile`` pins exists; ``where`` has it."""
    known = {name: entry for spec in specs_at_hand() for name, entry in spec.catalogue.ambiguity.items()}
    for pin in profile.pins:
        if pin.ambiguity not in known:
            there = ", ".join(sorted(name for name, entry in known.items() if not entry.decided))
            raise BadInput(f"{where}: pins {pin.ambiguity!r}; there are {there}")
        if known[pin.ambiguity].decided:
            raise BadInput(f"{where}: pins {pin.ambiguity}, which is decided; see mmaspec explain {pin.ambiguity}")
        if pin.reading not in known[pin.ambiguity].readings:
            options = ", ".join(sorted(known[pin.ambiguity].readings))
            raise BadInput(f"{where}: pins {pin.ambiguity} to {pin.reading!r}; there are {options}")


LONGEST_NAME = 200
"""Characters of a backend's name and of its version, which every report has."""
MOST_SAID = 1 << 20
"""Bytes of a description, and of caps, as JSON: they must fit into files that are read again."""
MOST_SPARSE = 1 << 40
"""Bytes of the largest view that a backend may say that it takes, as in the protocol."""


def check_size(description: Description, where: str) -> None:
    """Raise ``BadInput`` for a description that is too large for the files of a run."""
    for what, text in (("name", description.name), ("version", description.version)):
        if len(text) > LONGEST_NAME:
            raise BadInput(f"{where}: its {what} has {len(text)} characters; expected at most {LONGEST_NAME}")
    if not 0 <= description.sparse <= MOST_SPARSE:
        raise BadInput(f"{where}: sparse buffers of {description.sparse} bytes; expected 0 to {MOST_SPARSE}")
    check_bytes(description, where, "description")


def check_bytes(said: object, where: str, what: str) -> None:
    """Raise ``BadInput`` for anything that a backend says of itself at too great length, or not in UTF-8."""
    try:
        size = len(msgspec.json.encode(said))
    except UnicodeEncodeError as error:
        raise BadInput(f"{where}: its {what} is not text in UTF-8: {error}") from error
    if size > MOST_SAID:
        raise BadInput(f"{where}: its {what} has {size} bytes; expected at most {MOST_SAID}")


def check_borrowed(borrowed: Iterable[str], where: str) -> None:
    """Raise ``BadInput`` for a borrowed clause that no specification has: it would be judged after all."""
    known = {clause for spec in specs_at_hand() for clause in spec.catalogue.clause}
    if unknown := [clause for clause in borrowed if clause not in known]:
        raise BadInput(f"{where}: borrows {', '.join(unknown)}, which no specification has; see mmaspec clauses")


Explore = Callable[[str, Any, str, int, Collection[str]], tuple[Recipe, ...]]
"""(specification, caps, tier, seed, IDs of its list) -> cases beyond it, as ``explored_cases`` draws them."""


def prepare(
    wanted: Wanted, backend: Reporter, draw: Draw = case_list, explore: Explore = explored_cases
) -> tuple[Plan, tuple[Recipe, ...]]:
    """Ask the backend once for its description and caps, and enumerate the cases, explored ones last.

    A specification that the backend does not support stays in the plan without caps; so does a third party's that is
    broken, unless it was asked for by name. Raises ``BadInput``.
    """
    check_names(wanted)
    description = backend.describe()
    check_size(description, f"backend {wanted.backend}")
    check_pins(description.profile, f"backend {wanted.backend}")
    check_borrowed(description.borrowed, f"backend {wanted.backend}")
    found: dict[str, Listed] = {}
    broken: dict[str, str] = {}
    specs = tuple(sorted(set(wanted.specs))) or tuple(SPECS)
    for name in specs:
        try:
            listed = _listed(name, wanted, backend, draw)
        except BadInput as error:
            if wanted.specs or name in ours():
                raise
            broken[name] = str(error)
            continue
        if listed is not None:
            found[name] = listed
    recipes = tuple(recipe for listed in found.values() for recipe in listed.recipes)
    explored = tuple(
        recipe
        for name, listed in found.items()
        if explores(wanted) and listed.usable is not None
        for recipe in explore(name, listed.usable, wanted.tier, wanted.seed, {one.id for one in listed.recipes})
    )
    usable = {name: listed for name, listed in found.items() if listed.usable is not None}
    plan = Plan(
        backend=wanted.backend,
        isolate=wanted.isolate,
        time_limit=wanted.time_limit,
        description=description,
        profile=effective(description.profile, wanted.profile, wanted.authority),
        authority=wanted.authority,
        tier=wanted.tier,
        seed=wanted.seed,
        specs=specs,
        caps={name: listed.usable for name, listed in usable.items()},
        reported={name: listed.reported for name, listed in found.items()},
        not_covered={name: listed.not_covered for name, listed in found.items() if listed.not_covered},
        broken=broken,
        case_list=case_list_hash(recipe.id for recipe in recipes),
        explore=explores(wanted),
        cached=not wanted.afresh,
        code=code_hash(),
        shard=wanted.shard,
    )
    return plan, (*recipes, *explored)


@dataclass(frozen=True, slots=True)
class Listed:
    """The caps that a backend reported for a specification, and its cases."""

    reported: Any
    usable: Any | None
    """Without the rows that break a clause or cannot be judged; None where no row is left."""
    not_covered: dict[str, str]
    recipes: tuple[Recipe, ...]


def _listed(name: str, wanted: Wanted, backend: Reporter, draw: Draw) -> Listed | None:
    """The cases of one specification; None where the backend does not support it. Raises ``BadInput``."""
    spec = spec_named(name)
    faults_of(name)  # which judging needs: a third party's may be broken, and should say so now
    if not wanted.specs and name not in ours():  # a backend would say it in other words
        device_of(name)
        grammar_of(name)
    reported = backend.caps(name)
    if reported is None:
        return None
    if not isinstance(reported, spec.caps_type):
        raise BadInput(f"backend {wanted.backend}: caps for {name} are {type(reported).__name__}; expected {name} caps")
    reported = canonical(reported)
    check_bytes(reported, f"backend {wanted.backend}", f"caps for {name}")
    report = spec.reported(reported)
    usable = canonical(report.usable)
    not_covered = report.not_covered()
    rows = [row.name for row in spec.rows(usable)]
    if not rows:
        return Listed(reported, None, not_covered, ())
    recipes = draw(name, usable, wanted.tier, wanted.seed)
    if usable != report.claimed:
        recipes = tuple(recipe for recipe in recipes if _is_sound(spec, recipe, report.claimed))
    drawn = {recipe.row for recipe in recipes}
    not_covered |= {row: "no program of it could be drawn" for row in rows if row not in drawn}
    return Listed(reported, usable, not_covered, recipes)


def _is_sound(spec: AnySpec, recipe: Recipe, claimed: object) -> bool:
    """Whether a device may not support a near miss by a row that it reports, but that is not tested."""
    if not recipe.target:
        return True
    try:
        return recipe.target in spec.rejected(resolve(recipe.program, recipe.words), claimed)
    except BadInput:
        return False
