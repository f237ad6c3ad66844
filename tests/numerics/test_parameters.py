"""What t and f come to, by hand: where exactness ends (the window) and how far the envelope goes (eps).

Every engine is asked about sums at the edge. The numbers in the tables follow from the rule alone: w is the least of t,
f + 1 and, unless the final rounding is declared, the significand of D; eps = 2^-g with the lesser of t - 1 and f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from mmaspec.oracle.numerics.bulk import products
from mmaspec.oracle.numerics.codec import value
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.definition import dot
from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.definition.referee import Referee
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.rounding import ceil_ordinal, floor_ordinal, round_to, round_to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

F16, F32 = FORMATS["f16"], FORMATS["f32"]
CUT, DOWN, UP = Mode.TOWARD_ZERO, Mode.DOWN, Mode.UP

Codes = Sequence[int]
Engine = Callable[[Codes, Codes, Format, int, FloatRules], LegalElement]


def definition(a: Codes, b: Codes, fmt: Format, c: int, rules: FloatRules) -> LegalElement:
    return dot.legal(F16, a, F16, b, fmt, addend(fmt, c), rules)


def referee(a: Codes, b: Codes, fmt: Format, c: int, rules: FloatRules) -> LegalElement:
    judge = Referee(F16, F16, fmt, len(a), rules)
    return judge.element(judge.row(a), judge.column(b), addend(fmt, c))


def batch(a: Codes, b: Codes, fmt: Format, c: int, rules: FloatRules) -> LegalElement:
    """What a run asks: the fast path, or the referee where the final rounding is declared."""
    left, right = np.array([[a]], np.uint64), np.array([b], np.uint64)[..., None]
    given = Legal.from_bits(fmt, np.array([[[c]]], np.uint64))
    found = multiply_add(a_fmt=F16, a=left, b_fmt=F16, b=right, c=given, rules=rules)
    return LegalElement(found.lo.item(), found.hi.item(), found.nan.item())


ENGINES = [definition, referee, batch]


def addend(fmt: Format, code: int) -> LegalElement:
    ordinal = code if code < fmt.sign_bit else fmt.sign_bit - code
    return LegalElement(ordinal, ordinal)


def code(fmt: Format, number: Fraction | int) -> int:
    """The code of a number that the format holds."""
    found = round_to(fmt, Fraction(number), CUT)
    assert value(fmt, found) == number
    return found


def powers(exponents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Operands whose products are these powers of two, each operand a normal f16."""
    left = [exponent // 2 for exponent in exponents]
    assert all(F16.emin <= low and high - low <= F16.emax for low, high in zip(left, exponents, strict=True))
    return (
        [code(F16, Fraction(2) ** low) for low in left],
        [code(F16, Fraction(2) ** (high - low)) for low, high in zip(left, exponents, strict=True)],
    )


def rules_of(t: int | None, f: int | None, final: Mode | None, **more: str) -> FloatRules:
    return FloatRules(accumulator_precision=t, kept_fraction_bits=f, final_rounding=final, **more)  # type: ignore[arg-type]


WINDOWS = [
    # accumulator, t, f, final rounding, w
    ("f32", None, None, None, 24),
    ("f32", None, 9, None, 10),
    ("f32", None, 22, None, 23),
    ("f32", None, 23, None, 24),
    ("f32", None, 30, None, 24),
    ("f32", 14, 13, None, 14),
    ("f32", 12, None, None, 12),
    ("f32", 12, 20, None, 12),
    ("f32", 12, 5, None, 6),
    ("f32", 30, 28, None, 24),
    ("f32", 30, 28, CUT, 29),
    ("f32", 30, 9, DOWN, 10),
    ("f16", None, None, None, 11),
    ("f16", None, 9, None, 10),
    ("f16", 24, None, None, 11),
    ("f16", 24, None, UP, 24),
    ("f16", 24, 14, None, 11),
    ("f16", 24, 14, CUT, 15),
    ("f16", 9, 20, CUT, 9),
    ("bf16", None, 5, None, 6),
    ("bf16", 24, 30, None, 8),
    ("bf16", 24, 30, DOWN, 24),
]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize(("name", "t", "f", "final", "w"), WINDOWS)
def test_sums_are_exact_up_to_the_window_and_no_further(
    engine: Engine, name: str, t: int | None, f: int | None, final: Mode | None, w: int
) -> None:
    """Quanta 1, 2, 4, ... 2^(w - 1) add up to one less than the window holds; another 1 is one too many."""
    fmt, rules, quantum = FORMATS[name], rules_of(t, f, final), -12
    full = [quantum + bit for bit in range(w)]
    for exponents, exact in ((full, True), ([*full, quantum], False), ([*full, quantum, quantum], False)):
        x = sum(Fraction(2) ** exponent for exponent in exponents)
        once = round_to_ordinal(fmt, x, final or CUT)
        alone = engine(*powers(exponents), fmt, 0, rules)
        with_addend = engine(*powers(exponents[1:]), fmt, code(fmt, Fraction(2) ** quantum), rules)
        for found in (alone, with_addend):
            assert (found == LegalElement(once, once)) == exact
            assert found.lo <= once <= found.hi


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_one_beyond_nine_fraction_bits_may_be_lost(engine: Engine) -> None:
    """With f = 9 the 1 of 1024 + 1 may be cut off, and that of 1022 + 1 may not."""
    rules = FloatRules(kept_fraction_bits=9)
    lost = engine([code(F16, 32), code(F16, 1)], [code(F16, 32), code(F16, 1)], F32, 0, rules)
    # K = 2, so n eps = 6/512; of S* = 1025 that is 12 and 12/1024, and n eps as much again: 12.1525
    low, high = (Fraction(number) for number in ("1012.8475", "1037.1525"))
    for end, near in ((lost.lo, low), (lost.hi, high)):
        assert abs(value(F32, end) - near) < Fraction(1, 2**13)
    assert lost.lo < code(F32, 1024) < code(F32, 1025) < lost.hi
    kept = engine([code(F16, 511), code(F16, 1)], [code(F16, 2), code(F16, 1)], F32, 0, rules)
    assert kept == LegalElement(code(F32, 1023), code(F32, 1023))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_a_bit_that_the_result_has_no_room_for_is_not_exact(engine: Engine) -> None:
    """2049 in f16, summed in 24 bits: either neighbour is a faithful rounding; a declared mode decides."""
    ones, c = ([code(F16, 1)], [code(F16, 1)]), code(F16, 2048)
    either = engine(*ones, F16, c, FloatRules(accumulator_precision=24))
    assert either == LegalElement(c, c + 1)
    for mode, answer in ((Mode.NEAREST_EVEN, c), (UP, c + 1)):
        only = engine(*ones, F16, c, FloatRules(accumulator_precision=24, final_rounding=mode))
        assert only == LegalElement(answer, answer)


ENVELOPES = [
    # accumulator, t, f, final rounding, g with eps = 2^-g
    ("f32", None, None, None, 23),
    ("f32", None, 9, None, 9),
    ("f32", None, 22, None, 22),
    ("f32", None, 30, None, 23),
    ("f32", 14, 13, None, 13),
    ("f32", 12, None, None, 11),
    ("f32", 12, 20, None, 11),
    ("f32", 12, 5, None, 5),
    ("f32", 28, 26, None, 26),
    ("f32", 28, 26, DOWN, 26),
    ("f16", None, None, None, 10),
    ("f16", None, 9, None, 9),
    ("f16", 16, None, None, 15),
    ("f16", 16, None, UP, 15),
    ("f16", 16, 12, DOWN, 12),
    ("f16", 9, 20, None, 8),
    ("bf16", None, 5, None, 5),
    ("bf16", 16, 14, None, 14),
]


def envelope(fmt: Format, parts: Sequence[Fraction], final: Mode | None, g: int) -> LegalElement:
    """Rule E for two terms, c and one product: K = 1, so n eps = 2^(2 - g)."""
    x = sum(parts, Fraction(0))
    n_eps = Fraction(4, 2**g)
    bound = n_eps * (1 + n_eps) * x + 4 * Fraction(2) ** fmt.qmin
    if final is not None:
        return LegalElement(round_to_ordinal(fmt, x - bound, final), round_to_ordinal(fmt, x + bound, final))
    return LegalElement(floor_ordinal(fmt, x - bound), ceil_ordinal(fmt, x + bound))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize(("name", "t", "f", "final", "g"), ENVELOPES)
def test_the_envelope_ends_where_eps_says(
    engine: Engine, name: str, t: int | None, f: int | None, final: Mode | None, g: int
) -> None:
    """16 and a term just inside the envelope, and just outside it: one may vanish and the other may not."""
    fmt, rules = FORMATS[name], rules_of(t, f, final, window="reported")
    c, told = Fraction(16), set()
    for exponent in (5 - g, 6 - g, 7 - g):  # n eps c = 2^(6 - g)
        parts = c, Fraction(2) ** exponent
        want = envelope(fmt, parts, final, g)
        assert engine(*powers([exponent]), fmt, code(fmt, c), rules) == want
        told |= {other for other in (g - 1, g + 1) if envelope(fmt, parts, final, other) != want}
    assert told == {g - 1, g + 1}, "an eps of half or twice the size would not show"


def test_the_fast_path_is_the_one_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """`batch` goes through the float64 engine wherever no final rounding is declared."""
    asked = []
    real = products.multiply_add
    monkeypatch.setattr(products, "multiply_add", lambda *given: asked.append(1) or real(*given))
    for final in (None, CUT):
        batch(*powers([0]), F32, 0, rules_of(None, 9, final))
    assert len(asked) == 1
