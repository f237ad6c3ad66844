"""Exhaustive sweeps of small domains: the fast engines against the definitions, and a digest of every answer.

``python -m mmaspec.generators.sweeps`` runs them whole, in some minutes; ``--sample`` takes few items of each, in
seconds, and ``--only NAME`` one sweep. Each line says how many answers were compared, how many differ, and whether
their digest is the stored one (``sweeps.toml``). Exit code 1 where any differs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from itertools import product
from typing import TypeAlias

import numpy as np

from mmaspec.oracle.numerics import codec, ordinals
from mmaspec.oracle.numerics.bulk import fixed_point, rounded
from mmaspec.oracle.numerics.integer_dot import integer_dot
from mmaspec.oracle.numerics.ordinals import Bits, Ordinals
from mmaspec.oracle.numerics.rounding import round_to, round_to_ordinal
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

Answers: TypeAlias = tuple[Ordinals, int]
"""Answers of the fast engine as int64, and how many of them the definition contradicts."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One domain: ``parts(step)`` yields the answers on every step-th item of it.

    ``sample`` is the step of a sample: a prime, so that it meets every exponent, sign and last bit.
    """

    name: str
    about: str
    sample: int
    parts: Callable[[int], Iterator[Answers]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a sweep: number of answers, how many differ from the definition, SHA-256 of all of them."""

    count: int
    differing: int
    digest: str


def run(sweep: Sweep, step: int) -> Outcome:
    """Run one sweep on every step-th item."""
    digest, count, differing = hashlib.sha256(), 0, 0
    for answers, wrong in sweep.parts(step):
        digest.update(np.ascontiguousarray(answers, "<i8").tobytes())
        count += answers.size
        differing += wrong
    return Outcome(count, differing, digest.hexdigest())


def stored() -> dict[str, dict[str, str]]:
    """The digests on record: by sweep, ``whole`` and ``sample``."""
    found: dict[str, dict[str, str]] = tomllib.loads(
        (resources.files("mmaspec.generators") / "sweeps.toml").read_text("utf-8")
    )
    return found


def _code_points(step: int) -> Iterator[Answers]:
    """Codes to ordinals and values and back: every code of formats up to 16 bits, the definition beside each."""
    for fmt in FORMATS.values():
        if fmt.bits > 16:
            continue
        bits = np.arange(0, 1 << fmt.bits, step, dtype=np.uint64)
        bits = bits[~ordinals.is_nan(fmt, bits)]
        found = ordinals.to_ordinal(fmt, bits)
        values = ordinals.exact_float64(fmt, bits).tolist()
        back = ordinals.from_ordinal(fmt, found).tolist()
        wrong = 0
        for code, value, again in zip(bits.tolist(), values, back, strict=True):
            number = codec.decode(fmt, code)
            if isinstance(number, codec.Special):
                wrong += value != (-np.inf if number.sign else np.inf) or again != code
            else:
                wrong += Fraction(value) != codec.value(fmt, code) or (again != code and value != 0)
        yield found, wrong


def _wide_code_points(step: int) -> Iterator[Answers]:
    """The same round trip for all 2^32 codes of f32, through float64 and back by rounding; no definition beside it."""
    fmt, size = FORMATS["f32"], 1 << 14
    for start in range(0, 1 << 32, size * step):
        bits = np.arange(start, min(start + size * step, 1 << 32), step, dtype=np.uint64)
        bits = bits[ordinals.magnitudes(fmt, bits) <= fmt.largest_magnitude]
        found = ordinals.to_ordinal(fmt, bits)
        values = ordinals.exact_float64(fmt, bits)
        again = fixed_point.round_ordinals(fmt, values, Mode.NEAREST_EVEN)
        same = (again == found) & (ordinals.float64_of_ordinals(fmt, found) == values)
        yield found, int(np.count_nonzero(~same))


