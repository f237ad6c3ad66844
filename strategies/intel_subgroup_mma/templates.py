"""Templates: a family of kernels for each group of clauses."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.intel_subgroup_mma.caps import FORMS, ROWS, Caps, Form
from mmaspec.programs.intel_subgroup_mma.program import Component
from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.intel_subgroup_mma.builder import ProgramBuilder, others
from mmaspec.strategies.regimes.met_infinities import ITEMS
from mmaspec.strategies.register_kernels import templates as shared
from mmaspec.strategies.register_kernels.templates import FRAGMENTS, Build

LAYOUT = (
    "ISGMMA-A-COLS",
    "ISGMMA-K32-PACK-A",
    "ISGMMA-K64-PACK-A",
    "ISGMMA-K16-PACK-A",
    "ISGMMA-B-COL",
    "ISGMMA-ACC-COL",
)

TURNED: dict[Component, tuple[str, Component]] = {"int": ("d", "uint"), "short": ("e", "ushort")}
"""Component of sums -> the fragment that can have the other sign where it is a scalar, and its component then."""


def of(family: shared.Family) -> Build:
    """A shared family of kernels, with this specification's builder."""
    return partial(family, ProgramBuilder)


def product(regime: str = "") -> Build:
    """D = A*B + C, every fragment one of its own."""

    def build(context: DrawContext[Caps]) -> Draft:
        return shared.product(ProgramBuilder, context, regime=regime)

    return build


def _declared(builder: ProgramBuilder, stem: str, *, b: str = "") -> tuple[str, str, str, str]:
    """Loaded A, B and C and a D; ``b`` names a B that is there already."""
    names = {use: f"{name}_{stem}" for name, use in FRAGMENTS[:2]}
    c, d = f"c_{stem}", f"d_{stem}"
    builder.fragment(names["a"], "a")
    builder.add(builder.load(names["a"], f"A_{stem}", "left"))
    if not b:
        builder.fragment(names["b"], "b")
        builder.add(builder.load(names["b"], f"B_{stem}", "right"))
    builder.fragment(c, "cd")
    builder.fragment(d, "cd")
    builder.add(builder.load(c, f"C_{stem}", "addend"))
    return names["a"], b or names["b"], c, d


def rows(regime: str = "", batch: int | None = None) -> Build:
    """One B times As of every number of rows, in any order; each result is stored."""

    def build(context: DrawContext[Caps]) -> Draft:
        builder = ProgramBuilder(context, waves=context.choices.integer(1, 2))
        builder.fragment("b", "b")
        builder.add(builder.load("b", "B", "right"))
        left = list(ROWS)
        for _ in ROWS:
            count = context.choices.one_of(left)
            left.remove(count)
            with builder.of(rows=count):
                a, b, c, d = _declared(builder, f"m{count}", b="b")
                builder.add(builder.product(d, a, b, c), builder.store(d))
        return builder.draft(regime or ("wild" if builder.integer else "whole"), batch)

    return build


