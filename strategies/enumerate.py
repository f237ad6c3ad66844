"""The case list of a tier: a pure function of (specification revision, caps, tier, seed, corpus version)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import AnySpec, Row, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import blaming, ours, part, specification
from mmaspec.strategies.array import ROW, instead, tuples
from mmaspec.strategies.choices import Choices, Counted
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext, Grammar, Template, flaws, forms_of
from mmaspec.strategies.recipe import Recipe

DEFAULT_SEED = 20_240_901
"""The seed of every run that names no other: gates compare runs of the same list."""

ATTEMPTS = 20
"""How many draws a template or a near miss gets before it counts as having nothing for a row."""

FREE, NEAR_MISS = "free", "near-miss"

Turn = tuple[int, int]
"""The number of a form of a near miss, and how often it was listed in that row before."""


@dataclass(frozen=True, slots=True)
class Tier:
    """The number of cases of a row: ``factor`` times each template's weight, ``near_misses`` per validity clause.

    Of a clause that is broken in several forms there are more where the rows are too few to show each form once.
    Framed and free cases come on top, as many as make them about 25 % and 5 % of the positive cases.
    """

    factor: int
    near_misses: int
    strength: int = 2
    """How many classes of an array meet in each combination; 0: no arrays."""
    sparing: bool = False
    """Whether classes that take long to run meet only some others."""
    framed: int = 25
    free: int = 5
    explored: int = 0
    """How many random cases of a specification are run beyond the list; they count for no clause."""

    @property
    def plain(self) -> int:
        """Templates as they are, in percent of the positive cases."""
        return 100 - self.framed - self.free


TIERS: Mapping[str, Tier] = MappingProxyType(
    {
        "quick": Tier(1, 1, 0),
        "smoke": Tier(1, 1, sparing=True),
        "standard": Tier(8, 4, 3, sparing=True, explored=200),
        "thorough": Tier(64, 16, 3, explored=2000),
    }
)


class GrammarError(RuntimeError):
    """A grammar breaks its promises: a mistake in mmaspec, not of a user or a device."""


class NothingDrawn(GrammarError):
    """A near miss has nothing to break in a row. That is no mistake where the caps leave nothing."""


@cache
def grammar_of(spec_name: str) -> Grammar:
    """The grammar of a specification, found by import: this module may not depend on those beside it.

    Raises ``BadInput`` for an unknown specification or a third party's that is broken.
    """
    return part(
        spec_name, "strategies", "GRAMMAR", Grammar, lambda found: flaws(found, spec_named(spec_name).catalogue)
    )


def closure(catalogue: Catalogue, target: str) -> frozenset[str]:
    """The clauses that a breach of ``target`` always breaks: itself and, in turn, what it entails."""
    found: set[str] = set()
    waiting = [target]
    while waiting:
        clause = waiting.pop()
        if clause not in found:
            found.add(clause)
            waiting.extend(catalogue.clause[clause].entails)
    return frozenset(found)


def templates_of(grammar: Grammar, row: Row[object]) -> tuple[Template, ...]:
    """The templates that have programs in a row, in order."""
    return tuple(template for template in grammar.templates if template.meets(row))


def case_list(spec_name: str, caps: object, tier: str, seed: int = DEFAULT_SEED) -> tuple[Recipe, ...]:
    """Every recipe of a tier, each once: per row its templates, framed and free programs, near misses.

    Raises ``BadInput`` for an unknown tier, and under the caps of ``Spec.devices`` ``GrammarError`` where the grammar
    breaks its promises. Under other caps a case that cannot be made is left out: a device with one datatype,
    say, has no program that mixes two.
    """
    tier_named(tier)
    rows = spec_named(spec_name).rows(caps)
    return once(recipe for row in rows for recipe in row_cases(spec_name, caps, tier, seed, row.name))


def whole_list(spec_name: str, tier: str, seed: int = DEFAULT_SEED) -> tuple[Recipe, ...]:
    """The lists of every device that it takes to have all rows: that of the default caps first.

    Raises what `case_list` raises.
    """
    return once(recipe for caps in spec_named(spec_name).devices for recipe in case_list(spec_name, caps, tier, seed))


def row_cases(spec_name: str, caps: object, tier: str, seed: int, row_name: str) -> tuple[Recipe, ...]:
    """The recipes of one row of a tier. Raises what `case_list` raises.

    What other rows have does not matter but for the forms of near misses, which are spread over the rows.
    """
    wanted = tier_named(tier)
    spec = spec_named(spec_name)
    lister = Lister(spec, grammar_of(spec_name), caps, seed, strict=caps in spec.devices)
    row = spec.row(caps, row_name)
    with blaming(spec_name, f"{specification(spec_name).module('strategies')}.GRAMMAR"):
        return (*lister.positive(row, wanted), *lister.arrays(row, wanted), *lister.near_misses(row, wanted))


def tier_named(name: str) -> Tier:
    """The tier of that name. Raises ``BadInput`` where there is none."""
    if name not in TIERS:
        raise BadInput(f"no tier named {name!r}; there are {', '.join(TIERS)}")
    return TIERS[name]


def once(recipes: Iterable[Recipe]) -> tuple[Recipe, ...]:
    """Each recipe once, in the order given."""
    unique: dict[str, Recipe] = {}
    for recipe in recipes:
        unique.setdefault(recipe.id, recipe)
    return tuple(unique.values())


@cache
def arrays_of(spec_name: str) -> Mapping[str, Array]:
    """The arrays of a specification, by name."""
    return {array.name: array for array in grammar_of(spec_name).arrays}


@cache
def _tuples(spec_name: str, caps: object, array: str, strength: int, sparing: bool) -> tuple[Chosen, ...]:
    """What the cases of an array have; worked out once, and then shared by all rows."""
    return tuples(arrays_of(spec_name)[array], caps, spec_named(spec_name).rows(caps), strength, sparing=sparing)


@dataclass(frozen=True, slots=True)
class Lister:
    """Draws recipes under one specification, grammar, table of caps and seed."""

    spec: AnySpec
    grammar: Grammar
    caps: object
    seed: int
    strict: bool = True
    """Whether a case that cannot be made is an error."""

    def kept(self, make: Callable[[], Recipe | None]) -> Recipe | None:
        """The result of ``make``; None if the grammar breaks a promise and that is not an error."""
        try:
            return make()
        except GrammarError:
            if self.strict:
                raise
            return None

    def choices(self, row: Row[object], *rest: object) -> Counted:
        """The choices of one case: keyed by what the case is, never by what was drawn before it."""
        key = (self.seed, self.spec.name, self.spec.catalogue.revision, row.name, *rest)
        return Counted("/".join(str(part) for part in key))

    def context(self, choices: Choices, row: Row[object]) -> DrawContext[Any]:
        """The context for one draw of a row."""
        return DrawContext(choices, row, self.caps)

    def positive(self, row: Row[object], tier: Tier) -> Iterator[Recipe]:
        """Valid and defined cases of a row: plain, framed, free."""
        plain = 0
        for template in templates_of(self.grammar, row):
            for n in range(template.weight * tier.factor):
                recipe = self.kept(partial(self.case, row, template, n))
                if recipe is None:
                    continue
                yield recipe
                plain += 1
                # Spread evenly over the templates, and from another start in every row.
                turn = plain * tier.framed + sum(row.name.encode())
                if turn % tier.plain < tier.framed:
                    framed = self.kept(partial(self.case, row, template, n, framed=True))
                    if framed is not None:
                        yield framed
        for n in range(-(-plain * tier.free // tier.plain)):
            if free := self.kept(partial(self.free, row, n)):
                yield free

    def arrays(self, row: Row[object], tier: Tier) -> Iterator[Recipe]:
        """Cases in which the classes of arrays meet."""
        if not tier.strength:
            return
        for name, array in arrays_of(self.spec.name).items():
            every = _tuples(self.spec.name, self.caps, name, tier.strength, tier.sparing)
            for chosen in every:
                if chosen[ROW] != row.name:
                    continue
                if recipe := self.kept(partial(self.met, row, array, chosen)):
                    yield recipe
                    continue
                known = list(every)
                for others in instead(array, self.caps, row, chosen, known, tier.strength, sparing=tier.sparing):
                    for other in others:
                        if recipe := self.kept(partial(self.met, row, array, other)):
                            known.append(other)
                            yield recipe
                            break

    def met(self, row: Row[object], array: Array, chosen: Chosen) -> Recipe | None:
        """The case of an array with the chosen classes; None where it finds no program for them."""
        for attempt in range(ATTEMPTS):
            told = sorted(chosen.items())
            choices = self.choices(row, array.name, told, *((attempt,) if attempt else ()))
            draft = array.build(self.context(choices, row), chosen)
            if draft is not None:
                return self.recipe(row, array.name, draft, choices)
        return None

    def free(self, row: Row[object], n: int) -> Recipe:
        """The n-th free program of a row."""
        choices = self.choices(row, FREE, n)
        return self.recipe(row, FREE, self.grammar.free(self.context(choices, row)), choices, labels=(FREE,))

    def case(self, row: Row[object], template: Template, n: int, *, framed: bool = False) -> Recipe | None:
        """The n-th case of a template; None where it finds no program for this row."""
        label = ("framed",) if framed else ()
        for attempt in range(ATTEMPTS):
            choices = self.choices(row, template.name, n, *label, *((attempt,) if attempt else ()))
            context = self.context(choices, row)
            draft = template.build(context)
            if draft is None:
                continue
            if framed:
                draft = self.grammar.frame(context, draft)
            return self.recipe(row, template.name, draft, choices, labels=label)
        return None

    def recipe(
        self,
        row: Row[object],
        template: str,
        draft: Draft,
        choices: Counted,
        *,
        labels: tuple[str, ...] = (),
        target: str = "",
    ) -> Recipe:
        """A draft with a seed for its data. ``GrammarError`` if a positive case is rejected or undefined."""
        if not target:
            program = resolve(draft.program, draft.words)
            which = f"{self.spec.name}: {' '.join((*labels, template))} in row {row.name}"
            try:
                broken = self.spec.rejected(program, self.caps) or self.spec.undefined(program, self.caps)
            except BadInput as error:
                if self.spec.name not in ours():  # what is wrong with a third party's package is told as it is
                    raise
                # Nothing was put in: the program is ours.
                raise GrammarError(f"{which} is not well-formed: {error}") from error
            if broken:
                raise GrammarError(f"{which} breaks {', '.join(sorted(broken))}")
        return Recipe(
            spec=self.spec.name,
            revision=self.spec.catalogue.revision,
            row=row.name,
            template=template,
            program=draft.program,
            caps=self.caps,
            words=draft.words,
            regime=draft.regime,
            seed=choices.integer(0, (1 << 63) - 1),
            batch=draft.batch,
            target=target,
            labels=(draft.regime, *labels),
        )

    def near_misses(self, row: Row[object], tier: Tier) -> Iterator[Recipe]:
        """Cases that break one validity clause, and what it entails, and nothing else."""
        for clause in self.grammar.near_misses:
            if not self.spec.catalogue.applies(clause, row.tags):
                continue
            own, others = self.forms(row, clause, tier)
            missing = max(len(own), tier.near_misses)
            for form, n in (*own, *others):
                if missing and (recipe := self.kept(partial(self.near_miss, row, clause, n, form))):
                    missing -= 1
                    yield recipe

    def forms(self, row: Row[object], clause: str, tier: Tier) -> tuple[list[Turn], list[Turn]]:
        """The forms of a near miss that only this row has to show, and those to go on with; numbers, each with a turn.

        Every form has one of the rows that can have it as its own, so that all are listed whatever rows there are.
        """
        forms = forms_of(self.grammar.near_misses[clause])
        rows = [other for other in self.spec.rows(self.caps) if self.spec.catalogue.applies(clause, other.tags)]
        names = [[other.name for other in rows if form.fits(other, self.caps)] for form in forms]
        possible = [number for number, found in enumerate(names) if row.name in found]
        own = [(number, 0) for number in possible if names[number][number % len(names[number])] == row.name]
        # From another start in every row, as there may be more rows than forms.
        start = [other.name for other in rows].index(row.name) % max(len(possible), 1)
        turned = possible[start:] + possible[:start]
        others = [(number, n) for n in range(tier.near_misses) for number in turned if (number, n) not in own]
        return own, others

    def near_miss(self, row: Row[object], clause: str, n: int, form: int | None = None) -> Recipe:
        """The n-th near miss of a clause, of one form or of any.

        Raises ``GrammarError`` if no draw breaks just what it should.
        """
        near_miss = self.grammar.near_misses[clause]
        forms = forms_of(near_miss)
        chosen = None if form is None else forms[form]
        change, name = (near_miss, "") if chosen is None else (chosen.change, chosen.name)
        key: tuple[object, ...] = (n,) if form is None or len(forms) == 1 else (f"form-{name or form}", n)
        wanted = closure(self.spec.catalogue, clause)
        last: frozenset[str] | None = None
        for attempt in range(ATTEMPTS):
            choices = self.choices(row, NEAR_MISS, clause, *key, *((attempt,) if attempt else ()))
            context = self.context(choices, row)
            draft = change(context, self.grammar.near_miss_base(context))
            if draft is None:
                continue
            last = self.spec.rejected(resolve(draft.program, draft.words), self.caps)
            if last == wanted:
                labels = (NEAR_MISS, name) if name else (NEAR_MISS,)
                return self.recipe(row, NEAR_MISS, draft, choices, labels=labels, target=clause)
        which = f" ({name})" if name else ""
        about = f"{self.spec.name}: no near miss of {clause}{which} in row {row.name} after {ATTEMPTS} draws"
        if last is None:
            raise NothingDrawn(f"{about}; nothing to break was drawn")
        raise GrammarError(f"{about}; the last one broke {', '.join(sorted(last)) or 'nothing'}")
