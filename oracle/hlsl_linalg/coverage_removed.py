"""Coverage points of what only the text of 2025-09-19 has."""

from __future__ import annotations

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.hlsl_linalg.program import Matrix
from mmaspec.programs.hlsl_linalg.removed import Operate, Unary

Points = tuple[str, ...]

TRIGONOMETRIC = ("sin", "cos", "tan")
"""Functions of which the special values alone are stated."""


def of_operate(operate: Operate, matrix: Matrix, legal: Legal) -> Points:
    """LINALG-FP-NAN where NaN may be, and the operator by the type of its matrix."""
    nan = (f"LINALG-FP-NAN/{operate.op}",) if legal.fmt.is_float and legal.some_nan() else ()
    return (*nan, f"LINALG-ELEMWISE/{operate.op}-{matrix.component}")


def of_unary(unary: Unary, matrix: Matrix) -> Points:
    """How near practice wants it, then the function, by the type of its matrix."""
    kind = f"{unary.op}-{matrix.component}"
    if unary.op in TRIGONOMETRIC:
        return f"LINALG-UNARY-NEAR/{kind}", f"LINALG-UNARY-TRIG/{kind}"
    return (f"LINALG-UNARY/{kind}",)


def of_sum_accumulate(matrix: Matrix, legal: Legal) -> Points:
    """LINALG-FP-NAN where NaN may be, and the sum by type and scope."""
    nan = ("LINALG-FP-NAN/sum-accumulate",) if format_of(matrix.component).is_float and legal.some_nan() else ()
    return (*nan, f"LINALG-SUMACC/{matrix.component}-{matrix.scope}")


def of_vectors_taken(matrix: Matrix, *, surplus: bool) -> Points:
    """Threads that give nothing, then the vectors themselves, by use and scope."""
    more = (f"LINALG-FROMVEC-SURPLUS/{matrix.use}-{matrix.scope}",) if surplus else ()
    return (*more, f"LINALG-FROMVEC/{matrix.use}-{matrix.scope}")


def of_vector_given(matrix: Matrix, *, beyond: bool, index: int, taken: bool) -> Points:
    """Threads beyond the matrix; that it was made of such vectors (``taken``); then the vectors, by use and index."""
    found = [f"LINALG-GETVEC-BEYOND/{matrix.use}-{matrix.scope}"] if beyond else []
    if taken and not index:
        found.append(f"LINALG-GETVEC-INVERSE/{matrix.use}-{matrix.scope}")
    return (*found, f"LINALG-GETVEC/{matrix.use}-{matrix.scope}-{'further' if index else 'first'}")
