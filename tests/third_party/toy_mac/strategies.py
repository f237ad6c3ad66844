"""Programs to draw."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.base import Buffer
from mmaspec.strategies.grammar import Draft, DrawContext, Grammar, Template
from toy_mac.program import Load, Mac, Store, ToyCaps, ToyProgram


def product(context: DrawContext[ToyCaps]) -> Draft:
    """One product, its matrices at drawn places."""
    gaps = [4 * context.choices.integer(0, 9) for _ in range(4)]
    body = (
        Load("a", "in", gaps[0], "A"),
        Load("b", "in", 128 + gaps[1], "B"),
        Load("c", "in", 256 + gaps[2], "C"),
        Mac(),
        Store("c", "out", gaps[3]),
    )
    return Draft(ToyProgram(context.row.entry, (Buffer("in", 1024), Buffer("out", 512)), body), "wild", 8)


def frame(context: DrawContext[ToyCaps], draft: Draft) -> Draft:
    """A load in front that is overwritten."""
    before = Load("c", "in", 4 * context.choices.integer(160, 190), "X")
    return replace_program(draft, replace(draft.program, body=(before, *draft.program.body)))


def unaligned(context: DrawContext[ToyCaps], draft: Draft) -> Draft:
    """TOY-ALIGN broken by the store."""
    *body, store = draft.program.body
    moved = replace(store, offset=store.offset + context.choices.integer(1, 3))
    return replace_program(draft, replace(draft.program, body=(*body, moved)))


def replace_program(draft: Draft, program: ToyProgram) -> Draft:
    """The draft of another program."""
    return Draft(program, draft.regime, draft.batch, draft.words)


GRAMMAR = Grammar(
    spec="toy-mac",
    templates=(Template("product", ("TOY-ROW", "TOY-MAC", "TOY-STORE"), product, weight=4),),
    near_misses={"TOY-ALIGN": unaligned},
    near_miss_base=product,
    frame=frame,
    free=product,
)