def _boundaries(step: int) -> Iterator[Answers]:
    """f32 numbers at, beside and halfway between all neighbours of f16, bf16 and e5m2, rounded in every mode."""
    wide = FORMATS["f32"]
    for name in ("f16", "bf16", "e5m2"):
        fmt = FORMATS[name]
        finite = np.arange(-fmt.largest_magnitude, fmt.largest_magnitude, step, dtype=np.int64)
        low, high = (ordinals.float64_of_ordinals(fmt, at) for at in (finite, finite + 1))
        omega = float(ordinals.ordinal_value(fmt, fmt.largest_magnitude))
        beyond = np.array([omega, (omega + 2.0 ** (fmt.emax + 1)) / 2])
        marks = np.concatenate([low, (low + high) / 2, beyond, -beyond])  # all of them numbers of f32
        at = fixed_point.floor_ordinals(wide, marks)
        picks = np.unique(np.concatenate([at - 1, at, at + 1]))
        values = ordinals.float64_of_ordinals(wide, picks)
        exact = [Fraction(value) for value in values.tolist()]
        for mode in Mode:
            found = fixed_point.round_ordinals(fmt, values, mode)
            want = [round_to_ordinal(fmt, x, mode) for x in exact]
            yield found, int(np.count_nonzero(found != np.array(want)))


def _float_pairs(step: int) -> Iterator[Answers]:
    """All pairs of e4m3 and e5m2 codes, K = 1: products rounded to f32, f16 and bf16."""
    for a_name, b_name in product(("e4m3", "e5m2"), repeat=2):
        a_fmt, b_fmt = FORMATS[a_name], FORMATS[b_name]
        left, right = _every_code(a_fmt), _every_code(b_fmt, step)
        exact = [[_product(a_fmt, p, b_fmt, q) for q in right.tolist()] for p in left.tolist()]
        for name in ("f32", "f16", "bf16"):
            fmt = FORMATS[name]
            zero = np.zeros((1, len(left), len(right)), np.uint64)
            row, column = left[None, :, None], right[None, None, :]
            found = rounded.dot(a_fmt=a_fmt, a=row, b_fmt=b_fmt, b=column, c_fmt=FORMATS["f32"], c=zero, d_fmt=fmt)
            want = [[_rounded(fmt, x) for x in row] for row in exact]
            yield found.view(np.int64), int(np.count_nonzero(found[0] != np.array(want, np.uint64)))


def _every_code(fmt: Format, step: int = 1) -> Bits:
    return np.arange(0, 1 << fmt.bits, step, dtype=np.uint64)


def _product(a_fmt: Format, p: int, b_fmt: Format, q: int) -> Fraction | float:
    left, right = codec.decode(a_fmt, p), codec.decode(b_fmt, q)
    if isinstance(left, codec.Finite) and isinstance(right, codec.Finite):
        return codec.value(a_fmt, p) * codec.value(b_fmt, q)
    kinds = {
        n.kind if isinstance(n, codec.Special) else "zero" if n.significand == 0 else "number" for n in (left, right)
    }
    if "nan" in kinds or kinds == {"inf", "zero"}:
        return float("nan")
    return float("-inf") if left.sign != right.sign else float("inf")


def _rounded(fmt: Format, x: Fraction | float) -> int:
    if isinstance(x, Fraction):
        return round_to(fmt, x, Mode.NEAREST_EVEN)
    if x != x:
        return fmt.nan_bits
    return fmt.infinity_magnitude | (fmt.sign_bit if x < 0 else 0)


