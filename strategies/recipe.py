"""Recipes: the small description from which a case of the list is made."""

from __future__ import annotations

from functools import cached_property, lru_cache

import msgspec
from msgspec import Struct

from mmaspec.oracle.case import Case, content_hash
from mmaspec.oracle.program_facts import facts_of
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Program, Word
from mmaspec.programs.canonical import canonical
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.input_file import strictly
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.regimes.catalogue import draw

CORPUS_VERSION = 4
"""Changes whenever a data regime gives other values for the same seed, so that no ID stands for two cases."""

_ENCODER = msgspec.json.Encoder(order="deterministic")


class Recipe(Struct, frozen=True, forbid_unknown_fields=True, dict=True, kw_only=True):
    """All that is needed to make a case again: the program as written, and how its data are drawn.

    ``target`` is the clause that a near miss breaks. ``labels`` say in words what was drawn.
    """

    spec: str
    revision: str
    row: str
    template: str
    program: Program
    caps: object
    words: tuple[Word, ...] = ()
    regime: str
    seed: int
    batch: int
    target: str = ""
    labels: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """Content hash of the recipe and of the corpus version, 16 hexadecimal digits."""
        return _identity(self.encoded)

    @cached_property
    def encoded(self) -> bytes:
        """As one line of JSON, the same bytes for the same recipe."""
        return _ENCODER.encode(canonical(self))


def _identity(encoded: bytes) -> str:
    return content_hash(b"%d %b" % (CORPUS_VERSION, encoded))


class _Stored(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A recipe whose program and caps are not decoded yet: their types depend on the specification."""

    spec: str
    revision: str
    row: str
    template: str
    program: msgspec.Raw
    caps: msgspec.Raw
    words: tuple[Word, ...] = ()
    regime: str
    seed: int
    batch: int
    target: str = ""
    labels: tuple[str, ...] = ()


def encode_recipe(recipe: Recipe) -> bytes:
    """A recipe as one line of JSON, the same bytes for the same recipe."""
    return recipe.encoded


def decode_recipe(data: bytes, where: str = "recipe", identity: str = "") -> Recipe:
    """Read a recipe strictly; ``where`` names it in messages. Raises ``BadInput``.

    ``identity`` is the ID that it should have: if these bytes have it, they need not be made again to know it.
    """
    with strictly(where, "a valid recipe"):
        stored = msgspec.json.decode(data, type=_Stored)
        spec = spec_named(stored.spec)
        of_programs: type[Program] = spec.program_type
        program = msgspec.json.decode(stored.program, type=of_programs)
        caps: object = msgspec.json.decode(stored.caps, type=spec.caps_type)
    rest = {name: getattr(stored, name) for name in Recipe.__struct_fields__ if name not in {"program", "caps"}}
    recipe = Recipe(program=program, caps=caps, **rest)
    if identity and _identity(data) == identity:
        vars(recipe).update(id=identity, encoded=data)
    return recipe


def products(program: Program) -> int:
    """An upper limit of the number of products that a program executes, so of the length of a chain of sums.

    Told by the names of the instructions, which say so in every specification; all instructions where
    none does.
    """
    names = [str(type(node).__struct_config__.tag) for _, node in unrolled(program)]
    return sum(map(_multiplies, names)) or len(names)


@lru_cache(maxsize=256)
def _multiplies(name: str) -> bool:
    return any(word in name for word in ("mul", "mma", "mac", "mad", "dot", "accumulate"))


def accumulator_of(tags: frozenset[str]) -> str | None:
    """The accumulator's format where a caps row's tags name it (``acc-f16``)."""
    return next((name for name in FORMATS if f"acc-{name}" in tags), None)


def materialise(recipe: Recipe) -> Case:
    """The case of a recipe: its data drawn by the regime, for the sources of its resolved program.

    A near miss whose broken program has no sources that make sense gets no values; it is never executed.
    """
    spec = spec_named(recipe.spec)
    facts = facts_of(spec, recipe.program, recipe.words, recipe.caps)
    program = facts.resolved
    try:
        sources = facts.sources
    except BadInput:
        if not recipe.target:
            raise
        sources = ()
    accumulator = accumulator_of(spec.row(recipe.caps, recipe.row).tags)
    values = draw(
        recipe.regime, recipe.seed, sources, recipe.batch, accumulator=accumulator, products=products(program)
    )
    return Case(
        spec=recipe.spec,
        row=recipe.row,
        template=recipe.template,
        program=recipe.program,
        caps=recipe.caps,
        batch=recipe.batch,
        values=values,
        words=recipe.words,
        target=recipe.target,
        origin=recipe.id,
        labels=recipe.labels,
    )
