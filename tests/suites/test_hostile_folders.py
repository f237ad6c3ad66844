"""Mutated run folders: no verdict changes unnoticed, nothing outside is read or written, every refusal is a line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import platformdirs
import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.commands import check, compare, merge
from mmaspec.commands.gate import NOTHING
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.plan import Plan, case_list_hash
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running import owner, supervisor
from mmaspec.suites.running.run_folder import RunFolder
from tests.case_lists import case_list
from tests.damage import refusal

from .mutations import Around, forge, mutate
from .walking import walk_here

FAULTY = "fault:rdna3-clamps-unsigned"
SHARDS = 2
SAMPLE, MANY, PARTS = 24, 10_000, 1


def wanted(backend: str = FAULTY, shard: str = "") -> Wanted:
    return Wanted(backend=backend, specs=("amd-rdna3-wmma",), tier="quick", shard=shard)


class Here:
    """A backend that is asked in this process."""

    def __init__(self, name: str, **_: object) -> None:
        self._backend = resolve(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No process is started, nobody is waited for, and this user has a cache that is empty."""
    cache = tmp_path_factory.mktemp("cache").resolve()
    WATCH.cache = cache
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(cache))
        patch.setattr(supervisor, "_walk", walk_here)
        patch.setattr(check, "isolated", Here)
        patch.setattr(owner, "WAIT", 0.0)
        yield


@dataclass
class Watch:
    """What is opened or changed while it is on, outside of the places where that is right."""

    allowed: list[Path] = field(default_factory=list)
    secret: Path = Path("/nowhere")
    cache: Path = Path("/nowhere")
    on: bool = False
    found: list[str] = field(default_factory=list)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on or event not in WATCHED or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        self.on = False
        try:
            for path in arguments[: WATCHED[event]]:
                self._look(event, Path(os.fsdecode(path)), arguments)
        finally:
            self.on = True

    def _look(self, event: str, path: Path, arguments: tuple[Any, ...]) -> None:
        real = path.resolve() if event == "open" else path.parent.resolve() / path.name
        writes = event != "open" or arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if real.is_relative_to(self.secret) or (writes and not any(map(real.is_relative_to, self.allowed))):
            self.found.append(f"{event} {path}")


WATCHED = {
    "open": 1, "os.remove": 1, "os.mkdir": 1, "os.rmdir": 1, "os.truncate": 1, "os.chmod": 1, "os.rename": 2,
    "os.link": 2, "shutil.rmtree": 1,
}  # fmt: skip
"""Event -> how many of its arguments are paths."""
WATCH = Watch()


@pytest.fixture(scope="module")
def watch() -> Watch:
    sys.addaudithook(WATCH)  # which cannot be removed, only be turned off
    return WATCH


def planned(folder: Path, backend: str = FAULTY, shard: str = "") -> RunFolder:
    """A run of a few cases of one test, and a near miss: under the fault all but that fail in one way."""
    plan, few = drawn()
    said = resolve(backend).describe()
    home = RunFolder(folder)
    home.write_plan(replace(plan, backend=backend, description=said, profile=said.profile, shard=shard), few)
    return home


@cache
def drawn() -> tuple[Plan, list[Recipe]]:
    plan, recipes = prepare(wanted(), resolve(FAULTY), case_list)
    failing = [recipe for recipe in recipes if recipe.template == "sums-clamp" and recipe.row.endswith("w32")][:3]
    few = [*failing, *(recipe for recipe in recipes if recipe.target == "RDNA3-SHAPE")][:4]
    return replace(plan, cached=False, case_list=case_list_hash(recipe.id for recipe in few)), few


def resume(folder: Path, backend: str = FAULTY, shard: str = "") -> int:
    return check.run(wanted(backend, shard), folder, 0, resume=True)


@dataclass(frozen=True)
class Good:
    """What the mutated folders are copies of, and what comes out of them as they are."""

    run: Path
    half: Path
    shards: list[Path]
    around: Around
    said: dict[str, object]

    @property
    def verdict(self) -> object:
        """That of the whole run, which is also that of its shards."""
        return verdict(self.run)


