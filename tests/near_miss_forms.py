"""What is asked of the forms in which the near misses of a specification break its clauses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import ATTEMPTS, closure, grammar_of
from mmaspec.strategies.grammar import Draft, DrawContext, Form, forms_of
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list


def near_misses(spec_name: str, *devices: Any) -> tuple[Recipe, ...]:
    """Those of the smoke lists of devices with these caps; of one with the default caps if none are given."""
    found = [case_list(spec_name, caps, "quick") for caps in devices or (spec_named(spec_name).default_caps,)]
    return tuple(recipe for recipes in found for recipe in recipes if recipe.target)


def not_listed(spec_name: str, recipes: tuple[Recipe, ...]) -> set[tuple[str, str]]:
    """Clause and form of what smoke lists do not show, or show under no name."""
    shown = {(recipe.target, recipe.labels[-1]) for recipe in recipes}
    forms = grammar_of(spec_name).near_misses.items()
    for _, near_miss in forms:
        names = [form.name for form in forms_of(near_miss)]
        assert all(names)
        assert len(names) == len(set(names))
    return {(clause, form.name) for clause, near_miss in forms for form in forms_of(near_miss)} - shown


def drawn(spec_name: str, caps: object, row: Row[Any], form: Form, key: str) -> Draft | None:
    """What a form makes of the draft of a key; None where it finds nothing in it."""
    context = DrawContext(Counted(key), row, caps)
    return form.change(context, grammar_of(spec_name).near_miss_base(context))


def flaws(spec_name: str, device: object = None) -> Iterator[str]:
    """What is wrong with the forms, each in every row that it is for, all of a clause made from the same drafts.

    ``device`` are caps (None: the default ones).

    A form has to break its clause and what that entails; to find something to break in some draft; and to make
    another program of it than every other form of the clause.
    """
    spec = spec_named(spec_name)
    caps = spec.default_caps if device is None else device
    for clause, near_miss in grammar_of(spec_name).near_misses.items():
        wanted = closure(spec.catalogue, clause)
        for row in spec.rows(caps):
            fitting = [form for form in forms_of(near_miss) if form.fits(row, caps)]
            if not spec.catalogue.applies(clause, row.tags):
                continue
            made: dict[object, str] = {}
            for form in fitting:
                drafts = (drawn(spec_name, caps, row, form, f"{row.name}/{clause}/{n}") for n in range(ATTEMPTS))
                number, draft = next(((n, draft) for n, draft in enumerate(drafts) if draft is not None), (0, None))
                if draft is None:
                    yield f"{clause} in {row.name}: nothing to break: {form.name}"
                    continue
                program = resolve(draft.program, draft.words)
                if spec.rejected(program, caps) != wanted:
                    yield f"{clause} in {row.name}: breaks something else: {form.name}"
                other = made.setdefault((number, draft.program, draft.words), form.name)
                if other != form.name:
                    yield f"{clause} in {row.name}: one change, two forms: {other}; {form.name}"
