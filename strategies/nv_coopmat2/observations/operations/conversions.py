"""The axes of conversions: their types, uses and chains."""

from __future__ import annotations

from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, Convert
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, anywhere, every, facts, first

USES = {
    (USE_A, USE_A): "a-a",
    (USE_B, USE_B): "b-b",
    (USE_ACCUMULATOR, USE_ACCUMULATOR): "accumulator-accumulator",
    (USE_A, USE_ACCUMULATOR): "a-accumulator",
    (USE_B, USE_ACCUMULATOR): "b-accumulator",
    (USE_A, USE_B): "a-b",
    (USE_B, USE_A): "a-b",
}


def formats(known: Facts, convert: Convert) -> tuple[Format, Format]:
    """Those of source and result."""
    kinds = (known.matrix(name).component for name in (convert.matrix, convert.result))
    old, new = map(format_named, kinds)
    return old, new


def relation(subject: Subject, thing: Thing) -> Answer:
    """How source and result types relate."""
    old, new = formats(facts(subject), thing.of)
    if old == new:
        return "same-type"
    if old.is_float and new.is_float:
        return first(
            ("float-same-width", old.bits == new.bits), ("float-widening", new.bits > old.bits), ("float-narrowing", 1)
        )
    if old.is_float:
        return "float-to-signed" if new.signed else "float-to-unsigned"
    if new.is_float:
        large = old.max_value >= 1 << (new.emax + 1)
        return every(
            ("signed-to-float", old.signed),
            ("unsigned-to-float", not old.signed),
            ("wide-integer-to-narrow-float", large),
        )
    wider = new.bits > old.bits
    return first(
        ("integer-narrowing", new.bits < old.bits),
        ("signedness-only", not wider),
        ("signed-to-wider-unsigned", old.signed and not new.signed),
        ("integer-widening-signed", old.signed),
        ("integer-widening-unsigned", True),
    )


def uses(subject: Subject, thing: Thing) -> Answer:
    """Uses of source and result."""
    known = facts(subject)
    old, new = known.matrix(thing.of.matrix), known.matrix(thing.of.result)
    plain = USES.get((old.use, new.use))
    if plain is not None:
        return plain
    if old.use != USE_ACCUMULATOR or new.use not in (USE_A, USE_B):
        return None
    name = "accumulator-a" if new.use == USE_A else "accumulator-b"
    return name if old.component == new.component else f"{name}-type"


def rule(known: Facts, convert: Convert) -> Answer:
    """What a conversion must not change."""
    old, new = known.matrix(convert.matrix), known.matrix(convert.result)
    exchanged = (old.rows, old.cols) == (new.cols, new.rows) and old.rows != old.cols
    return first(
        ("scope", old.scope != new.scope),
        ("exchanged", exchanged),
        ("rows", old.rows != new.rows),
        ("columns", old.cols != new.cols),
        ("right", True),
    )


def chain(subject: Subject, thing: Thing) -> Answer:
    """How conversions follow each other."""
    known, one = facts(subject), thing.of
    assert thing.place is not None
    old, new = formats(known, one)
    matrix, result = known.matrix(one.matrix), known.matrix(one.result)
    before = [at for at in known.makers(one.matrix, thing.place) if isinstance(at.instruction, Convert)]
    after = [at for at in known.users(one.result, thing.place) if isinstance(at.instruction, Convert)]
    twins = {
        user.instruction.result
        for maker in known.makers(one.matrix, thing.place)
        for user in known.users(one.matrix, maker.place)
        if isinstance(user.instruction, Convert)
    }
    found: set[str] = set(every(("two-results", len(twins) > 1)))
    for at in before:
        assert isinstance(at.instruction, Convert)
        source = known.matrix(at.instruction.matrix)
        start = format_named(source.component)
        typed, used = start != old, source.use != matrix.use
        found |= set(
            every(
                ("there-and-back", start == new and old != new),
                ("down-and-up", old.bits < start.bits and new.bits > old.bits),
                ("type-then-use", typed and not used and result.use != matrix.use),
                ("use-then-type", used and not typed and old != new),
                ("double-rounding", start.is_float and start.bits > old.bits > new.bits and new.is_float),
            )
        )
    return found if found or before or after else "single"


LOOKS: dict[str, Look] = {
    "conversion-source": lambda subject, thing: facts(subject).matrix(thing.of.matrix).component,
    "conversion-result": lambda subject, thing: facts(subject).matrix(thing.of.result).component,
    "conversion-kind": relation,
    "conversion-uses": uses,
    "conversion-rule": anywhere(Convert, ("right",), rule),
    "conversion-chain": chain,
}
"""Axis -> how its class is seen."""
