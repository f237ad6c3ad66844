"""Any valid case of a specification, drawn from all that the grammar has: templates, arrays, frames, free programs.

Who makes the choices decides what it is good for: Hypothesis in property tests, our own generator in exploration.
"""

from __future__ import annotations

from mmaspec.oracle.spec import AnySpec
from mmaspec.strategies.array import drawn
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.enumerate import templates_of
from mmaspec.strategies.grammar import Array, Draft, DrawContext, Grammar, Template
from mmaspec.strategies.recipe import Recipe

FREE_PERCENT, FRAMED_PERCENT = 5, 25
"""So many of 100 cases are free programs; so many of those made from a template have a frame."""


def any_recipe(spec: AnySpec, grammar: Grammar, caps: object, choices: Choices, seed_bits: int) -> Recipe | None:
    """A case in any row of the caps; None where the draw led nowhere. Its data come from a seed of so many bits."""
    row = choices.one_of(spec.rows(caps))
    free = choices.chance(FREE_PERCENT)
    arrays = tuple(array for array in grammar.arrays if array.meets(row))
    options: tuple[Template | Array, ...] = (*templates_of(grammar, row), *arrays)
    template = None if free else choices.one_of(options)
    context = DrawContext(choices, row, caps)
    draft: Draft | None
    if template is None:
        draft = grammar.free(context)
    elif isinstance(template, Array):
        chosen = drawn(template, choices, row, caps)
        draft = None if chosen is None else template.build(context, chosen)
    else:
        draft = template.build(context)
    if draft is None:
        return None
    framed = isinstance(template, Template) and choices.chance(FRAMED_PERCENT)
    if framed:
        draft = grammar.frame(context, draft)
    label = ("free",) if free else ("framed",) if framed else ()
    return Recipe(
        spec=spec.name,
        revision=spec.catalogue.revision,
        row=row.name,
        template="free" if template is None else template.name,
        program=draft.program,
        caps=caps,
        words=draft.words,
        regime=draft.regime,
        seed=choices.integer(0, (1 << seed_bits) - 1),
        batch=draft.batch,
        labels=(draft.regime, *label),
    )