def looped_rows(context: DrawContext[Caps]) -> Draft:
    """One B times As of every number of rows, each in a loop of its own that goes on from its sums; all are stored."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=1)
    builder.fragment("b", "b")
    builder.add(builder.load("b", "B", "right"))
    for rows in sorted(ROWS, key=lambda _: choices.integer(0, 99)):
        with builder.of(rows=rows):
            a, c = builder.fragment(f"a_m{rows}", "a"), builder.fragment(f"c_m{rows}", "cd")
            passes = choices.integer(2, 3)
            builder.add(builder.load(c, f"C_m{rows}", "addend"))
            factor = builder.load(a, f"A_m{rows}", "left", passes, by_loop=True)
            builder.add(builder.repeat(passes, (factor, builder.product(c, a, "b", c))), builder.store(c))
    return builder.draft("wild" if builder.integer else builder.exact)


def forms(context: DrawContext[Caps]) -> Draft | None:
    """Two or three products of different forms, of any rows; the results are stored after the last."""
    choices = context.choices
    found = others(context.row.entry, context.caps)
    if not found:
        return None
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    called: list[Form] = [builder.form]
    for _ in range(min(choices.integer(1, 2), len(found))):
        called.append(choices.one_of(found))
        found.remove(called[-1])
    results = []
    for number, form in enumerate(called):
        with builder.of(form, choices.one_of(ROWS) if number else None):
            a, b, c, d = _declared(builder, f"p{number}")
            builder.add(builder.product(d, a, b, c))
        results.append(d)
    builder.add(*(builder.store(d) for d in reversed(results)))
    return builder.draft("wild" if builder.integer else "normal")


def same_bits(context: DrawContext[Caps]) -> Draft | None:
    """The bits of one A and one B read by functions of every sign that the device has for their width."""
    form: Form = context.row.entry
    signs = [FORMS[name] for name in context.caps.in_reach if FORMS[name].bits == form.bits]
    builder = ProgramBuilder(context, waves=1)
    builder.fragment("c", "cd")
    builder.fragment("d", "cd")
    builder.add(builder.load("c", "C", "addend"))
    places: dict[str, Any] = {}
    for use, _ in FRAGMENTS[:2]:
        builder.fragment(use, "a" if use == "a" else "b")
        places[use] = builder.load(use, use.upper(), f"in_{use}")
        builder.add(places[use])
    builder.add(builder.product("d", "a", "b", "c"), builder.store("d"))
    for number, other in enumerate(one for one in signs if one != form):
        with builder.of(other):
            names = {"a": f"a{number}", "b": f"b{number}"}
            for use, name in names.items():
                builder.fragment(name, "a" if use == "a" else "b")
                builder.add(replace(places[use], into=name, data=None))
            builder.add(builder.product("d", names["a"], names["b"], "c"), builder.store("d"))
    return builder.draft("wild")


def converted(context: DrawContext[Caps]) -> Draft:
    """One row: a result in a scalar of the other sign, which is also the next addend where sums are int."""
    choices = context.choices
    builder = ProgramBuilder(context, rows=1)
    shared.operands(builder)
    for name in ("c", "d", "e"):
        builder.fragment(name, "cd")
    builder.add(builder.load("c", "C", "addend"), builder.product("d", "a", "b", "c"), builder.store("d"))
    builder.add(builder.product("e", "a", "b", "d"), builder.store("e"))
    draft = builder.draft(shared.regime_of(choices, builder))
    name, component = TURNED[draft.program.fragment("d").component]
    fragments = tuple(
        replace(each, component=component) if each.name == name else each for each in draft.program.fragments
    )
    return Draft(replace(draft.program, fragments=fragments), draft.regime, draft.batch, draft.words)


_SOME: tuple[tuple[str, ...], ...] = (
    ("a-i8", "b-u4", "a-bf16"),
    ("b-u8", "a-i4", "a-f16"),
    ("a-u8", "b-i4", "a-bf16"),
    ("b-i8", "a-u4", "a-f16"),
)
"""Rows for what does not depend on the form: about half of them, each width and kind, by turns."""

_OP = ("ISGMMA-OP", *LAYOUT)
_FLOAT = ("ISGMMA-FP-ORDER", "ISGMMA-BIT-TYPES")

TEMPLATES = (
    Template("product", _OP, product()),
    Template("product-window", (*_OP, *_FLOAT), product("window"), ("float",)),
    Template("product-normal", (*_OP, *_FLOAT), product("normal"), ("float",)),
    Template("product-wild", _FLOAT, product("wild"), ("float",)),
    Template("product-subnormal", _FLOAT, product("subnormal"), ("float",)),
    Template("product-cancelling", _FLOAT, product("cancelling"), ("float",)),
    Template("product-near-tie", _FLOAT, product("near-tie"), ("float",)),
    Template("product-overflow-edge", ("ISGMMA-FP-ORDER", "ISGMMA-FP-NAN"), product("overflow-edge"), ("float",)),
    Template("product-specials", ("ISGMMA-FP-NAN",), product("specials"), ("float",)),
    Template("product-full", ("ISGMMA-SIGN", "ISGMMA-INT-EXACT", "ISGMMA-INT-ACC"), product("full"), ("int",)),
    Template("same-bits", ("ISGMMA-SIGN", "ISGMMA-INT-EXACT"), same_bits, ("a-i8", "b-u4")),
    Template("sums-wrap", ("ISGMMA-INT-WRAP", "ISGMMA-INT-ACC"), product("overflow"), ("int",)),
    Template("rows", ("ISGMMA-ROW-INDEP", "ISGMMA-OP"), rows(), _SOME[1]),
    Template("forms", _OP, forms, _SOME[2]),
    Template("converted", ("ISGMMA-INT-ACC", "ISGMMA-BIT-TYPES"), converted, ("b-i8", "a-u4", "acc-bf16")),
    Template("in-place", ("ISGMMA-BY-VALUE",), of(shared.in_place), _SOME[0]),
    Template("zero-literal", ("ISGMMA-BY-VALUE",), of(shared.zero_literal), _SOME[1]),
    Template("zero-filled", ("ISGMMA-BY-VALUE",), of(shared.zero_filled), _SOME[2]),
    Template("filled", ("ISGMMA-MEM-FREE", "ISGMMA-OP"), of(shared.filled), _SOME[3]),
    Template("tiles", ("ISGMMA-BY-VALUE", "ISGMMA-MEM-FREE"), of(shared.tiles)),
    Template("chain", ("ISGMMA-BY-VALUE",), of(shared.chain), _SOME[1]),
    Template("reuse", ("ISGMMA-OP", "ISGMMA-MEM-FREE"), of(shared.reuse), _SOME[2]),
    Template("registers", ("ISGMMA-MEM-FREE", "ISGMMA-STORE-ONLY"), of(shared.registers), _SOME[3]),
    Template("constants", ("ISGMMA-OP", "ISGMMA-BIT-TYPES"), of(shared.constants), _SOME[0]),
    # What happens at the ends of a range may be wrong of one number of rows alone.
    Template("rows-wrap", ("ISGMMA-INT-WRAP", "ISGMMA-INT-ACC"), rows("overflow"), ("int",)),
    Template("rows-met-infinities", ("ISGMMA-FP-NAN",), rows("met-infinities", ITEMS), ("float",)),
    Template("rows-looped", ("ISGMMA-BY-VALUE", "ISGMMA-OP"), looped_rows),
)
