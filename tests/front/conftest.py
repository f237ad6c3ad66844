"""Running the command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from mmaspec.suites.verdict.model import Run

ADAPTERS = Path(__file__).with_name("adapters.py")
SMALL = "amd-rdna3-wmma"
"""The specification with the shortest lists."""
TWO = Path(__file__).with_name("two_builtins.json")
"""Caps of a device with two of its builtins, which makes runs short; the adapters report them themselves."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def run(self) -> Run:
        """The run.json of its run folder."""
        return msgspec.json.decode((self.folder / "run.json").read_bytes(), type=Run)


Command = Callable[..., Finished]


@pytest.fixture
def mmaspec(tmp_path: Path) -> Command:
    """``mmaspec(*arguments)`` in a process of its own; runs are of the quick tier, in new folders."""
    count = 0

    def call(*arguments: str) -> Finished:
        nonlocal count
        count += 1
        folder = tmp_path / f"run{count}"
        words = [sys.executable, "-m", "mmaspec", *arguments]
        if arguments[0] == "check" and "--report" not in arguments:
            words += ["--report", str(folder)]
        if arguments[0] == "check" and "--tier" not in arguments:
            words += ["--tier", "quick"]
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env={**os.environ, "MMASPEC_TEST_STATE": str(tmp_path)}
        )
        return Finished(done.returncode, done.stdout, done.stderr, folder)

    return call


@pytest.fixture
def check_small(mmaspec: Command) -> Command:
    """``check_small(backend, *options)``: the smallest specification's quick tier.

    Built-in backends have two builtins; adapters report their own caps, and a file of caps beside them is refused.
    """

    def call(backend: str, *options: str) -> Finished:
        built_in = backend == "numpy" or backend.startswith(("fault:", "legal:"))
        caps = ("--caps", str(TWO)) if built_in else ()
        return mmaspec("check", "--backend", backend, "--spec", SMALL, "-n", "0", *caps, *options)

    return call


def adapter(name: str) -> str:
    """The backend text of one of the misbehaving adapters."""
    return f"{ADAPTERS}:{name}"