def _integer_pairs(step: int) -> Iterator[Answers]:
    """All pairs of 4- and 8-bit integers, K = 1, into s32 around both of its ends."""
    names = ("s4", "u4", "s8", "u8")
    into = FORMATS["s32"]
    for a_fmt, b_fmt in product((FORMATS[name] for name in names), repeat=2):
        left, right = _every_code(a_fmt), _every_code(b_fmt, step)
        sizes = np.outer(_integers(a_fmt, left), _integers(b_fmt, right))
        for c in (0, into.max_value, into.min_value):
            x = sizes + c
            shape = (1, len(left), len(right))
            row, column = left[None, :, None], right[None, None, :]
            addend = np.full(shape, c & into.mask, np.uint64)
            wrapped = integer_dot(a_fmt=a_fmt, a=row, b_fmt=b_fmt, b=column, c_fmt=into, c=addend)
            clamped = integer_dot(a_fmt=a_fmt, a=row, b_fmt=b_fmt, b=column, c_fmt=into, c=addend, overflow="saturate")
            yield wrapped.view(np.int64), int(np.count_nonzero(wrapped[0] != (x & into.mask).astype(np.uint64)))
            want = np.clip(x, into.min_value, into.max_value) & into.mask
            yield clamped.view(np.int64), int(np.count_nonzero(clamped[0] != want.astype(np.uint64)))


def _integers(fmt: Format, bits: Bits) -> Ordinals:
    return np.array([code - (1 << fmt.bits) if code & fmt.sign_bit else code for code in bits.tolist()], np.int64)


def _small_dots(step: int) -> Iterator[Answers]:
    """All four-bit dot products of K = 2: 2^16 for each pair of signednesses, against Python integers."""
    zero = np.zeros((1, 256, 256), np.uint64)
    codes = np.arange(256, dtype=np.uint64)
    pairs = np.stack([codes & np.uint64(15), codes >> np.uint64(4)], axis=-1)[None]
    for a_fmt, b_fmt in product((FORMATS["s4"], FORMATS["u4"]), repeat=2):
        found = integer_dot(
            a_fmt=a_fmt,
            a=pairs,
            b_fmt=b_fmt,
            b=pairs.swapaxes(1, 2)[..., ::step],
            c_fmt=FORMATS["s32"],
            c=zero[..., ::step],
        )
        left, right = ([_integers(fmt, pair).tolist() for pair in pairs[0]] for fmt in (a_fmt, b_fmt))
        want = [[(p[0] * q[0] + p[1] * q[1]) & 0xFFFFFFFF for q in right[::step]] for p in left]
        yield found.view(np.int64), int(np.count_nonzero(found[0] != np.array(want, np.uint64)))


SWEEPS = (
    Sweep("code-points", "every code of every format up to 16 bits, to its value and back", 7, _code_points),
    Sweep("f32-code-points", "every finite code of f32, to float64 and back by rounding", 1021, _wide_code_points),
    Sweep("boundaries", "f32 to f16, bf16 and e5m2 at and beside every boundary, in every mode", 251, _boundaries),
    Sweep("float-pairs", "all pairs of e4m3 and e5m2, into f32, f16 and bf16", 17, _float_pairs),
    Sweep("integer-pairs", "all pairs of s4, u4, s8 and u8, wrapped and clamped", 17, _integer_pairs),
    Sweep("small-dots", "all four-bit dot products of two terms", 17, _small_dots),
)
"""Every sweep, in the order in which they run."""


def main(arguments: list[str] | None = None) -> int:
    """Run the sweeps and print one line each; 1 where an answer or a digest differs."""
    parser = argparse.ArgumentParser(description="Exhaustive sweeps of the exact engines.")
    parser.add_argument("--sample", action="store_true", help="few items instead of all")
    parser.add_argument("--only", choices=[sweep.name for sweep in SWEEPS], help="one sweep instead of all")
    given = parser.parse_args(arguments)
    right = True
    for sweep in SWEEPS:
        if given.only not in (None, sweep.name):
            continue
        started = time.perf_counter()
        outcome = run(sweep, sweep.sample if given.sample else 1)
        same = stored().get(sweep.name, {}).get("sample" if given.sample else "whole") == outcome.digest
        right = right and same and outcome.differing == 0
        sys.stdout.write(
            f"{sweep.name:16} {outcome.count:>11} answers, {outcome.differing} differ, {outcome.digest[:16]} "
            f"({'as stored' if same else f'NOT as stored: {outcome.digest}'}), {time.perf_counter() - started:.1f} s\n"
        )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
