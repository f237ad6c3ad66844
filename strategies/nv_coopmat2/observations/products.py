"""The axes of products about their types, sizes and operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmaspec.oracle.nv_coopmat2.caps_support import products
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.operands import writes
from mmaspec.programs.nv_coopmat2.program import (
    SATURATING,
    Convert,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Splat,
    Transpose,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import At, Facts, every, facts

TYPES = {
    ("f16", "f16", "f16"): "f16-f16", ("f16", "f16", "f32"): "f16-f32", ("bf16", "bf16", "f32"): "bf16-f32",
    ("bf16", "bf16", "bf16"): "bf16-bf16", ("f32", "f32", "f32"): "f32-f32", ("f64", "f64", "f64"): "f64-f64",
    ("s8", "s8", "s32"): "s8-s32", ("u8", "u8", "u32"): "u8-u32", ("s8", "u8", "s32"): "s8-u8",
    ("u8", "s8", "s32"): "u8-s8", ("u8", "u8", "s32"): "u8-s32", ("s8", "s8", "u32"): "s8-u32",
    ("s16", "s16", "s32"): "s16-s32", ("u16", "u16", "u32"): "u16-u32",
}  # fmt: skip


def matrices(known: Facts, product: MulAdd) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """A, B, C (the result where there is none) and the result."""
    result = known.matrix(product.result)
    addend = result if product.c is None else known.matrix(product.c)
    return known.matrix(product.a), known.matrix(product.b), addend, result


def types(subject: Subject, thing: Thing) -> Answer:
    """Component types of A, B and C."""
    a, b, c, result = matrices(facts(subject), thing.of)
    kinds = (a.component, b.component, result.component)
    floats = {format_named(kind).is_float for kind in kinds[:2]}
    narrow = not floats & {True} and format_named(kinds[2]).bits == format_named(kinds[0]).bits
    return every(
        (TYPES.get(kinds, ""), kinds in TYPES),
        ("narrow-integer", narrow),
        ("result-unlike-c", c.component != result.component),
        ("float-integer", True in floats and not format_named(kinds[2]).is_float),
    )


def _listed(subject: Subject, product: MulAdd) -> list[Property]:
    known = facts(subject)
    a, b, c, _ = matrices(known, product)
    return list(products(subject.caps, a, b, c))


def shape(subject: Subject, thing: Thing) -> Answer:
    """M, N and K against each other."""
    a, _, _, result = matrices(facts(subject), thing.of)
    m, n, k = result.rows, result.cols, a.cols
    caps: CoopMatCaps = subject.caps
    units = [(one.m, one.n, one.k) for one in _listed(subject, thing.of) if isinstance(one, FlexibleSize)]
    times = [(m // x, n // y, k // z) for x, y, z in units]
    return every(
        ("cube", m == n == k),
        ("k-short", k < min(m, n)),
        ("k-long", k > max(m, n)),
        ("m-long", m > n),
        ("n-long", n > m),
        ("all-differ", len({m, n, k}) == 3),
        ("odd-multiples", any(all(count % 2 and count > 1 for count in each) for each in times)),
        ("least", (1, 1, 1) in times),
        ("maximum-k", units and k == caps.maximum),
        ("maximum-all", units and caps.maximum in (m, n)),
    )


def listing(subject: Subject, thing: Thing) -> Answer:
    """By which kind of property a product is supported; of a device, what it lists."""
    if thing.group == "device":
        return {name for one in facts(subject).of_kind(MulAdd) for name in _support(subject, one)}
    return _support(subject, thing.of)


def _support(subject: Subject, product: MulAdd) -> tuple[str, ...]:
    found = _listed(subject, product)
    a, b, c, _ = matrices(facts(subject), product)
    flexible = [one for one in found if isinstance(one, FlexibleSize)]
    fixed = len(found) > len(flexible)
    exact = any((one.m, one.n, one.k) == (c.rows, c.cols, a.cols) for one in flexible)
    caps: CoopMatCaps = subject.caps
    twins = {
        (one.c, one.result, one.saturating)
        for one in caps.properties
        if isinstance(one, FlexibleSize) == bool(flexible)
        and (one.a, one.b, one.scope) == (a.component, b.component, a.scope)
        and any((one.m, one.n, one.k) == (other.m, other.n, other.k) for other in found)
    }
    return every(
        ("fixed", fixed and not flexible),
        ("flexible-at-granularity", exact and not fixed),
        ("flexible-multiple", flexible and not exact and not fixed),
        ("both", fixed and flexible),
        ("two-of-a-kind", len(twins) > 1),
    )


def addend(subject: Subject, thing: Thing) -> Answer:
    """Where C comes from."""
    known, product = facts(subject), thing.of
    if product.c is None:
        return "without"
    assert thing.place is not None
    c, result = known.matrix(product.c), known.matrix(product.result)
    other = (c.component, c.rows, c.cols, c.use, c.scope) != (
        result.component,
        result.rows,
        result.cols,
        result.use,
        result.scope,
    )
    makers = known.makers(product.c, thing.place)
    names = {name for at in makers for name in _addend(known, at)}
    return names | set(every(("self", product.c == product.result), ("other-type", other)))


def _addend(known: Facts, at: At) -> Iterable[str]:
    one = at.instruction
    if isinstance(one, Splat):
        zero = getattr(one.value, "bits", None) == 0
        return ("zero-splat",) if zero else ("splat",)
    if isinstance(one, Load):
        return ("broadcast", "loaded") if one.stride == 0 else ("loaded",)
    if isinstance(one, LoadTensor):
        tensor = tensor_facts(known.subject, at.place)
        clipped = any(tensor.skipped(state).any() for state in tensor.states)
        before = [maker.instruction for maker in known.makers(one.matrix, at.place)]
        return every(("clipped", clipped and any(isinstance(each, Splat) for each in before)), ("loaded", True))
    return every(("product", isinstance(one, MulAdd)), ("converted", isinstance(one, Convert)))


def same(subject: Subject, thing: Thing) -> Answer:
    """Which operands are one variable."""
    known, product = facts(subject), thing.of
    others = [
        one.instruction
        for one in known.text
        if isinstance(one.instruction, MulAdd) and one.place != thing.place and one.instruction is not product
    ]
    a = any(one.a == product.a for one in others)
    b = any(one.b == product.b for one in others)
    both = any((one.a, one.b) == (product.a, product.b) and one.c != product.c for one in others)
    found = every(
        ("c-and-result", product.c == product.result),
        ("a-shared", a),
        ("b-shared", b),
        ("a-and-b-shared", both),
        ("a-and-b", product.a == product.b),
        ("a-and-b-same-memory", _memory(known, thing, product.a) & _memory(known, thing, product.b)),
    )
    return found or "none"


def _memory(known: Facts, thing: Thing, name: str) -> set[tuple[str, str | None]]:
    assert thing.place is not None
    makers = [at.instruction for at in known.makers(name, thing.place)]
    return {(one.buffer, one.data) for one in makers if isinstance(one, Load | LoadTensor) and one.data}


def saturating(subject: Subject, thing: Thing) -> Answer:
    """The operands flag, against what the device lists."""
    known, product = facts(subject), thing.of
    flags = {one.saturating for one in _listed(subject, product)}
    a = known.matrix(product.a)
    wanted = product.operands == SATURATING
    pairs = {
        one.operands for one in known.of_kind(MulAdd) if (one.a, one.b, one.c) == (product.a, product.b, product.c)
    }
    return every(
        ("without", product.operands == 0 and False in flags),
        ("saturating", wanted and True in flags),
        ("unsupported", wanted and flags == {False}),
        ("required", product.operands == 0 and flags == {True}),
        ("on-floats", wanted and format_named(a.component).is_float),
        ("other-bits", product.operands not in (0, SATURATING)),
        ("both-in-program", pairs >= {0, SATURATING}),
    )


def chain(subject: Subject, thing: Thing) -> Answer:
    """How products follow each other."""
    known, product = facts(subject), thing.of
    place = thing.place
    assert place is not None
    whole = [one for one in known.text if isinstance(one.instruction, MulAdd)]
    long = sum(known.passes[one.place] for one in whole if getattr(one.instruction, "result", "") == product.result)
    kinds = {tuple(m.component for m in matrices(known, one)) for one in known.of_kind(MulAdd)}
    sizes = {tuple((m.rows, m.cols) for m in matrices(known, one)) for one in known.of_kind(MulAdd)}
    scopes = {matrices(known, one)[0].scope for one in known.of_kind(MulAdd)}
    through_c = product.c is not None and _from(known, product.c, thing, (MulAdd,))
    linked = through_c or any(_behind(known, thing, name) for name in (product.a, product.b))
    used = any(isinstance(user.instruction, MulAdd) for user in known.users(product.result, place))
    return every(
        ("single", len(whole) == 1 and known.passes[place] <= 1),
        ("through-c", through_c),
        ("through-c-long", through_c and long >= 16),
        ("through-a", "Convert" in _behind(known, thing, product.a)),
        ("through-b", "Convert" in _behind(known, thing, product.b)),
        ("through-transpose", "Transpose" in _behind(known, thing, product.b)),
        ("independent", len(whole) > 1 and not linked and not used),
        ("types-mixed", len(kinds) > 1),
        ("sizes-mixed", len(sizes) > 1),
        ("scopes-mixed", len(scopes) > 1),
    )


def _from(known: Facts, name: str, thing: Thing, kinds: tuple[type, ...]) -> bool:
    assert thing.place is not None
    return any(isinstance(at.instruction, kinds) for at in known.makers(name, thing.place))


def _behind(known: Facts, thing: Thing, name: str) -> set[str]:
    """The conversions and transposes by which an operand was made from another product's result."""
    assert thing.place is not None
    return {kind for at in known.makers(name, thing.place) for kind in _line(known, at, 4)}


def _line(known: Facts, at: At, depth: int) -> Iterator[str]:
    one = at.instruction
    if not isinstance(one, Convert | Transpose) or not depth or writes(one) == one.matrix:
        return
    for maker in known.makers(one.matrix, at.place):
        further = list(_line(known, maker, depth - 1))
        if isinstance(maker.instruction, MulAdd) or further:
            yield type(one).__name__
            yield from further


LOOKS: dict[str, Look] = {
    "product-types": types,
    "product-shape": shape,
    "size-listing": listing,
    "product-addend": addend,
    "operand-identity": same,
    "saturating": saturating,
    "product-chain": chain,
}
"""Axis -> how its class is seen."""
