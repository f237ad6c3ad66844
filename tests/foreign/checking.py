"""Operands for foreign arithmetic, their exact products, and a part of the quick tier judged in this process."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.arithmetic_only import DTYPES, Array, Shape, Types
from mmaspec.backends.protocol import Backend
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run

SHAPE = Shape(16, 24, 32)


def operands(types: Types) -> tuple[Shape, Array, Array, Array]:
    """Byte operands with all values, extreme ones throughout in the first item, and sums that wrap."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 256, (4, SHAPE.m, SHAPE.k)).astype(np.uint8).view(DTYPES[types.a])
    b = rng.integers(0, 256, (4, SHAPE.k, SHAPE.n)).astype(np.uint8).view(DTYPES[types.b])
    c = rng.integers(-(1 << 31), 1 << 31, (4, SHAPE.m, SHAPE.n)).astype(np.int32)
    a[0], b[0], b[1] = np.iinfo(a.dtype).max, np.iinfo(b.dtype).max, np.iinfo(b.dtype).min
    c[0], c[1] = (1 << 31) - 1, -(1 << 31)
    return SHAPE, a, b, c


def exact(a: Array, b: Array, c: Array) -> Array:
    """The low 32 bits of A times B plus C."""
    return np.asarray((a.astype(np.int64) @ b.astype(np.int64) + c).astype(np.int32))


def checked(backend: Backend, spec: str, every: int = 5) -> Run:
    """A part of the quick tier, without near misses and without proof of sensitivity."""
    plan, recipes = prepare(Wanted(backend="test", specs=(spec,), tier="quick"), backend)
    chosen = [recipe for recipe in recipes if not recipe.target][::every]
    case_judge = CaseJudge(backend, plan.description, plan.profile, {recipe.id: () for recipe in chosen})
    return assemble(plan, [case_judge.judge_listed(recipe)[0] for recipe in chosen], {})
