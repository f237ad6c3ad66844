"""A golden example with something wrong is a clear error or another case."""

from __future__ import annotations

from importlib import resources
from random import Random

from mmaspec.generators.golden import case_of, golden_ids, read_golden
from mmaspec.oracle.expect import expect
from tests.damage import damaged, refusal


def test_damaged_examples_are_refused_or_other_cases(times: int) -> None:
    draw = Random(3)  # noqa: S311 - the same mutations every time
    folder = resources.files("mmaspec.examples").joinpath("clauses")
    texts = [folder.joinpath(f"{clause}.toml").read_bytes() for clause in golden_ids()[::20]]

    def used() -> None:
        expect(case_of(read_golden(damaged(draw.choice(texts), draw), "golden.toml")))

    said = [refusal(used) for _ in range(200 * times)]
    assert {bool(line) for line in said} == {True, False}
