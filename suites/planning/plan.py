"""The plan of a run: every case that must be answered, written before the first one runs."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from mmaspec.backends.protocol import Description
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.programs.errors import BadInput, unwritable
from mmaspec.programs.input_file import read_plain, strictly
from mmaspec.programs.profile import Profile
from mmaspec.strategies.grammar import EXPLORATION
from mmaspec.strategies.recipe import Recipe, decode_recipe, encode_recipe
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.planning.manifest import write_whole

PLAN = "work/plan.json"
CASES = "work/plan.jsonl"
MAX_PLAN = 512 << 20
"""Largest of these files that is read, in bytes."""


Process = Literal["in-process", "isolated", "recorded"]
"""Where a backend runs: in the process that records its answers, and so trusted; in one of its own; somewhere else."""

TIME_LIMIT = 60.0
"""Seconds that one case may take, where no other limit is asked for."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of a run, as workers need them. ``backend`` is its name on the command line."""

    backend: str
    isolate: bool
    time_limit: float
    """Seconds that one case may take before it counts as hung."""
    description: Description
    profile: Profile
    authority: str
    tier: str
    seed: int
    specs: tuple[str, ...]
    caps: dict[str, Any]
    """Specification -> the caps under which its cases run: what was reported, without rows that cannot be tested."""
    reported: dict[str, Any] = {}
    """Specification -> all that the backend reported; what is not here reported just its ``caps``."""
    not_covered: dict[str, dict[str, str]] = {}
    """Specification -> reported row -> why no case of it can be judged."""
    broken: dict[str, str] = {}
    """A third party's specification that could not be used -> what is wrong with it."""
    case_list: str
    """Hash over the IDs of the list; explored cases are not in it."""
    explore: bool = False
    """Whether there are explored cases beyond the list."""
    code: str = ""
    """Hash of the sources that made the plan: results of two versions are never mixed."""
    shard: str = ""
    """``I/N``: only that share of the case list is answered here; empty: all of it."""
    recorded: tuple[str, str] | None = None
    """Folders of vectors and of the answers to them, where the backend ran somewhere else."""
    cached: bool = True
    """Whether what this user's earlier runs found is used and kept for later ones, and whether answers judged
    before are known: sensitivities, acceptances, results."""
    run: str = ""
    """Drawn anew for each run; every file of rows repeats it, so that the rows of two runs cannot mix."""
    listed: str = ""
    """SHA-256 of the case list's file."""
    digest: str = ""
    """SHA-256 of this plan with an empty digest, so that an edit is noticed."""

    @property
    def process(self) -> Process:
        """Where the backend runs: a program of its own is always apart."""
        if self.recorded is not None:
            return "recorded"
        return "isolated" if self.isolate or self.backend.startswith("cmd:") else "in-process"


class Planned(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the case list, or an explored case behind it."""

    id: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    test: str
    recipe: msgspec.Raw

    @property
    def explored(self) -> bool:
        """Whether it lies beyond the case list: it is run and told, and counts for no clause."""
        return self.test.split("/")[1:2] == [EXPLORATION]


def test_key(recipe: Recipe) -> str:
    """The test that runs a case: specification, template, datatype. No drawn value is in it."""
    return _test_of(recipe, _datatype(recipe))


def _test_of(recipe: Recipe, datatype: str) -> str:
    return f"{recipe.spec}/{recipe.template}/{datatype}"


def _datatype(recipe: Recipe) -> str:
    return spec_named(recipe.spec).row(recipe.caps, recipe.row).datatype


def _planned(recipes: Iterable[Recipe]) -> Iterator[Planned]:
    """The lines of a case list. Few rows are in it, and to look one up takes longer than to write a line."""
    known: dict[tuple[str, str, bytes], str] = {}
    for recipe in recipes:
        row = recipe.spec, recipe.row, msgspec.json.encode(recipe.caps)
        if row not in known:
            known[row] = _datatype(recipe)
        yield Planned(recipe.id, _test_of(recipe, known[row]), msgspec.Raw(encode_recipe(recipe)))


def spec_of(planned: Planned) -> str:
    """The specification of a planned case."""
    return planned.test.partition("/")[0]


def case_list_hash(ids: Iterable[str]) -> str:
    """Identity of a case list: 16 hexadecimal digits over its sorted IDs."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()[:16]


def write_plan(folder: Path, plan: Plan, recipes: Iterable[Recipe]) -> None:
    """Write ``plan.json`` and ``plan.jsonl`` into a run folder. Raises ``BadInput`` where that cannot be.

    The plan gets a ``run`` of its own, unless it has one.
    """
    cases = b"".join(msgspec.json.encode(planned) + b"\n" for planned in _planned(recipes))
    plan = replace(plan, run=plan.run or secrets.token_hex(8), listed=hashlib.sha256(cases).hexdigest())
    try:
        (folder / CASES).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / CASES, cases)
        # Last and whole, so that a run that was killed before can simply be begun again.
        write_whole(folder / PLAN, encode_plan(plan))
    except OSError as error:
        raise unwritable(folder, error) from error


