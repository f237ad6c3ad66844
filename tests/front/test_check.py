"""``mmaspec check`` on good and on misbehaving backends: outcomes, exit codes, nothing lost."""

from __future__ import annotations

import json
import re
import shlex
import sys
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.planning.plan import PLAN, encode_plan
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running import supervisor
from mmaspec.suites.running.run_folder import RunFolder

from .conftest import SMALL, Command, Finished, adapter, few, of_small


def same_run(finished: Finished) -> dict[str, object]:
    """run.json without its environment."""
    whole = json.loads((finished.folder / "run.json").read_bytes())
    del whole["environment"]
    return whole


def test_numpy_conforms_and_the_way_it_is_run_changes_nothing(check_small: Command, started: Command) -> None:
    """By a process of its own, and in this one."""
    alone = of_small(started)("numpy")
    spread = check_small("numpy", "-n", "2")
    isolated = check_small("numpy", "--isolate")
    assert (alone.code, spread.code, isolated.code) == (0, 0, 0), alone.out + alone.err
    assert alone.run.verdict == "conformant"
    assert same_run(alone) == same_run(spread)
    inside, apart = same_run(alone), same_run(isolated)
    assert (inside.pop("process"), apart.pop("process")) == ("in-process", "isolated")
    headlines = [str(run.pop("headline")).rpartition("; ") for run in (inside, apart)]
    assert [trust for _, _, trust in headlines] == ["backend trusted (in-process)", "backend isolated"]
    assert headlines[0][0] == headlines[1][0]
    assert headlines[0][0].endswith("; the quick list is no gate")
    assert inside == apart
    for finished, trust in ((alone, "backend trusted (in-process)"), (isolated, "backend isolated")):
        for report in ("run.json", "report.html", "summary.md", "junit.xml"):
            assert trust in (finished.folder / report).read_text(encoding="utf-8").replace("\\", ""), report
        assert trust in finished.out.splitlines()[0]
    rows = [(finished.folder / "results.jsonl").read_bytes() for finished in (alone, spread, isolated)]
    assert rows[0] == rows[1] == rows[2]


def test_counterfactual_is_not_conformant_the_same_way_each_time(check_few: Command) -> None:
    runs = [check_few("fault:rdna3-clamps-unsigned", "-n", workers) for workers in ("0", "2")]
    assert [finished.code for finished in runs] == [1, 1], runs[0].out + runs[0].err
    assert same_run(runs[0]) == same_run(runs[1])
    names = [sorted(path.name for path in (finished.folder / "cases").iterdir()) for finished in runs]
    assert names[0] == names[1]
    assert names[0]


def _silent(*_: int) -> None:
    """No progress."""


def planned(folder: Path) -> int:
    return len((folder / "work" / "plan.jsonl").read_bytes().splitlines())


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("how", [(), ("--isolate",), ("-n", "2")], ids=["same-process", "child", "two-workers"])
def test_crash_that_does_not_happen_again_is_inconclusive(check_few: Command, how: tuple[str, ...]) -> None:
    finished = check_few(adapter("CrashesOnce"), *how)
    assert finished.code == 3, finished.out + finished.err
    totals = finished.run.totals
    assert (totals.inconclusive, totals.died) == (1, 0)
    assert totals.legal + totals.inconclusive == totals.cases == planned(finished.folder)
    assert "; 1 case without an answer that counts; " in finished.out.splitlines()[0]
    results = (finished.folder / "results.jsonl").read_text(encoding="utf-8")
    assert len(re.findall(r"died over it once and not again: [^\"]{8}", results)) == 1


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("how", "passes"), [((), 2), (("--isolate",), 1)], ids=["same-process", "child"])
def test_crash_that_happens_again_is_a_failure(check_few: Command, how: tuple[str, ...], passes: int) -> None:
    finished = check_few(adapter("CrashesAlways"), *how)
    assert finished.code == 1, finished.out + finished.err
    totals = finished.run.totals
    assert totals.died > 1
    assert finished.run.environment["passes"] == passes, "it is run apart from the first crash on"
    assert totals.legal + totals.died == totals.cases == planned(finished.folder)


def test_hang_that_happens_again_is_a_failure(check_few: Command) -> None:
    finished = check_few(adapter("Hangs"), "--isolate", "--time-limit", "1")
    assert finished.code == 1, finished.out + finished.err
    assert finished.run.totals.died > 0
    assert "hang" in finished.out


