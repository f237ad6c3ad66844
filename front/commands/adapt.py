"""``mmaspec adapt``."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path

from mmaspec.backends.external.schema import schemas
from mmaspec.programs.errors import BadInput

LANGUAGES = ("c", "cpp", "python")


def adapt(
    place: Path | None, new: str | None, check: str | None, specs: list[str], time_limit: float, *, schema: bool
) -> int:
    """Do the one thing that is asked for; returns the exit code."""
    if [new is not None, check is not None, schema].count(True) != 1:
        raise BadInput("adapt: expected one of --new LANGUAGE DIR, --check BACKEND and --schema DIR")
    if check is not None:
        if place is not None:
            raise BadInput(f"adapt --check writes nothing; leave out {place}")
        from mmaspec.commands.adapt_check import check_wiring

        return check_wiring(check, specs, time_limit)
    if place is None:
        raise BadInput(f"adapt {'--schema' if schema else f'--new {new}'}: expected a folder to write to")
    if new is None:
        _write(place, schemas(), replace=True)
        return 0
    if new not in LANGUAGES:
        raise BadInput(f"adapt --new {new}: there are {', '.join(LANGUAGES)}")
    _write(place, _adapter(new), replace=False)
    sys.stdout.write(f"{place / 'README.md'} says how to go on\n")
    return 0


def _adapter(language: str) -> dict[str, bytes]:
    """File name -> contents of the example in a language."""
    folder = resources.files("mmaspec.examples") / "adapters" / language
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}


def _write(place: Path, files: dict[str, bytes], *, replace: bool) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
        if not replace and (there := [name for name in files if (place / name).exists()]):
            raise BadInput(f"{place / there[0]}: exists already; choose another folder")
        for name, contents in sorted(files.items()):
            (place / name).write_bytes(contents)
    except OSError as error:
        raise BadInput(f"{place}: cannot be written: {error.strerror}") from error
    sys.stdout.write("".join(f"wrote {place / name}\n" for name in sorted(files)))
