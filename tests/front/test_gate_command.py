"""Waivers, baselines and comparisons as a user meets them, on a run of a few cases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.suites.gate.baseline import decode_baseline
from mmaspec.suites.planning.plan import case_list_hash
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.share import Worker
from tests.case_lists import case_list

from .conftest import SMALL, Finished
from .in_process import mmaspec

FAULTY = "fault:rdna3-clamps-unsigned"
FEW = 4
"""Cases of a run."""


def begin(folder: Path, backend: str, shard: str = "") -> None:
    """A run of the cases that are about clamping, answered in this process and not judged yet."""
    plan, recipes = prepare(Wanted(backend=backend, specs=(SMALL,), tier="quick"), resolve(backend), case_list)
    few = [recipe for recipe in recipes if recipe.template == "sums-clamp"][:FEW]
    plan = replace(plan, cached=False, shard=shard, case_list=case_list_hash(recipe.id for recipe in few))
    home = RunFolder(folder)
    home.write_plan(plan, few)
    worker = Worker(home, "main")
    for test in sorted({planned.test for planned in worker.cases}):
        worker.walk(test)
    worker.close()


def waiver(**changed: str) -> str:
    fields = {
        "clause": '"RDNA3-IU-CLAMP"', "reason": '"known"', "link": '"https://example.org/1"', "owner": '"someone"',
        "expires": "9999-12-31", "case": '"case.json"', **changed,
    }  # fmt: skip
    return "[[waiver]]\n" + "".join(f"{name} = {value}\n" for name, value in fields.items())


def go_on(folder: Path, backend: str, *options: object) -> Finished:
    """A run is gone on with: what is answered already is not asked again."""
    return mmaspec(
        "check", "--backend", backend, "--report", folder, "-n", "0", "--tier", "quick", "--resume", *options
    )


def test_waivers_and_baselines_decide_the_exit_code(tmp_path: Path) -> None:
    folder, known, waivers = tmp_path / "run", tmp_path / "known.json", tmp_path / "waivers.toml"
    begin(folder, FAULTY)
    assert go_on(folder, FAULTY).code == 1

    updated = mmaspec("baseline", "update", str(folder), str(known))
    assert updated.code == 0, updated.err
    count = sum(1 for _ in decode_baseline(known.read_bytes(), "known").failures())
    assert f"{count} failure{'s' * (count != 1)} accepted" in updated.out
    assert "RDNA3-IU-CLAMP" in known.read_text(encoding="utf-8")
    held = go_on(folder, FAULTY, "--baseline", known)
    assert held.code == 0, held.out + held.err
    assert "known from the baseline" in held.out

    shutil.copy(next((folder / "cases").glob("*.json")), tmp_path / "case.json")
    waivers.write_text(waiver(), encoding="utf-8")
    held = go_on(folder, FAULTY, "--waivers", waivers)
    assert held.code == 3, "little is judged in so few cases"
    assert "failures waived" in held.out
    assert json.loads((folder / "gate.json").read_bytes())["new"] == []
    assert "<failure" not in (folder / "junit.xml").read_text(encoding="utf-8")
    assert "waived until 9999-12-31: known" in (folder / "junit.xml").read_text(encoding="utf-8")
    assert "failures waived" in (folder / "summary.md").read_text(encoding="utf-8")

    changed = mmaspec("baseline", "update", str(folder), str(known))
    assert "- accepts: amd-rdna3-wmma RDNA3-IU-CLAMP" in changed.out
    assert go_on(folder, FAULTY, "--waivers", waivers, "--baseline", known).code == 0
    assert go_on(folder, FAULTY, "--baseline", known).code == 1

    waivers.write_text(waiver(expires="2020-01-01"), encoding="utf-8")
    held = go_on(folder, FAULTY, "--waivers", waivers, "--baseline", known)
    assert held.code == 1
    assert "expired: it held until 2020-01-01" in held.out
    assert "<failure" in (folder / "junit.xml").read_text(encoding="utf-8")

    waivers.write_text(waiver(), encoding="utf-8")
    begin(tmp_path / "mended", "numpy")
    held = go_on(tmp_path / "mended", "numpy", "--waivers", waivers)
    assert held.code == 1
    assert "remove me: its case passes now" in held.out

    compared = mmaspec("compare", str(folder), str(tmp_path / "mended"))
    assert compared.code == 0, compared.err
    assert "fixed: amd-rdna3-wmma RDNA3-IU-CLAMP" in compared.out
    compared = mmaspec("compare", str(tmp_path / "mended"), str(folder), "--json")
    assert compared.code == 1
    assert json.loads(compared.out)["broken"][0]["clause"] == "RDNA3-IU-CLAMP"

    held = go_on(tmp_path / "mended", "numpy", "--baseline", known)
    assert held.code == 2
    assert "this run is of numpy" in held.err

    (folder / "results.jsonl").write_bytes((folder / "results.jsonl").read_bytes().replace(b"sums", b"some", 1))
    for words in (["report", str(folder)], ["compare", str(folder), str(folder)]):
        refused = mmaspec(*words)
        assert refused.code == 2
        assert "results.jsonl: was edited" in refused.err


def write_baseline(path: Path, backend: str) -> None:
    """A baseline of a run in which nothing was judged."""
    said = {"backend": backend, "tier": "smoke", "seed": 1, "case_list": "", "specs": {}}
    path.write_text(json.dumps({"schema": "mmaspec.baseline/1", **said}), encoding="utf-8")


MISTAKES = {
    "shard of none": ["check", "--shard", "3/2"],
    "shard with waivers": ["check", "--shard", "1/2", "--baseline", "{known}"],
    "shard on a cluster": ["check", "--shard", "1/2", "--scheduler", "inproc://none"],
    "no waivers": ["check", "--waivers", "{folder}/none.toml"],
    "no baseline": ["check", "--baseline", "{folder}/none.json"],
    "waivers in JSON": ["check", "--waivers", "{known}"],
    "baseline in TOML": ["check", "--baseline", "{folder}/waivers.toml"],
    "nothing to merge": ["merge", "--out", "{folder}/out"],
    "no shard": ["merge", "{folder}/none", "--out", "{folder}/out"],
    "merge without an end": ["merge", "{folder}"],
    "merge into a shard": ["merge", "{folder}", "--out", "{folder}"],
    "no run": ["baseline", "update", "{folder}/none", "{known}"],
    "nothing to compare": ["compare", "{folder}/none", "{folder}/none"],
}


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_a_mistake_is_bad_input_and_writes_nothing(tmp_path: Path, name: str) -> None:
    write_baseline(tmp_path / "known.json", "numpy")
    (tmp_path / "waivers.toml").write_text(waiver(), encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    words = [word.format(folder=tmp_path, known=tmp_path / "known.json") for word in MISTAKES[name]]
    assert mmaspec(*words, *(["--report", tmp_path / "run"] if words[0] == "check" else [])).code == 2
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("backend", "says"), [(FAULTY, "a baseline of backend nobody"), ("no_module:Device", "no module named 'no_module'")]
)
def test_a_mistake_costs_no_earlier_run(tmp_path: Path, backend: str, says: str) -> None:
    folder, known = tmp_path / "run", tmp_path / "known.json"
    begin(folder, "numpy")
    write_baseline(known, "nobody")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = mmaspec("check", "--backend", backend, "--spec", SMALL, "--report", folder, "-n", "0", "--baseline", known)
    assert done.code == 2
    assert says.lower() in done.err.lower()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_shards_of_a_run_are_merged_and_judged(tmp_path: Path) -> None:
    options = ["--backend", FAULTY, "--spec", SMALL, "-n", "0", "--tier", "quick", "--resume"]
    plan, recipes = prepare(Wanted(backend=FAULTY, specs=(SMALL,), tier="quick"), resolve(FAULTY), case_list)
    few = [recipe for recipe in recipes if recipe.template == "sums-clamp"][:FEW]
    plan = replace(plan, cached=False, case_list=case_list_hash(recipe.id for recipe in few))
    for number in ("1", "2"):
        RunFolder(tmp_path / number).write_plan(replace(plan, shard=f"{number}/2"), few)
        done = mmaspec("check", *options, "--shard", f"{number}/2", "--report", tmp_path / number)
        assert done.code == 0, done.err
        assert f"shard {number}/2: " in done.out
    merged = mmaspec("merge", tmp_path / "1", tmp_path / "2", "-o", tmp_path / "merged")
    assert merged.code == 1, merged.err
    assert "RDNA3-IU-CLAMP" in merged.out
    assert mmaspec("check", *options, "--report", tmp_path / "1").code == 2, "the run there is a shard"
    known = tmp_path / "known.json"
    write_baseline(known, "nobody")
    before = {path: path.read_bytes() for path in (tmp_path / "merged").rglob("*") if path.is_file()}
    for mistake in (["-o", tmp_path / "merged"], [tmp_path / "2", "-o", tmp_path / "merged", "--baseline", known]):
        assert mmaspec("merge", tmp_path / "1", *mistake).code == 2
        assert {path: path.read_bytes() for path in before} == before, "an earlier run is gone"
