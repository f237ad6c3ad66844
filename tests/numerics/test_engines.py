"""The three engines agree: definition (fractions), referee (integers), bulk (certified float64)."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.numerics.bulk import products
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.definition import dot
from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.definition.referee import Referee
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode


def elements(c: Legal):
    for at in np.ndindex(*c.shape):
        yield at, LegalElement(int(c.lo[at]), int(c.hi[at]), bool(c.nan[at]), Reason(int(c.why[at])))


def by_definition(types, a, b, c, rules):
    a_fmt, b_fmt, c_fmt = types
    return [
        dot.legal(a_fmt, a[t, i].tolist(), b_fmt, b[t, :, j].tolist(), c_fmt, element, rules)
        for (t, i, j), element in elements(c)
    ]


def by_referee(types, a, b, c, rules):
    referee = Referee(*types, a.shape[-1], rules)
    rows = {at: referee.row(a[at].tolist()) for at in np.ndindex(*a.shape[:2])}
    columns = {(t, j): referee.column(b[t, :, j].tolist()) for t in range(len(b)) for j in range(b.shape[2])}
    return [referee.element(rows[t, i], columns[t, j], element) for (t, i, j), element in elements(c)]


def as_elements(legal: Legal):
    return [element for _, element in elements(legal)]


@pytest.mark.exhaustive(every=8)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_referee_equals_definition(regimes, types, rules, k):
    rng = np.random.default_rng([k, 11])
    for name in regimes.names:
        a, b, c = regimes.draw(name, rng, *types, (1, 2, 2, k))
        assert by_referee(types, a, b, c, rules) == by_definition(types, a, b, c, rules), name


def test_referee_equals_definition_on_f64(regimes, rules):
    types = FORMATS["f64"], FORMATS["f64"], FORMATS["f64"]
    rng = np.random.default_rng(3)
    for name in ("normal", "wild", "specials", "subnormal", "overflow"):
        a, b, c = regimes.draw(name, rng, *types, (1, 2, 2, 2))
        want = by_definition(types, a, b, c, rules)
        assert by_referee(types, a, b, c, rules) == want, name
        got = multiply_add(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c=c, rules=rules)
        assert as_elements(got) == want


@pytest.mark.exhaustive(every=4)
def test_bulk_equals_referee(regimes, types, rules):
    rng = np.random.default_rng(5)
    for name in regimes.names:
        for shape in ((2, 4, 5, 16), (3, 3, 2, 1), (2, 3, 3, 3)):
            a, b, c = regimes.draw(name, rng, *types, shape)
            got = as_elements(products.multiply_add(types[0], a, types[1], b, c, rules))
            assert got == by_referee(types, a, b, c, rules), (name, shape)


@pytest.mark.parametrize("mode", [Mode.TOWARD_ZERO, Mode.DOWN, Mode.UP], ids=lambda mode: mode.name)
@pytest.mark.parametrize("sign", [0, 1])
def test_directed_sums_beyond_the_range_with_something_flushed(mode, sign):
    """Twice the largest power of two and more, beside a subnormal that may be flushed: Inf is legal in every mode."""
    bf16, f32 = FORMATS["bf16"], FORMATS["f32"]
    flip = np.uint64(sign << 15)
    a = np.array([[[0x7F7F, 0x0001]]], np.uint64) ^ flip
    b = np.array([[[0x3F80], [0x3F80]]], np.uint64)
    c = Legal.from_bits(f32, np.array([[[0x7B80_0000 | sign << 31]]], np.uint64))
    rules = FloatRules(rounding=mode, flush_inputs=True)
    got = as_elements(products.multiply_add(bf16, a, bf16, b, c, rules))
    assert got == by_referee((bf16, bf16, f32), a, b, c, rules)
    assert f32.infinity_magnitude * (1 - 2 * sign) in (got[0].lo, got[0].hi)
