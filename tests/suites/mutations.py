"""Run folders with something wrong, the same ones every time; ``tests/damage.py`` does it to single files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec
from msgspec.structs import replace

from mmaspec.suites.judging.record import Opened, Result
from mmaspec.suites.planning.manifest import MANIFEST, write_manifest
from mmaspec.suites.planning.plan import PLAN, encode_plan
from mmaspec.suites.running.marks import DIGITS, Marks, write_line
from mmaspec.suites.running.run_folder import ROWS, RunFolder
from tests.damage import ODD, damaged

WORDS = (
    (b'"illegal"', b'"legal"'), (b'"legal"', b'"illegal"'), (b'"not conformant"', b'"conformant"'),
    (b'"fail"', b'"pass"'), (b'"finding"', b'"why"'), (b'"borrowed": []', b'"borrowed": ["RDNA3-IU-CLAMP"]'),
    (b'"quick"', b'"smoke"'), (b'"profile"', b'"document"'), (b"RDNA3-IU-CLAMP", b"RDNA3-MMA"), (b"w32", b"w64"),
    (b'"result"', b'"begin"'), (b'"begin"', b'"abandoned"'), (b"mmaspec.run/1", b"mmaspec.run/2"), (b".json", b"/../x"),
)  # fmt: skip
"""What somebody might change to have another verdict."""
PLACES = ("work", "cases", "work/rows", ".")
NAMES = ("x.jsonl", "gw0-1.jsonl", "x.json", ".hidden", "run.json.bak", "a b", "ü.jsonl", "-n", "x" * 200)


@dataclass(frozen=True, slots=True)
class Around:
    """What a mutated folder is made from besides itself."""

    others: Sequence[Path]
    """Run folders of other runs, with the same names in them."""
    secret: Path
    """A folder that nothing may read or write, with a copy of every file."""


Mutation = Callable[[Path, Around, Random], None]


def mutate(folder: Path, around: Around, draw: Random) -> str:
    """Change a run folder in one to three ways; what was done."""
    names = [draw.choice(list(MUTATIONS)) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    for name in names:
        if folder.is_dir() and _files(folder):
            MUTATIONS[name](folder, around, draw)
    return "+".join(names)


def _files(folder: Path) -> list[Path]:
    """Plain files, those on which a verdict is built more often."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and _own(path))
    weighty = [path for path in found if path.suffix in {".json", ".jsonl"}]
    return found + weighty * 5


def _own(path: Path) -> bool:
    """Whether to write there changes nothing elsewhere: an earlier mutation may have made a link."""
    return not path.is_symlink() and (not path.is_file() or path.stat().st_nlink == 1)


def _pick(folder: Path, draw: Random) -> Path:
    return draw.choice(_files(folder))


def _bytes(folder: Path, _: Around, draw: Random) -> None:
    path = _pick(folder, draw)
    if data := path.read_bytes():
        path.write_bytes(damaged(data, draw))


def _words(folder: Path, _: Around, draw: Random) -> None:
    old, new = draw.choice(WORDS)
    if having := [path for path in _files(folder) if old in path.read_bytes()]:
        path = draw.choice(having)
        path.write_bytes(path.read_bytes().replace(old, new, draw.choice((1, -1))))


def _lines(folder: Path, _: Around, draw: Random) -> None:
    path = draw.choice([path for path in _files(folder) if path.suffix == ".jsonl"] or _files(folder))
    lines = path.read_bytes().splitlines(keepends=True)
    if not lines:
        return
    at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines = lines[:at]
        case 4:
            lines[at] = b"\n"
        case _:
            lines[at] = lines[at][: draw.randrange(len(lines[at]) + 1)]
    path.write_bytes(b"".join(lines))


def _structure(folder: Path, _: Around, draw: Random) -> None:
    """Another value in one line of JSON, whose mark is left."""
    path = draw.choice([path for path in _files(folder) if path.suffix == ".jsonl"] or _files(folder))
    lines = path.read_bytes().split(b"\n")
    at = draw.randrange(len(lines))
    start = lines[at].find(b"{")
    if start >= 0:
        lines[at] = lines[at][:start] + damaged(lines[at][start:], draw)
        path.write_bytes(b"\n".join(lines))


