"""Running the command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mmaspec.commands import check
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.running import session, supervisor
from tests.suites.walking import walk_here

from .adapters import a_pair, a_single_one, chosen
from .in_process import Finished, told

ADAPTERS = Path(__file__).with_name("adapters.py")
SMALL = "amd-rdna3-wmma"
"""The specification with the shortest lists."""
TWO = Path(__file__).with_name("two_builtins.json")
"""Caps of a device with two of its builtins, which makes runs short; the adapters report them themselves."""


Command = Callable[..., Finished]


def in_full(arguments: tuple[str, ...], folder: Path) -> list[str]:
    """The arguments with what a check is given here: the quick tier, and a run folder of its own."""
    words = list(arguments)
    if arguments[0] == "check" and "--report" not in arguments:
        words += ["--report", str(folder)]
    if arguments[0] == "check" and "--tier" not in arguments:
        words += ["--tier", "quick"]
    return words


@pytest.fixture
def started(tmp_path: Path) -> Command:
    """``started(*arguments)``: the command in a process of its own, as a user has it."""
    count = 0

    def call(*arguments: str) -> Finished:
        nonlocal count
        count += 1
        folder = tmp_path / f"process{count}"
        words = [sys.executable, "-m", "mmaspec", *in_full(arguments, folder)]
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env={**os.environ, "MMASPEC_TEST_STATE": str(tmp_path)}
        )
        return Finished(done.returncode, done.stdout, done.stderr, folder)

    return call


@pytest.fixture
def mmaspec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """``mmaspec(*arguments)``: the same in this process; a backend of a check lives in processes of its own anyway."""
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path))
    count = 0

    def call(*arguments: str) -> Finished:
        nonlocal count
        count += 1
        folder = tmp_path / f"run{count}"
        return told(*in_full(arguments, folder), folder=folder)

    return call


@pytest.fixture
def check_small(mmaspec: Command) -> Command:
    """``check_small(backend, *options)``: the smallest specification's quick tier.

    Built-in backends have two builtins; adapters report their own caps, and a file of caps beside them is refused.
    """
    return of_small(mmaspec)


@pytest.fixture
def check_few(check_small: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """``check_few(backend, *options)``: the same on a few cases of that list, which judge too little to conform."""
    monkeypatch.setattr(check, "draw_spread", _few_drawn)
    monkeypatch.setattr(check, "drawn_once", lambda draw, *_: draw)  # nobody else may find this list
    return check_small


@pytest.fixture
def check_here(check_few: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The same with the cases judged in this process, for what no session of pytest has to survive."""
    monkeypatch.setattr(supervisor, "_walk", walk_here)
    monkeypatch.setattr(session, "begun_early", lambda *_: nullcontext())
    return check_few


def of_small(command: Command) -> Command:
    """``check`` by a command on the smallest specification."""

    def call(backend: str, *options: str) -> Finished:
        built_in = backend == "numpy" or backend.startswith(("fault:", "legal:"))
        caps = ("--caps", str(TWO)) if built_in else ()
        return command("check", "--backend", backend, "--spec", SMALL, "-n", "0", *caps, *options)

    return call


def few(recipes: Iterable[Recipe]) -> tuple[Recipe, ...]:
    """Those that some adapter chooses, the one of clamping, and the first of each other kind that an adapter tells."""
    kept: list[Recipe] = []
    seen: set[object] = set()
    for recipe in recipes:
        program: Any = recipe.program
        kind = (recipe.row, bool(recipe.target), program.waves > 5, len(program.body) > 9)
        picked = chosen(program) or a_pair(program) or a_single_one(program) or recipe.template == "sums-clamp"
        if picked or kind not in seen:
            kept.append(recipe)
            seen.add(kind)
    return tuple(kept)


@cache
def _few_listed(spec: str, caps: object) -> tuple[Recipe, ...]:
    return few(listed(spec, caps, "quick", DEFAULT_SEED))


def _few_drawn(spec: str, caps: object, *_: object, **__: object) -> tuple[Recipe, ...]:
    return _few_listed(spec, caps)


def adapter(name: str) -> str:
    """The backend text of one of the misbehaving adapters."""
    return f"{ADAPTERS}:{name}"
