"""A clause that can be broken in several forms: a device is shown each of them, however few rows it has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import PerElement, Reduce, StoreTensor
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, Lister, grammar_of
from mmaspec.strategies.grammar import Form, Forms, forms_of
from mmaspec.strategies.recipe import Recipe

ONE_ROW: dict[str, CoopMatCaps] = {
    "fixed": CoopMatCaps(DEFAULT_CAPS.fixed[:1]),
    "flexible": CoopMatCaps((), DEFAULT_CAPS.flexible[:1]),
}


def broken(name: str, caps: object, tier: str = "smoke") -> list[Recipe]:
    """The near misses of a list; nothing else of it is drawn."""
    spec = spec_named(name)
    lister = Lister(spec, grammar_of(name), caps, DEFAULT_SEED)
    return [recipe for row in spec.rows(caps) for recipe in lister.near_misses(row, TIERS[tier])]


@pytest.mark.parametrize("kind", ONE_ROW)
def test_one_row_shows_every_form_of_every_near_miss(kind: str) -> None:
    caps = ONE_ROW[kind]
    spec = spec_named("nv-coopmat2")
    (row,) = spec.rows(caps)
    listed = Counter(recipe.target for recipe in broken(spec.name, caps))
    forms = {
        clause: sum(form.fits(row, caps) for form in forms_of(near_miss))
        for clause, near_miss in grammar_of(spec.name).near_misses.items()
        if spec.catalogue.applies(clause, row.tags)
    }
    assert max(forms.values()) > 5
    assert listed == forms


def test_what_a_device_with_one_row_must_refuse() -> None:
    """Forms that a device may know alone of its clause."""
    recipes = broken("nv-coopmat2", ONE_ROW["fixed"])

    def programs(clause: str) -> list[Recipe]:
        return [recipe for recipe in recipes if recipe.target == clause]

    storages = {matrix.storage for recipe in programs("KHRCM-STORAGE") for matrix in recipe.program.matrices}
    assert {"shared", "uniform", "buffer", "in", "out"} <= storages
    assert any(recipe.program.uniform for recipe in programs("KHRCM-STORAGE"))
    for clause, kind, function in (
        ("NVCM2-PERELEM-SIG", PerElement, "function"),
        ("NVCM2-REDUCE-MASK", Reduce, "combine"),
    ):
        steps = [step for recipe in programs(clause) for step in recipe.program.body if isinstance(step, kind)]
        assert {"in", "inout"} <= {getattr(step, function).qualifier for step in steps}
    stores = [r.program.body for r in programs("NVCM2-STORE-NOBLOCK")]
    decoding = [any(isinstance(step, StoreTensor) and step.decode for step in body) for body in stores]
    assert set(decoding) == {False, True}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("tier", ["smoke"])
def test_the_default_list_shows_every_form(name: str, tier: str) -> None:
    spec = spec_named(name)
    grammar, caps = grammar_of(name), spec.default_caps
    listed = Counter(recipe.target for recipe in broken(name, caps, tier))
    lister = Lister(spec, grammar, caps, 1)
    assert grammar.near_misses.keys() >= listed.keys() > set()
    for clause, near_miss in grammar.near_misses.items():
        rows = [row for row in spec.rows(caps) if spec.catalogue.applies(clause, row.tags)]
        own = [form for row in rows for form, _ in lister.forms(row, clause, TIERS[tier])[0]]
        possible = [n for n, form in enumerate(forms_of(near_miss)) if any(form.fits(row, caps) for row in rows)]
        assert sorted(own) == possible, f"each once as somebody's own: {clause}"
        assert listed[clause] >= max(len(own), len(rows))


def test_forms_are_spread_over_the_rows_and_one_without_room_is_made_up_for(toy: SimpleNamespace) -> None:
    breaking, idle = toy.shifted(2), Form(lambda *_: None)
    forms = Forms((Form(breaking), Form(breaking), Form(breaking, rows=("int",)), idle))
    grammar = replace(toy.GRAMMAR, near_misses={"T-ALIGN": forms})
    lister = Lister(toy.SPEC, grammar, toy.ToyCaps(), 1, strict=False)
    half, byte = (lister.forms(toy.ROWS[name], "T-ALIGN", TIERS["smoke"]) for name in ("half", "byte"))
    assert [number for number, _ in (*half[0], *byte[0])] == [0, 1, 2, 3]
    made = {name: list(lister.near_misses(row, TIERS["smoke"])) for name, row in toy.ROWS.items()}
    assert {name: len(recipes) for name, recipes in made.items()} == {"half": len(half[0]), "byte": len(byte[0])}