def test_hang_that_does_not_happen_again_is_inconclusive(check_few: Command) -> None:
    finished = check_few(adapter("HangsOnce"), "--isolate", "--time-limit", "1")
    assert finished.code == 3, finished.out + finished.err
    assert finished.run.totals.inconclusive == 1


def test_hang_in_a_worker_is_ended_by_the_supervisor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path))
    monkeypatch.setattr(supervisor, "GRACE", 4.0)
    wanted = Wanted(backend=adapter("HangsOnce"), specs=(SMALL,), tier="quick", time_limit=1.0)
    plan, recipes = prepare(wanted, resolve(wanted.backend), lambda *asked: few(listed(*asked)))
    folder = tmp_path / "run"
    home = RunFolder(folder)
    home.write_plan(plan, recipes)
    run, results = supervisor.supervise(home, 2, _silent)
    assert run.totals.inconclusive == 1, "cases in flight elsewhere must not suffer"
    assert len(results) == len(recipes)


MESSAGES = {
    "Refuses": "a valid program was refused: not this one",
    "Raises": "the backend raised RuntimeError: no more registers",
    "ReturnsNothing": "run returned None",
    "WrongShape": "guard zones included",
    "WrongType": "expected uint8",
    "WritesToInputs": "read-only",
    "CannotSay": "the backend raised _Unprintable: its text cannot be printed",
    "Skips": "the backend raised Skipped: not today",
}


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_unusable_answers_fail_with_one_clear_line(check_here: Command, name: str) -> None:
    finished = check_here(adapter(name))
    assert finished.code == 1, finished.out + finished.err
    assert MESSAGES[name] in finished.out
    assert "Traceback" not in finished.out + finished.err
    assert finished.run.totals.cases == planned(finished.folder)
    assert finished.run.environment["passes"] == 1


def test_failing_cases_of_no_clause_are_named_in_words(check_here: Command) -> None:
    finished = check_here(adapter("FrontEnd"))
    assert finished.code == 1, finished.out + finished.err
    refused = finished.run.totals.refused
    others = finished.run.totals.illegal
    assert refused > 1
    assert others > 0
    clauses = finished.run.totals.clauses
    assert set(clauses) <= {"pass", "not applicable", "not judged", "not testable"}, "no clause fails"
    words = f"; {refused} valid programs refused; {others} failing case{'s' * (others != 1)} blamed on no clause; "
    for report in ("run.json", "report.html", "summary.md", "junit.xml"):
        assert words in (finished.folder / report).read_text(encoding="utf-8").replace("\\", ""), report
    headline, *findings = finished.out.splitlines()
    assert words in headline
    assert any(line.startswith("  no clause: a valid program was refused: ") for line in findings)
    assert not any(line.startswith("  : ") for line in findings)


def test_an_interrupt_that_a_backend_raises_is_its_answer_too(check_few: Command) -> None:
    finished = check_few(adapter("Interrupts"))
    assert finished.code == 1, finished.out + finished.err
    assert "the backend raised KeyboardInterrupt" in finished.out
    assert finished.run.totals.died == 0
    assert finished.run.environment["passes"] == 2


def test_state_that_leaks_between_batch_items_is_found(check_here: Command) -> None:
    finished = check_here(adapter("LeaksBetweenItems"))
    assert finished.code == 1


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", ["NoConstructor", "NoMethods", "NoSuchClass"])
def test_backend_that_cannot_be_made_is_bad_input(check_here: Command, name: str) -> None:
    finished = check_here(adapter(name))
    assert finished.code == 2
    assert finished.err.startswith("mmaspec: ")
    assert finished.err.count("\n") == 1
    assert not (finished.folder / "run.json").exists()


def test_killed_run_resumes_to_the_same_end(check_here: Command) -> None:
    whole = check_here("numpy")
    rows = next((whole.folder / "work" / "rows").glob("*.jsonl"))
    lines = rows.read_bytes().splitlines(keepends=True)
    rows.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:40])
    again = check_here("numpy", "--resume", "--report", str(whole.folder))
    assert again.code == whole.code, again.out + again.err
    assert same_run(whole) == same_run(Finished(0, "", "", whole.folder))
    told = f"{whole.folder}: every case was answered before; leave out --resume to ask the backend again\n"
    assert told not in again.err
    assert told in check_here("numpy", "--resume", "--report", str(whole.folder)).err