def _file(folder: Path, _: Around, draw: Random) -> None:
    path = _pick(folder, draw)
    beside = path.with_name(draw.choice([draw.choice(NAMES), _pick(folder, draw).name]))
    match draw.randrange(7):
        case 0:
            path.unlink()
        case 1 if not beside.is_dir():  # a link is replaced
            path.replace(beside)
        case 2 if not beside.is_dir() and beside != path and _own(beside):
            shutil.copy(path, beside)
        case 3:
            path.write_bytes(b"")
        case 4:
            path.unlink()
            path.mkdir()
        case 5 if hasattr(os, "mkfifo"):
            path.unlink()
            os.mkfifo(path)
        case _:
            shutil.rmtree(path.parent) if path.parent != folder else path.unlink()


def _link(folder: Path, around: Around, draw: Random) -> None:
    path = _pick(folder, draw)
    if draw.random() < 0.3 and path.parent != folder:
        path = path.parent
    name = path.relative_to(folder).as_posix()
    there = around.secret / name
    choices = [there, there, Path(os.path.relpath(there, path.parent)), around.secret / "none" / "x", path]
    target = draw.choice([*choices, Path("/dev/zero")])
    if draw.random() < 0.1 and path.is_file() and there.is_file():
        path.unlink()
        os.link(there, path)
        return
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(target)


def _swapped(folder: Path, around: Around, draw: Random) -> None:
    other, path = draw.choice(around.others), _pick(folder, draw)
    theirs = other / path.relative_to(folder)
    if path.parent.name == "rows":
        theirs = draw.choice(sorted((other / ROWS).iterdir()))
        path = draw.choice((path, path.with_name(theirs.name)))
    if draw.random() < 0.3 and path.parent != folder:
        path, theirs = path.parent, other / path.parent.relative_to(folder)
        if theirs.is_dir() and path.is_dir():
            shutil.rmtree(path)
            shutil.copytree(theirs, path)
    elif theirs.is_file() and not path.is_dir() and _own(path):
        shutil.copy(theirs, path)


def _extra(folder: Path, around: Around, draw: Random) -> None:
    place = folder / draw.choice(PLACES)
    path = place / draw.choice(NAMES)
    if not place.is_dir() or not place.resolve().is_relative_to(folder.resolve()) or os.path.lexists(path):
        return
    match draw.randrange(4):
        case 0:
            path.write_bytes(draw.randbytes(draw.randrange(200)))
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to(draw.choice((around.secret, around.secret / "run.json", Path("none"))))
        case _:
            shutil.copy(draw.choice(_files(draw.choice(around.others))), path)


def _signed(folder: Path, _: Around, draw: Random) -> None:
    """Another plan with its right digest, and a shard with a right manifest."""
    if not _own(folder / PLAN) or (folder / PLAN).parent.is_symlink():
        return
    try:
        plan = RunFolder(folder).plan
        name = draw.choice(plan.__struct_fields__)
        value = draw.choice((*ODD, ("../../x", "/elsewhere/x"), "cmd:false", "1/1", "2/3", "numpy", "document"))
        facts = {**json.loads(msgspec.json.encode(plan)), name: value}
        data = encode_plan(msgspec.json.decode(json.dumps(facts), type=type(plan)))
    except (ValueError, msgspec.MsgspecError):
        return
    (folder / PLAN).write_bytes(data)
    _sealed(folder)


def _sealed(folder: Path) -> None:
    if (folder / MANIFEST).is_file():
        names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_symlink())
        write_manifest(folder, (name for name in names if name.startswith(("work/plan", "work/rows", "cases"))))


def forge(folder: Path, draw: Random) -> str:
    """Rows with right marks that say something else, which nobody can notice; the verdict may change, nothing else."""
    for path in sorted((folder / ROWS).iterdir()):
        lines = [line[DIGITS + 1 :] for line in path.read_bytes().split(b"\n")[:-1]]  # without a torn one
        opened = msgspec.json.decode(lines[0], type=Opened)
        marks, written = Marks(opened), b""
        for line in lines:
            tag = json.loads(line)["type"]
            if tag == "result" and draw.random() < 0.5:
                result = msgspec.json.decode(line, type=Result)
                odd = draw.choice(("../../x.json", "/etc/passwd", "x", "", "a\0b", result.case + ".json"))
                field = draw.choice(("example", "case", "spec", "row", "template", "why"))
                written += write_line(marks, replace(result, **{field: odd}))
            else:
                written += marks.mark(line) + b" " + line + b"\n"
        path.write_bytes(written)
    _sealed(folder)
    return "forged"


MUTATIONS: dict[str, Mutation] = {
    "bytes": _bytes, "words": _words, "lines": _lines, "structure": _structure, "file": _file, "link": _link,
    "swapped": _swapped, "extra": _extra, "signed": _signed,
}  # fmt: skip
