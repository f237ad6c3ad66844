"""The regime in which infinite products meet infinite addends: what each item of the batch has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.numerics.ordinals import is_inf, is_nan
from mmaspec.programs.formats import format_named
from mmaspec.strategies.regimes.catalogue import draw
from mmaspec.strategies.regimes.met_infinities import ITEMS, KINDS


@pytest.mark.parametrize("form", [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f32", "f32")])
def test_products_and_addends_meet_in_every_way(triple: Any, form: tuple[str, str]) -> None:
    factor, addend = map(format_named, form)
    drawn = {name: bits[:, 0, 0] for name, bits in draw("met-infinities", 3, triple(*form), ITEMS).items()}
    a, b, c = drawn["A"], drawn["B"], drawn["C"]
    seen = set()
    for item in range(ITEMS):
        kind = KINDS[item % len(KINDS)]
        special = [int((is_inf(factor, one[item]) | is_nan(factor, one[item])).sum()) for one in (a, b)]
        assert special == ([1, 0] if item // 4 % 2 == 0 else [0, 1])
        nans = [int(is_nan(fmt, one[item]).sum()) for fmt, one in ((factor, a), (factor, b), (addend, c))]
        assert sum(nans) == (kind in ("nan-in-factor", "nan-in-addend"))
        infinite = is_inf(addend, c[item])
        assert infinite.sum() == (kind in ("opposite", "alike"))
        if infinite.any():
            ((row, col),) = np.argwhere(infinite)
            products = is_inf(factor, a[item, row]) | is_inf(factor, b[item, :, col])
            (k,) = np.flatnonzero(products)
            signs = [
                int(bits) & fmt.sign_bit != 0 for fmt, bits in ((factor, a[item, row, k]), (factor, b[item, k, col]))
            ]
            assert not is_inf(factor, b[item, k, col]) or int(a[item, row, k]) == factor.bias << factor.fraction_bits
            negative = signs[0] != signs[1]
            assert ((int(c[item, row, col]) & addend.sign_bit != 0) == negative) == (kind == "alike")
            seen.add((kind, item // 4 % 2, negative))
    assert len(seen) == 8


def test_every_number_of_rows_meets_them(source: Any) -> None:
    """Of several left factors and addends, in pairs."""
    rows = (1, 2, 4, 8)
    left = [source(f"A{m}", "a", "f16", (2, 1, m, 16)) for m in rows]
    addends = [source(f"C{m}", "c", "f32", (2, 1, m, 8)) for m in rows]
    drawn = draw("met-infinities", 3, (*left, source("B", "b", "f16", (1, 1, 16, 8)), *addends), ITEMS)
    for one in (*left, *addends):
        assert is_inf(one.fmt, drawn[one.name]).any(axis=(0, 2, 3, 4)).all(), one.name
        assert is_nan(one.fmt, drawn[one.name]).any(axis=(0, 2, 3, 4)).all(), one.name
