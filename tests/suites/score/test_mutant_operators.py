"""What each operator makes of a small text, and what is left alone."""

from __future__ import annotations

import ast

import pytest

from mmaspec.suites.score.mutants.operators import OPERATORS
from mmaspec.suites.score.mutants.sites import Mutation, constants_read, mutated, mutations, readers


def made(body: str, operator: str) -> set[str]:
    """What an operator makes of the statement of a function."""
    source = f"def f(a, b, x):\n    {body}\n"
    return {mutation.after for mutation in mutations(source) if mutation.operator == operator}


MADE: list[tuple[str, str, set[str]]] = [
    ("arithmetic", "g(a + b)", {f"g(a {sign} b)" for sign in ("-", "*", "//", "%", "<<", ">>", "&", "|")}),
    ("arithmetic", "a += b", {f"a {sign}= b" for sign in ("-", "*", "//", "%", "<<", ">>", "&", "|")}),
    ("comparison", "g(a < b)", {f"g(a {sign} b)" for sign in ("<=", ">", ">=", "==", "!=")}),
    ("constant", "g(7, True)", {"g(8, True)", "g(6, True)"}),
    ("constant", "g(-1)", {"g(0)", "g(-2)"}),
    ("swap", "g(a - b, a + b, a - a)", {"g(b - a, a + b, a - a)"}),
    ("negation", "return a if not b else x", {"return a if b else x"}),
    ("negation", "return [c for c in x if c]", {"return [c for c in x if not c]"}),
    ("negation", "while a: b()", {"while not a: b()"}),
    ("extreme", "a = min(a, b)", {"a = max(a, b)", "a = a", "a = b"}),
    ("extreme", "a = np.minimum(a, b, x)", {"a = np.maximum(a, b, x)"}),
    ("extreme", "a = np.clip(a, 0, b)", {"a = a"}),
    ("junction", "g(a and b)", {"g(a or b)"}),
    ("argument", "g(a, b, x)", {"g(b, a, x)", "g(a, x, b)"}),
    ("argument", "g(*a, b)", set()),
    ("argument", "max(a, b)", set()),
    ("subscript", "g(x[a, b])", {"g(x[b, a])"}),
    ("return", "return a - b", {"return a", "return b"}),
    ("return", "return a.reshape(b)", {"return a", "return b"}),
    ("return", "return np.swapaxes(a, -1, b)", {"return a", "return -1", "return b"}),
    ("deletion", "a = b", {"pass"}),
    ("deletion", "new = b", set()),
    ("deletion", "x[a] = b", {"pass"}),
    ("deletion", "if a: b()", {"if a: pass"}),
    ("deletion", "if a: b -= 1", {"pass"}),
]


@pytest.mark.parametrize(("operator", "body", "after"), MADE)
def test_what_an_operator_makes(operator: str, body: str, after: set[str]) -> None:
    assert made(body, operator) == after


def test_every_operator_is_tried() -> None:
    assert {operator for operator, _, _ in MADE} == set(OPERATORS)


LEFT_ALONE = '''
"""A text of 1 + 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["a" + "b"]

Kind: TypeAlias = Literal[1, 2] | None


@dataclass(frozen=1 > 0)
class Kept:
    """A field."""

    size: int = 1


@decorated(1 + 1)
def f(a: Literal[1, 2]) -> dict[str, int]:
    """It has one, 1."""
    assert a == 1
    text: dict[int, str] = "a" + "b"
    if isinstance(a, int | str):
        raise ValueError(f"{a + 1} is not 1" + g(1))
    return f"{a + 1:>{2}}"
'''


def test_what_is_left_alone() -> None:
    """Texts, annotations, fields, decorators, assertions, what is raised; only the branch and the constant stay."""
    assert {(mutation.operator, mutation.function) for mutation in mutations(LEFT_ALONE)} == {
        ("negation", "f"),
        ("deletion", "f"),
    }


def test_every_mutation_of_a_text_is_found_again_and_alone() -> None:
    source = """
N = 1 << 4


def f(x, y=2):
    for i in range(N):
        if i > y and x[i, 0]:
            x -= max(i, N - 1)
    return x
"""
    seen: set[str] = {ast.unparse(ast.parse(source))}
    for mutation in mutations(source):
        text = ast.unparse(mutated(source, mutation.operator, mutation.node, mutation.variant))
        assert text not in seen, mutation
        seen.add(text)
    assert len(seen) > 40


def test_lines_and_functions_are_told() -> None:
    source = """class A:
    def f(self, x):
        if (
            x
        ):
            return x + (
                1
            )
"""
    found: dict[str, Mutation] = {mutation.operator: mutation for mutation in mutations(source)}
    assert {mutation.function for mutation in found.values()} == {"A.f"}
    assert found["negation"].lines == (3, 4)
    assert found["constant"].lines == (7,)
    assert found["arithmetic"].lines == (6, 7, 8)


def test_readers_of_constants() -> None:
    source = "A = 2\nB: int = A + 1\n\n\ndef f(x: A) -> B:\n    return x[B]\n"
    assert readers(source) == {"x": {6}, "B": {6}}
    assert constants_read(source) == {"B": {"A"}}
