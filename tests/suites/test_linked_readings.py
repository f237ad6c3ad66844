"""What no reading explains concerns the ambiguities of the cases that contradict each other, and no others."""

from __future__ import annotations

from mmaspec.suites.verdict.assemble import _linked

A, B, C = "AMB-1", "AMB-2", "AMB-3"


def test_ambiguities_of_one_case_are_linked_and_others_are_apart() -> None:
    both, alone, other = (((A, "x"), (B, "y")),), (((B, "z"),),), (((C, "u"),), ((C, "v"),))
    found = {tuple(names): cases for names, cases in _linked([both, other, alone])}
    assert found == {(A, B): [both, alone], (C,): [other]}


def test_a_case_may_link_what_was_apart() -> None:
    first, second, third = (((A, "x"),),), (((B, "y"),),), (((A, "x"),), ((B, "z"), (C, "u")))
    ((names, cases),) = _linked([first, second, third])
    assert names == [A, B, C]
    assert sorted(cases) == sorted([first, second, third])
