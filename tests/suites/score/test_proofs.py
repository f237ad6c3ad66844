"""Every class is proved by a case of the smoke list: one in which a mistake there is noticed."""

from __future__ import annotations

import json

import pytest

from mmaspec.programs.specifications import ours
from mmaspec.suites.pool import processes
from mmaspec.suites.score.classes import proofs
from mmaspec.suites.score.classes.gaps import gaps_of
from mmaspec.suites.score.classes.mutant import Mutant, sample
from mmaspec.suites.score.classes.proofs import Proofs

SPEC = "amd-rdna3-wmma"


@pytest.mark.parametrize("spec", ours())
def test_every_class_is_proved(spec: str) -> None:
    """After a change of lists, axes or judgements `python -m mmaspec.suites.score.classes.proofs` looks again."""
    stored = proofs.read(spec)
    known = {mutant.text for mutant in proofs.mistakes(spec)}
    missing = known - set(stored.proved)
    assert missing == set(gaps_of(spec)), "no case of smoke is known to notice a mistake there, or a gap was closed"
    listed = {recipe.id for recipe in proofs.smoke(spec)}
    assert {name: case for name, case in stored.proved.items() if name in known and case not in listed} == {}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_a_sample_is_noticed_again(spec: str, times: int) -> None:
    stored = proofs.read(spec).proved
    some = sample(tuple(one for one in proofs.mistakes(spec) if one.text in stored), 4 * times, 7)
    with processes(1) as over:
        assert set(proofs.still_proved(spec, some, over)) == set(some)


def test_what_a_stored_case_does_not_prove_is_looked_for_in_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    recipes = proofs.smoke(SPEC)[:12]
    proved = [one for one in proofs.mistakes(SPEC) if one.group == "load"][:6]
    never = Mutant("load", (("argument-kind", "no such kind"),))
    monkeypatch.setattr(proofs, "smoke", lambda _: recipes)
    monkeypatch.setattr(proofs, "mistakes", lambda _: (*proved, never))
    monkeypatch.setattr(proofs, "read", lambda _: Proofs({proved[0].text: recipes[-1].id, proved[1].text: "gone"}))
    found = proofs.computed(SPEC, 1, lambda *_: None)
    assert found.unproved[never.text] == "unseen"
    assert set(found.proved) | set(found.unproved) == {one.text for one in (*proved, never)}
    assert proved[1].text in found.proved
    assert json.loads(proofs.text(found)) == {"proved": found.proved, "unproved": found.unproved}
