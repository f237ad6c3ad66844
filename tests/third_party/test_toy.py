"""A third party's specification, installed as a package of its own, does what ours do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OURS = ["amd-rdna3-wmma", "hlsl-linalg", "hlsl-wave-matrix", "intel-subgroup-mma", "nv-coopmat2"]


def test_it_is_listed_and_explained(with_toy: Any) -> None:
    listed = with_toy("specs").stdout.splitlines()
    assert [line.split()[0] for line in listed[1:]] == [*OURS, "toy-mac"]
    explained = with_toy("explain", "TOY-MAC").stdout
    assert "toy_mac/oracle: look for TOY-MAC" in explained
    assert "fault:toy-without-c" in explained
    assert "mmaspec example TOY-MAC" in explained


def test_every_clause_has_a_sensitive_case(with_toy: Any) -> None:
    done = with_toy("clauses", "toy-mac", "--matrix")
    assert done.returncode == 0, done.stderr
    for clause in ("TOY-ALIGN", "TOY-MAC", "TOY-ROW", "TOY-STORE"):
        assert f"\n{clause}" in done.stdout
    assert done.stdout.endswith("\n0 empty cells\n")


def test_a_run_ends_in_a_report(with_toy: Any, tmp_path: Path) -> None:
    done = with_toy("check", "--spec", "toy-mac", "-n", "0", "--report", str(tmp_path / "run"))
    assert done.returncode == 0, done.stdout + done.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert {name: clause["status"] for name, clause in run["specs"]["toy-mac"]["clauses"].items()} == dict.fromkeys(
        ("TOY-ALIGN", "TOY-MAC", "TOY-ROW", "TOY-STORE"), "pass"
    )
    assert "Toy multiply-accumulate" in (tmp_path / "run" / "report.html").read_text()
    assert "toy-mac" in (tmp_path / "run" / "junit.xml").read_text()


def test_a_wrong_device_fails_on_the_clause_that_it_breaks(with_toy: Any, tmp_path: Path) -> None:
    words = ("--backend", "fault:toy-without-c", "--spec", "toy-mac", "-n", "0", "--report", str(tmp_path / "run"))
    assert with_toy("check", *words).returncode == 1
    run = json.loads((tmp_path / "run" / "run.json").read_bytes())
    failed = [name for name, clause in run["specs"]["toy-mac"]["clauses"].items() if clause["status"] == "fail"]
    assert failed == ["TOY-MAC"]


ARITHMETIC = """
import json
from mmaspec.backends.arithmetic_clauses import borrowed_clauses
from mmaspec.backends.arithmetic_only import ArithmeticOnly
from mmaspec.backends.faults import all_defects
from mmaspec.backends.legal import LEGAL
from mmaspec.suites.judging.cache import code_hash, own_hash

class Bytes(ArithmeticOnly):
    name, version = "bytes", "1"
    def supports(self, types): return types == ("s8", "s8", "s32")
    def mma(self, shape, types, a, b, c): return c

print(json.dumps({
    "kinds": Bytes().caps("toy-mac").kinds,
    "borrowed": [clause for clause in borrowed_clauses() if clause.startswith("TOY")],
    "legal": [name for name, variant in LEGAL.items() if "toy-mac" in variant.specs],
    "hashes": [code_hash() != own_hash(), code_hash().startswith(own_hash())],
    "defects": [defect.name for defect in all_defects() if defect.spec == "toy-mac"],
}))
"""


def test_the_layers_beside_it_ask_it(with_toy: Any) -> None:
    """Its caps are cut by its own device; no variant is legal and no defect wrong where it does not say so.

    What is known of cases is known of its code too.
    """
    done = with_toy(code=ARITHMETIC)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "kinds": ["s8"],
        "borrowed": ["TOY-ALIGN", "TOY-ROW", "TOY-STORE"],
        "legal": [],
        "hashes": [True, True],
        "defects": [],
    }
