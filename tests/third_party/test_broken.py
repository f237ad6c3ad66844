"""A third party's broken specification is one clear line where it is asked for, and nobody else's trouble."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmaspec.backends import faults
from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.numpy import devices
from mmaspec.oracle.spec import flaws, spec_named
from mmaspec.programs.call_shapes import takes
from mmaspec.programs.specifications import clauses_of, ours, part
from mmaspec.strategies import grammar
from mmaspec.strategies.enumerate import grammar_of

MESSAGES = {
    "raises": "specification 'raises' (package broken_raises of of-raises 2.5): broken_raises.oracle cannot be "
    "imported: RuntimeError: first line second line",
    "leaves": "specification 'leaves' (package broken_leaves of of-leaves 2.5): broken_leaves.oracle cannot be "
    "imported: SystemExit: 5",
    "lacks": "specification 'lacks' (package broken_lacks of of-lacks 2.5): broken_lacks.oracle has no Spec called "
    "SPEC",
    "absent": "specification 'absent' (package broken_absent of of-absent 2.5): broken_absent.oracle cannot be "
    "imported: ModuleNotFoundError: No module named 'broken_absent'",
    "claimed": "specification 'claimed' is claimed by package one of one 1 and by package other of other 1",
}


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("spec", MESSAGES)
def test_who_asks_for_it_gets_one_line(with_broken: Any, spec: str) -> None:
    done = with_broken("check", "--list", "--spec", spec)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mmaspec: {MESSAGES[spec]}\n")


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("explain", "RDNA3-MMA"),
        ("faults",),
        ("backends",),
        ("check", "--list", "--spec", "amd-rdna3-wmma"),
        ("check", "--list", "--spec", "amd-rdna3-wmma", "--backend", "legal:reversed"),
    ],
    ids=" ".join,
)
def test_others_do_not_notice(with_broken: Any, with_toy: Any, words: tuple[str, ...]) -> None:
    done, usual = with_broken(*words), with_toy(*words)
    assert done.returncode == usual.returncode
    assert not any(name in done.stdout + done.stderr for name in ("broken_", "Traceback"))
    if words[0] in {"--help", "explain", "check"}:
        assert (done.stdout, done.stderr) == (usual.stdout, usual.stderr)


ADAPTERS = Path(__file__).parents[1] / "front" / "adapters.py"


def test_a_check_of_every_specification_goes_on_without_it(with_broken: Any, tmp_path: Path) -> None:
    """It has a line of its own, and the verdict is inconclusive at best; so it is where a run goes on."""
    words = ("check", "--backend", f"{ADAPTERS}:Silent", "-n", "0", "--report", str(tmp_path / "run"))
    for done in (with_broken(*words), with_broken(*words, "--resume")):
        assert (done.returncode, done.stderr) == (3, ""), done.stderr
        headline, *lines = done.stdout.splitlines()
        assert headline.startswith("inconclusive: no case: the backend reports no caps for amd-rdna3-wmma, hlsl-")
        assert f"; could not be used: {', '.join(sorted(MESSAGES))}" in headline
        for spec, message in MESSAGES.items():
            assert f"  {spec} could not be used: {message}" in lines
    listed = with_broken("check", "--list", "--backend", f"{ADAPTERS}:Silent")
    assert listed.returncode == 0
    assert f"raises could not be used: {MESSAGES['raises']}" in listed.stdout


def test_the_listing_says_what_is_wrong(with_broken: Any) -> None:
    done = with_broken("specs")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()[1:] if not line.startswith(" ")]
    assert names == sorted({*ours(), *MESSAGES})
    for spec, message in MESSAGES.items():
        assert any(line.startswith(spec) and message[:60] in line for line in done.stdout.splitlines()), spec


UNREAD = """
import importlib.metadata, sys
def boom(*_, **__): raise AssertionError("entry points are read")
importlib.metadata.entry_points = boom
from mmaspec.__main__ import main
sys.argv = ["mmaspec", *sys.argv[1:]]
main()
"""


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("words", [("--help",), ("clauses", "nv-coopmat2"), ("specs",)], ids=" ".join)
def test_entry_points_are_read_when_needed_only(with_toy: Any, words: tuple[str, ...]) -> None:
    done = with_toy(*words, code=UNREAD)
    assert ("entry points are read" in done.stderr) == (words == ("specs",)), done.stderr


SAID = """
import json
from mmaspec.backends.faults import defects_of, faults_of
from mmaspec.backends.numpy.devices import device_of
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.enumerate import case_list, grammar_of

