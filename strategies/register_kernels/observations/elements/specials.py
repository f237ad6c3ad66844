"""NaN and infinities in the elements of a float form: what makes them, and where they must not get."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.ordinals import Flags, is_nan, magnitudes
from mmaspec.programs.register_kernels import Load
from mmaspec.programs.windows import image_places, within
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.contents import Contents, contents_of
from mmaspec.strategies.register_kernels.observations.dialect import dialect_of
from mmaspec.strategies.register_kernels.observations.elements.float_terms import Side, Terms
from mmaspec.strategies.register_kernels.observations.elements.ranges import overflows, product_overflows
from mmaspec.strategies.register_kernels.observations.flow import Event, Held, flow_of
from mmaspec.strategies.register_kernels.observations.matrices import every, some
from mmaspec.strategies.register_kernels.observations.spread import nan_spread
from mmaspec.strategies.register_kernels.observations.table import Table
from mmaspec.strategies.register_kernels.observations.touched import block_bytes


def put_specials(subject: Subject, event: Event, terms: Terms, table: Table) -> Flags:
    """The axes of NaN and infinity; where a result is NaN or infinite, as far as known."""
    a, b, c, known = terms.a, terms.b, terms.c, terms.known
    c_fmt = terms.matrices[2].fmt
    times = {
        "infinity-times-zero": a.infinite & b.zero,
        "zero-times-infinity": a.zero & b.infinite,
    }
    product_nan = a.nan | b.nan | times["infinity-times-zero"] | times["zero-times-infinity"]
    infinite = (a.infinite | b.infinite) & ~product_nan
    negative = a.negative ^ b.negative
    up, down = (infinite & ~negative).any(axis=-1), (infinite & negative).any(axis=-1)
    against = c.infinite & np.where(c.negative, up, down)
    primary = {
        "a": (a.nan | np.zeros_like(b.nan)).any(axis=-1),
        "b": (b.nan | np.zeros_like(a.nan)).any(axis=-1),
        "c": c.nan,
        **{name: here.any(axis=-1) for name, here in times.items()},
        "opposite-products": up & down,
        "product-against-c": against,
    }
    several = np.sum([here.astype(np.int64) for here in primary.values()], axis=0) > 1
    nan = np.any(list(primary.values()), axis=0)
    tiny = {
        "infinity-times-subnormal": (a.infinite & b.subnormal).any(axis=-1),
        "subnormal-times-infinity": (a.subnormal & b.infinite).any(axis=-1),
    }
    flushed: Flags = np.logical_or.reduce(list(tiny.values()))
    higher, lower = product_overflows(terms, c_fmt)
    above, beneath = up | (c.infinite & ~c.negative), down | (c.infinite & c.negative)
    against_infinity = (higher & beneath) | (lower & above)
    against_each_other = higher & lower & ~above & ~beneath
    causes = {
        **primary,
        "a-times-zero": (a.nan & b.zero).any(axis=-1),
        "b-times-zero": (a.zero & b.nan).any(axis=-1),
        "a-times-infinity": ((a.nan & b.infinite) | (a.infinite & b.nan)).any(axis=-1),
        **tiny,
        "several": several,
        "overflows-against-infinity": against_infinity & ~nan,
        "overflows-against-each-other": against_each_other & ~nan,
        "none": ~nan & ~flushed & ~against_infinity & ~against_each_other,
        "by-chain": nan & (c.nan | c.infinite) & np.bool_(terms.inherited),
    }
    table.put("nan-cause", {name: here & known for name, here in causes.items()})
    special: Flags = nan | up | down | c.infinite
    all_known = every(known)[..., None, None]
    table.put("nan-spread", {name: here & all_known for name, here in nan_spread(special).items()})
    _put_infinite(terms, table, infinite, known & ~nan & ~flushed)
    table.put("infinite-cause", {"none": known & nan})
    _put_twins(subject, event, terms, table, nan)
    return special


def _put_infinite(terms: Terms, table: Table, infinite: Flags, here: Flags) -> None:
    a, b, c = terms.a, terms.b, terms.c
    negative = a.negative ^ b.negative
    some = infinite.any(axis=-1)
    of_a, of_b = infinite & ~b.infinite, infinite & ~a.infinite
    least_a, least_b = (_least_normal(side, one) for side, one in zip((a, b), terms.matrices, strict=False))
    result = some | c.infinite
    alike = np.maximum((infinite & negative).sum(axis=-1), (infinite & ~negative).sum(axis=-1)) + c.infinite
    beyond = overflows(terms, terms.matrices[2].fmt)
    classes = {
        "none": np.logical_and.reduce([~result, *(~over for over in beyond.values())]),
        "infinity-times-finite": of_a.any(axis=-1),
        "finite-times-infinity": of_b.any(axis=-1),
        "infinity-times-negative": (of_a & b.negative).any(axis=-1),
        "negative-times-infinity": (of_b & a.negative).any(axis=-1),
        "infinity-times-infinity": (infinite & a.infinite & b.infinite).any(axis=-1),
        "infinity-times-tiny": (of_a & least_b).any(axis=-1),
        "tiny-times-infinity": (of_b & least_a).any(axis=-1),
        "c": c.infinite & ~some,
        "several-same-sign": alike > 1,
        **beyond,
    }
    table.put("infinite-cause", {name: flags & here for name, flags in classes.items()})


def _least_normal(side: Side, one: Contents) -> Flags:
    found: Flags = magnitudes(one.fmt, side.bits) == 1 << one.fmt.fraction_bits
    return found


def _put_twins(subject: Subject, event: Event, terms: Terms, table: Table, nan: Flags) -> None:
    """Of elements that are no NaN themselves."""
    clean = terms.known & ~nan
    held = [one for one in event.reads.values() if one is not None]
    spoilt = np.zeros((subject.case.batch, subject.program.waves), np.bool_)
    for one in terms.matrices:
        spoilt |= some(is_nan(one.fmt, one.bits))
    others = spoilt.sum(axis=1, keepdims=True) - spoilt > 0
    earlier = [
        one for product in flow_of(subject).products if product.turn < event.turn
        for role, one in product.reads.items() if one is not None and one.fragment in _names(event) and one not in held
    ]  # fmt: skip
    old = [one.by.before for one in held if one.by is not None and isinstance(one.by.step, Load) and one.by.before]
    twins = {
        "other-wave": others & ~spoilt,
        "next-block": _next_blocks(subject, held),
        "old-d": _some_nan(subject, [event.before] if event.before and event.call.c != event.call.d else []),
        "old-operand": _some_nan(subject, old),
        "earlier-product": _some_nan(subject, earlier),
    }
    classes = {name: here[..., None, None] & clean for name, here in twins.items()}
    table.put("nan-twin", classes)
    table.put("nan-twin", {"none": clean & ~np.any(list(classes.values()), axis=0)})


def _names(event: Event) -> set[str]:
    return {name for name in (event.call.a, event.call.b, event.call.c) if name is not None}


def _some_nan(subject: Subject, held: list[Held]) -> Flags:
    found = np.zeros((subject.case.batch, subject.program.waves), np.bool_)
    for one in held:
        contents = contents_of(subject, one)
        found |= some(is_nan(contents.fmt, contents.bits) & contents.known)
    return found


def _next_blocks(subject: Subject, held: list[Held]) -> Flags:
    """NaN among the case's data in the block after one that was loaded."""
    expected, program = subject.expectation, subject.program
    assert isinstance(expected, Defined)
    found = np.zeros((subject.case.batch, program.waves), np.bool_)
    for one in held:
        if one.load is None:
            continue
        step, place = one.load.step, one.load.place
        assert isinstance(step, Load)
        fragment = program.fragment(step.into)
        fmt = contents_of(subject, one).fmt
        after = dialect_of(subject).addresses(program, step, place.loop) + block_bytes(program, fragment)
        buffer = next(buffer for buffer in program.buffers if buffer.name == step.buffer)
        inside = (after + fmt.nbytes <= buffer.size) & within(buffer, after, fmt.nbytes)
        at = np.where(inside, image_places(buffer, after), 0)
        bits = gather(expected.images[step.buffer], at, fmt.nbytes)
        loaded = inside & expected.known[step.buffer][at]
        found |= some(is_nan(fmt, bits) & loaded)
    return found
