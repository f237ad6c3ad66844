"""The version, from the command and from Python."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mmaspec as package


def test_the_command_says_its_version_and_nothing_else(mmaspec: Callable[..., Any]) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    done = mmaspec("--version")
    assert (done.code, done.out, done.err) == (0, f"mmaspec {project['version']}\n", "")
    assert package.__version__ == version("mmaspec") == project["version"]


def test_the_help_lists_it(mmaspec: Callable[..., Any]) -> None:
    done = mmaspec("--help")
    assert done.code == 0
    assert "--version" in done.out
    assert "Check GPU matrix multiply-accumulate against its specifications." in done.out