said = {}
for name in SPECS:
    try:
        for load in (spec_named, grammar_of, device_of, faults_of, defects_of):
            load(name)
        if name.startswith(("template", "rejected", "sound")):
            case_list(name, spec_named(name).default_caps, "quick")
    except BadInput as error:
        said[name] = str(error)
print(json.dumps(said))
"""
"""What is said of each specification that is wrong."""


def test_every_mistake_is_one_line_that_names_the_package(with_wrong: Any) -> None:
    mmaspec, says = with_wrong
    done = mmaspec(code=SAID)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == says


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ["rows-no-function", "near-miss-unknown", "fault-unknown", "template-raises"])
def test_a_check_of_it_ends_with_that_line(with_wrong: Any, spec: str) -> None:
    mmaspec, says = with_wrong
    done = mmaspec("check", "--list", "--spec", spec)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mmaspec: {says[spec]}\n")


def test_mistakes_are_listed_and_the_rest_too(with_wrong: Any) -> None:
    mmaspec, says = with_wrong
    done = mmaspec("specs")
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0]: line for line in done.stdout.splitlines()[1:] if not line.startswith(" ")}
    assert {*ours(), "sound", *says} <= set(listed)
    late = {"template-raises", "template-breaks-a-rule", "rejected-raises", "rejected-returns-none"}
    for spec in says:
        assert ("specification" in listed[spec]) == (spec not in late), listed[spec]
    assert "Toy multiply-accumulate" in listed["sound"]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("words", [("check", "--list", "--spec", "amd-rdna3-wmma"), ("--help",)], ids=" ".join)
def test_mistakes_are_no_trouble_of_others(with_wrong: Any, with_toy: Any, words: tuple[str, ...]) -> None:
    done, usual = with_wrong[0](*words), with_toy(*words)
    assert (done.returncode, done.stdout, done.stderr) == (0, usual.stdout, usual.stderr)


def test_faults_of_one_that_is_wrong_are_an_error(with_wrong: Any) -> None:
    mmaspec, says = with_wrong
    done = mmaspec("faults", "--spec", "fault-unknown")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mmaspec: {says['fault-unknown']}\n")
    assert "toy-by-columns" in mmaspec("faults", "--spec", "sound").stdout


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(
    "words",
    [("explain", "NOT-A-CLAUSE"), ("example", "NOT-A-CLAUSE"), ("check", "--backend", "fault:no-such", "--list")],
    ids=" ".join,
)
def test_what_is_not_found_may_be_in_one_that_is_broken(with_broken: Any, with_toy: Any, words: Any) -> None:
    done = with_broken(*words, *(("--spec", "amd-rdna3-wmma") if words[0] == "check" else ()))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "; could not be loaded: specification 'absent' of package broken_absent, specification 'claimed' of " in (
        done.stderr
    )
    assert "could not be loaded" not in with_toy(*words).stderr


@pytest.mark.parametrize("name", ours())
def test_ours_are_as_others_have_to_be(name: str) -> None:
    """At run time only third parties' parts are looked at, so here ours."""
    spec, known = spec_named(name), clauses_of(name)
    device = devices.device_of(name)
    assert device is not None
    assert list(flaws(spec)) == []
    assert list(grammar.flaws(grammar_of(name), spec.catalogue)) == []
    assert list(devices.flaws(device)) == []
    assert list(faults.flaws(faults.faults_of(name), name)) == []
    assert list(part(name, "faults", "DEFECTS", Plan).flaws(known)) == []
    assert list(part(name, "faults", "DEFECTS", Plan).flaws(frozenset())) != []


def test_calls_are_bound_without_being_made() -> None:
    def fails(one: int, two: int = 1) -> float:
        return (one + two) / 0

    def needs(*, key: int) -> int:
        return key

    assert [takes(fails, count) for count in range(4)] == [False, True, True, False]
    assert takes(lambda *_: 1 // 0, 3)
    assert not takes(needs, 0)
    assert not takes(5, 0)