def test_resume_under_another_profile_or_version_is_bad_input(check_here: Command) -> None:
    started = check_here("numpy")
    again = check_here("numpy", "--resume", "--report", str(started.folder), "--profile", "ieee-subnormals")
    assert again.code == 2
    assert "repeat its options" in again.err
    plan = replace(RunFolder(started.folder).plan, code="0123456789abcdef")
    (started.folder / PLAN).write_bytes(encode_plan(plan))
    again = check_here("numpy", "--resume", "--report", str(started.folder))
    assert again.code == 2
    assert "another version" in again.err


def test_resume_with_a_backend_that_is_gone_ends(check_here: Command, tmp_path: Path) -> None:
    place = tmp_path / "mine.py"
    place.write_text(Path(adapter("Good").rpartition(":")[0]).read_text(encoding="utf-8"), encoding="utf-8")
    started = check_here(f"{place}:Good")
    rows = next((started.folder / "work" / "rows").glob("*.jsonl"))
    rows.write_bytes(b"".join(rows.read_bytes().splitlines(keepends=True)[:5]))
    place.unlink()
    again = check_here(f"{place}:Good", "--resume", "--report", str(started.folder))
    assert again.code == 2
    assert "mine.py:Good': no file" in again.err


def test_list_says_every_case_before_anything_runs(check_small: Command) -> None:
    finished = check_small("numpy", "--list")
    lines = finished.out.splitlines()
    identities = [line.split()[0] for line in lines[:-1]]
    assert finished.code == 0
    assert len(set(identities)) == len(identities) > 50
    assert lines[-1].startswith(f"{len(identities)} cases, case list ")
    assert not finished.folder.exists()
    assert check_small("numpy", "--list").out == finished.out


def test_a_backend_without_caps_leaves_nothing_to_judge(check_small: Command) -> None:
    done = check_small(adapter("Silent"))
    assert (done.code, done.err) == (3, ""), done.out + done.err
    assert done.out.splitlines()[0] == (
        f"inconclusive: no case: the backend reports no caps for {SMALL}; backend trusted (in-process)"
    )
    assert done.run.verdict == "inconclusive"
    assert done.run.totals.cases == 0
    again = check_small(adapter("Silent"), "--report", str(done.folder), "--resume")
    assert (again.code, again.out) == (3, done.out)
    share = check_small(adapter("Silent"), "--shard", "1/2")
    assert share.out.splitlines()[0] == "shard 1/2: 0 cases answered, 0 of them wrong; now merge", share.err


HELLO = """
import json, sys
for line in sys.stdin:
    caps = {"hlsl-wave-matrix": {"support": [{"datatype": "byte", "m": 16, "n": 16, "k": 32}]}}
    print(json.dumps({"type": "hello", "protocol": 1, "name": "other", "version": "1", "caps": caps}), flush=True)
"""


def test_a_program_for_another_specification_leaves_nothing_to_judge(check_small: Command, tmp_path: Path) -> None:
    """As an adapter that was generated for one specification is first tried with another."""
    (tmp_path / "hello.py").write_text(HELLO)
    done = check_small(f"cmd:{sys.executable} {tmp_path / 'hello.py'} {{stdio}}")
    assert (done.code, done.err) == (3, ""), done.out + done.err
    assert done.out.startswith(f"inconclusive: no case: the backend reports no caps for {SMALL}; backend isolated\n")


def test_the_commands_that_a_run_prints_can_be_run_and_confirm_it(check_here: Command, mmaspec: Command) -> None:
    finished = check_here("fault:rdna3-clamps-unsigned")
    (finding, *_) = finished.run.findings
    shown = [line.strip() for line in finished.out.splitlines() if line.strip().startswith("mmaspec replay ")]
    assert shown
    for report in ("summary.md", "report.html", "junit.xml"):
        assert shown[0] in unescape((finished.folder / report).read_text(encoding="utf-8")), report
    for command in shown:
        replayed = mmaspec(*shlex.split(command)[1:])
        assert replayed.code == 1, replayed.out + replayed.err
        assert replayed.out.startswith("illegal: confirmed: ")
    assert mmaspec(*shlex.split(shown[0])[1:]).out.startswith(f"illegal: confirmed: {finding.clause}: ")
    fixed = mmaspec(*shlex.split(shown[0])[1:3], "--backend", "numpy")
    assert (fixed.code, fixed.out.split(" numpy ")[0]) == (0, "legal: legal on")