def encode_plan(plan: Plan) -> bytes:
    """A plan as its file, with its digest: the same whether caps are typed, or data as in a plan that was read."""
    facts = msgspec.json.decode(msgspec.json.encode(replace(plan, digest="")))
    facts["digest"] = hashlib.sha256(msgspec.json.encode(facts, order="sorted")).hexdigest()
    return msgspec.json.format(msgspec.json.encode(facts, order="sorted"), indent=1)


def read_plan(folder: Path) -> Plan:
    """Read ``plan.json``. Raises ``BadInput`` if it is missing, was edited, or is another version's."""
    path = folder / PLAN
    data = read_plain(path, MAX_PLAN, links=False)
    try:
        plan = decode_plan(data, str(path))
    except BadInput:
        if _other_version(data):
            raise BadInput(
                f"{folder}: holds a run begun by another version of mmaspec; finish it there, or start anew"
            ) from None
        raise
    if encode_plan(plan) != data:
        raise BadInput(f"{path}: was cut or edited: it differs from its own digest")
    return plan


def decode_plan(data: bytes, where: str) -> Plan:
    """The plan in a file; whether it is as it was written is not looked at. Raises ``BadInput``."""
    with strictly(where, "a plan"):
        plan = msgspec.json.decode(data, type=Plan)
        for name, caps in (*plan.caps.items(), *plan.reported.items()):
            msgspec.convert(caps, type=spec_named(name).caps_type)
        if plan.shard:
            shard_of(plan.shard)
    return plan


class _Made(Struct):
    """What plans of every version have: by whom they were made."""

    code: str


def _other_version(data: bytes) -> bool:
    try:
        return msgspec.json.decode(data, type=_Made).code != code_hash()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False


def read_cases(folder: Path, plan: Plan) -> list[Planned]:
    """The case list of a run folder, in its order. Raises ``BadInput`` unless it is the one of its plan."""
    path = folder / CASES
    data = read_plain(path, MAX_PLAN, links=False)
    if hashlib.sha256(data).hexdigest() != plan.listed:
        raise BadInput(f"{path}: was cut or edited: it is not the case list of {PLAN}")
    with strictly(str(path), "a case list"):
        cases = [msgspec.json.decode(line, type=Planned) for line in data.splitlines()]
    if case_list_hash(planned.id for planned in cases if not planned.explored) != plan.case_list:
        raise BadInput(f"{path}: is not the case list of {PLAN}")
    return cases


def pending_here(plan: Plan, cases: Sequence[Planned]) -> list[Planned]:
    """The cases that this run folder has to answer: those of its shard, or all. Explored ones are the first shard's."""
    if not plan.shard:
        return list(cases)
    index, count = shard_of(plan.shard)
    return [planned for planned in cases if (0 if planned.explored else int(planned.id, 16) % count) == index - 1]


def shard_of(text: str) -> tuple[int, int]:
    """``2/4`` as two numbers. Raises ``BadInput`` unless there is such a shard."""
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise BadInput(f"shard {text!r}; expected I/N with I from 1 to N, and N at most 9999")
    return int(found[1]), int(found[2])


def reported_caps(plan: Plan, spec: AnySpec) -> Any | None:
    """The caps that the backend reported for a specification, decoded; None where it does not support it."""
    caps = plan.reported.get(spec.name, plan.caps.get(spec.name))
    return None if caps is None else msgspec.convert(msgspec.to_builtins(caps), type=spec.caps_type)


def recipe_of(planned: Planned) -> Recipe:
    """The recipe of a planned case; ``BadInput`` if it is not the one of that ID."""
    recipe = decode_recipe(bytes(planned.recipe), f"case {planned.id}", planned.id)
    if recipe.id != planned.id:
        raise BadInput(f"case {planned.id}: its recipe is that of case {recipe.id}")
    return recipe
