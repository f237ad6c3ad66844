"""Options that commands have, most of them several commands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

MOST_WORKERS = 1024
"""More processes than that are a mistake."""


def _folder(name: str | Path) -> Path:
    """A folder that a user names: an empty name would be the folder of the shell."""
    if not str(name):
        raise typer.BadParameter("is empty; expected the name of a folder")
    return Path(name)


BackendOption = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar="B",
        help="Backend: numpy, onnxruntime, torch, legal:NAME, fault:NAME, module:Class, adapter.py:Class, cmd:COMMAND.",
    ),
]
TierOption = Annotated[
    str, typer.Option(help="Case list: quick (seconds; no arrays, so no gate), smoke, standard or thorough.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "-n",
        metavar="WORKERS",
        min=0,
        max=MOST_WORKERS,
        help="Number of worker processes; 0: a single one. Default: one for each of up to 8 processors.",
    ),
]
SpecOption = Annotated[
    list[str] | None,
    typer.Option(
        "--spec",
        "-s",
        metavar="S",
        help="Name of a specification (see mmaspec specs); repeat for several. Default: all.",
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", "-p", metavar="P", help="Profile to judge by, a name or a TOML file. Default: the backend's own."
    ),
]

IsolatedAnyway = Annotated[
    bool,
    typer.Option("--isolate", help="As in check. This command runs the backend in a child process anyway."),
]
WaiversOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="TOML file of known failures to accept, each with a case that shows it."),
]
BaselineOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="JSON file of an earlier run's failures: only other failures count.")
]

CapsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE", help="Caps that a built-in backend reports: FILE, or SPEC=FILE for several."),
]
ReportOption = Annotated[Path, typer.Option(metavar="DIR", help="Run folder to write.", parser=_folder)]
MaxFailuresOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Stop when N cases have failed. The report says what was not run; see --resume."
    ),
]


def worker_count(given: int | None) -> int:
    """The number of worker processes; a default if the user gives none."""
    return min(os.cpu_count() or 1, 8) if given is None else given