def silently(command: Callable[[], object], folder: Path) -> tuple[object, str]:
    """What a command returns and prints, wherever the folder is."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = command()
    return code, out.getvalue().replace(str(folder), "FOLDER")


def verdict(folder: Path) -> object:
    """What a run says of each clause."""
    run = json.loads((folder / "run.json").read_bytes())
    return run["verdict"], run["totals"], {name: spec["clauses"] for name, spec in run["specs"].items()}


def report_files(folder: Path) -> dict[str, bytes]:
    """The files of a run that are the same whoever made it."""
    names = ("results.jsonl", "junit.xml", "summary.md", "run.json")
    found = {name: (folder / name).read_bytes().replace(folder.as_posix().encode(), b"FOLDER") for name in names}
    run = json.loads(found["run.json"])
    del run["environment"]
    shown = [group["example"] for group in run["findings"]]
    examples = {name: (folder / "cases" / name).read_bytes() for name in shown if name}
    return {**found, "run.json": json.dumps(run).encode(), **examples}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    base = tmp_path_factory.mktemp("good")
    for name, backend in (("run", FAULTY), ("again", FAULTY), ("other", "numpy")):
        planned(base / name, backend)
        silently(lambda name=name, backend=backend: resume(base / name, backend), base)  # type: ignore[misc]
    shutil.copytree(base / "run", base / "half")
    for name in ("run.json", "results.jsonl", "manifest.json", "report.html", "junit.xml", "summary.md"):
        (base / "half" / name).unlink()
    for alone in (base / "half" / "work" / "rows").glob("alone-*"):
        alone.unlink()
    (rows,) = (base / "half" / "work" / "rows").iterdir()
    rows.write_bytes(rows.read_bytes()[: rows.stat().st_size // 2])
    base = base.resolve()
    shards = [base / f"shard-{number}" for number in range(1, SHARDS + 1)]
    for number, shard in enumerate(shards, 1):
        planned(shard, shard=f"{number}/{SHARDS}")
        silently(lambda shard=shard, number=number: resume(shard, shard=f"{number}/{SHARDS}"), base)  # type: ignore[misc]
    secret = base / "secret"
    shutil.copytree(base / "run", secret)
    around = Around([base / "again", base / "other", *shards], secret.resolve())
    made = Good(base / "run", base / "half", shards, around, {})
    for subject, commands in SUBJECTS.items():
        for command in commands:
            copy = copied(made, subject, base / "copy")
            made.said[f"{subject} {command}"] = COMMANDS[command](copy, made)
            shutil.rmtree(base / "copy")
    return made


def copied(good: Good, subject: str, place: Path) -> Path:
    source = {"run": good.run, "half": good.half, "shard": good.shards[0]}[subject]
    return Path(shutil.copytree(source, place / "folder"))


def _compare(folder: Path, good: Good) -> object:
    return silently(lambda: compare.compare_runs(good.run, folder, as_json=False), folder)


def _report(folder: Path, _: Good) -> object:
    return silently(lambda: check.rewrite(folder), folder), report_files(folder)


def _resume(folder: Path, _: Good) -> object:
    return silently(lambda: resume(folder), folder), report_files(folder)


def _resume_shard(folder: Path, good: Good) -> object:
    said = silently(lambda: resume(folder, shard=f"1/{SHARDS}"), folder)
    return said, _merge(folder, good)


def _merge(folder: Path, good: Good) -> object:
    out = folder.parent / "merged"
    shutil.rmtree(out, ignore_errors=True)
    return silently(lambda: merge.merge_shards([folder, *good.shards[1:]], out, NOTHING), out), report_files(out)


COMMANDS: dict[str, Callable[[Path, Good], object]] = {
    "compare": _compare, "report": _report, "resume": _resume, "merge": _merge, "resume --shard": _resume_shard,
}  # fmt: skip
SUBJECTS = {"run": ("compare", "report", "resume"), "half": ("resume",), "shard": ("merge", "resume --shard")}


def put_through(good: Good, watch: Watch, tmp_path: Path, times: int, seed: int) -> Counter[str]:
    """Mutate as many folders, put each through the commands that take one, and count what came out."""
    draw = Random(seed)  # noqa: S311 - the same mutations every time
    place = tmp_path / "place"
    # Whether a run is writing a shard is seen by its lock, which is opened for that.
    watch.allowed, watch.secret = [place.resolve(), watch.cache, *good.shards[1:]], good.around.secret
    watch.found.clear()
    guarded = snapshot(good.run.parent)
    counts: Counter[str] = Counter()
    for number in range(times):
        subject = draw.choice(("run", "run", "half", "shard"))
        start = draw.getstate()
        forged = draw.random() < 0.08
        for command in SUBJECTS[subject]:
            draw.setstate(start)
            draw.random()
            folder = copied(good, subject, place)
            what = forge(folder, draw) if forged else mutate(folder, good.around, draw)
            where = f"{number}: {what} of a {subject} through {command}"
            watch.on = True
            try:
                line, came = outcome(command, folder, good)
            except Exception as error:
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
            finally:
                watch.on = False
            assert not watch.found, f"{where}: {watch.found}"
            if not line and subject == "shard" and "signed" in what:
                # By which name its backend was run is the shard's to say; the verdict is not.
                assert verdict(place / "merged") == good.verdict, f"{where}: another verdict"
            elif not line and not forged:
                assert came == good.said[f"{subject} {command}"], f"{where}: another verdict, unnoticed"
            counts[f"{command}: {'refused' if line else 'forged, read' if forged else 'as if unharmed'}"] += 1
            shutil.rmtree(place)
    assert snapshot(good.run.parent) == guarded
    return counts


def outcome(command: str, folder: Path, good: Good) -> tuple[str, object]:
    """The line with which a folder is refused, or what came out of it."""
    came: list[object] = [None]
    return refusal(lambda: came.append(COMMANDS[command](folder, good))), came[-1]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", range(PARTS))
def test_no_verdict_changes_unnoticed_and_nothing_outside_is_touched(
    good: Good, watch: Watch, tmp_path: Path, pytestconfig: pytest.Config, seed: int
) -> None:
    counts = put_through(good, watch, tmp_path, (MANY if pytestconfig.getoption("--long") else SAMPLE) // PARTS, seed)
    for command in COMMANDS:
        assert counts[f"{command}: refused"], counts
    for command in SUBJECTS["run"]:
        assert counts[f"{command}: as if unharmed"], counts
    sys.stdout.write("".join(f"{what}: {count}\n" for what, count in sorted(counts.items())))


def test_the_watch_sees_what_leads_outside(good: Good, watch: Watch, tmp_path: Path) -> None:
    watch.allowed, watch.secret = [tmp_path.resolve()], good.around.secret
    inside = tmp_path / "link"
    inside.symlink_to(good.around.secret / "run.json")
    watch.on = True
    (tmp_path / "fine").write_bytes(b"")
    assert not watch.found
    inside.read_bytes()
    with contextlib.suppress(BadInput, OSError):
        (good.run / "new").mkdir()
    watch.on = False
    assert [line.partition(" ")[0] for line in watch.found] == ["open", "os.mkdir"]
    watch.found.clear()
    (good.run / "new").rmdir()
