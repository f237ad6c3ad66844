"""A third party's broken specification is one clear line where it is asked for, and nobody else's trouble."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize("spec", MESSAGES)
def test_who_asks_for_it_gets_one_line(with_broken: Any, spec: str) -> None:
    done = with_broken("check", "--list", "--spec", spec)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mmaspec: {MESSAGES[spec]}\n")


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("explain", "RDNA3-MMA"),
        ("explain", "NOT-A-CLAUSE"),
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


def test_the_listing_says_what_is_wrong(with_broken: Any) -> None:
    done = with_broken("specs")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()[1:] if not line.startswith(" ")]
    assert names == sorted({"amd-rdna3-wmma", "hlsl-wave-matrix", "nv-coopmat2", *MESSAGES})
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


@pytest.mark.parametrize("words", [("--help",), ("clauses", "nv-coopmat2"), ("specs",)], ids=" ".join)
def test_entry_points_are_read_when_needed_only(with_toy: Any, words: tuple[str, ...]) -> None:
    done = with_toy(*words, code=UNREAD)
    assert ("entry points are read" in done.stderr) == (words == ("specs",)), done.stderr
