"""Every drawn program is valid and defined, demands something, and the reference device leaves what is demanded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mmaspec.backends.numpy.hlsl_linalg.variants import WITHOUT_FP8
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_linalg import DEFAULT_CAPS, SOURCE_CAPS, TIER_1, LinalgCaps
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.grammar import Draft, Template, flaws
from mmaspec.strategies.hlsl_linalg import GRAMMAR
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.drawing import breaches, context, device, drawn, held, rows

DEVICES = {"default": DEFAULT_CAPS, "tier-1": TIER_1, "without-fp8": WITHOUT_FP8, "source": SOURCE_CAPS}
ROWS = {f"{name}-{row.name}": (caps, row) for name, caps in DEVICES.items() for row in rows(caps)}
RANDOM = 4
NEVER: dict[str, tuple[str, ...]] = {
    "emulated": ("vector-layers", "vector-loop"),
    "fp8": ("vector-near-tie", "vector-subnormal", "vector-overflow-edge"),
    "packed-vector": ("array-move", "array-loop"),
    "2025-09-19": (
        "array-product", "row-overflow", "row-layers", "row-of-vectors", "row-optimal", "square-sum-product",
        "factors-of-vectors", "unary-chain", "operator-product", "layers",
    ),
}  # fmt: skip
"""Tag of a row -> templates that have no program there: what is emulated comes from optimal layouts alone.

Of the older text those of which some types, or sizes, have none.
"""
UNSURE = ("vector-transpose",)
"""Templates that need sizes in optimal layouts, which the device may not have told."""


def fitting(row: Row) -> list[Template]:
    return [one for one in GRAMMAR.templates if one.meets(row)]


def drafts(caps: LinalgCaps, row: Row, times: int) -> Iterator[tuple[str, Draft]]:
    for template in fitting(row):
        for n in range(times):
            draft = drawn(template.build, caps, row, template.name, n)
            if draft is None:
                never = {name for tag in row.tags for name in NEVER.get(tag, ())}
                assert template.name in {*never, *UNSURE}, template.name
                continue
            framed = (n + len(template.name)) % 3 == 0
            draft = GRAMMAR.frame(context(caps, row, template.name, n, "frame"), draft) if framed else draft
            yield f"{template.name}{' framed' * framed} {n}", draft
    for n in range(2 * times):
        yield f"free {n}", GRAMMAR.free(context(caps, row, "free", n))


def test_the_grammar_has_no_flaws() -> None:
    assert not list(flaws(GRAMMAR, catalogue()))


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("name", ROWS)
def test_the_device_leaves_what_is_demanded_of_drawn_programs(name: str, times: int) -> None:
    caps, row = ROWS[name]
    for seed, (words, draft) in enumerate(drafts(caps, row, times)):
        assert not breaches(draft, caps), words
        one = held(draft, row, seed, revision=caps.revision)
        assert one.judged(), words
        assert not one.left(device(caps)), words


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("seed", range(RANDOM))
def test_programs_for_devices_of_every_kind_are_sound(seed: int, times: int) -> None:
    for n in range(times):
        caps = GRAMMAR.random_caps(Counted(f"caps {seed} {n}")) if GRAMMAR.random_caps else None
        assert caps is not None
        for row in rows(caps):
            for template in fitting(row):
                draft = drawn(template.build, caps, row, template.name)
                assert draft is None or not breaches(draft, caps), (row.name, template.name)
            assert not breaches(GRAMMAR.free(context(caps, row, "free")), caps), row.name


def test_every_template_has_programs() -> None:
    found = {
        template.name
        for caps, row in ROWS.values()
        for template in fitting(row)
        if drawn(template.build, caps, row, template.name) is not None
    }
    assert found == {template.name for template in GRAMMAR.templates}
