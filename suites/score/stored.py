"""Tables that are stored beside the code that made them: JSON, a line an entry, so that unrelated changes merge."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec


def stored_in(package: str, name: str) -> Path:
    """The folder ``name`` of a package of this installation."""
    return Path(str(resources.files(package))) / name


def table(entries: Mapping[str, object]) -> str:
    """The text of a table, in the order of its keys."""
    lines = ",\n".join(f"{one_line(key)}:{one_line(value)}" for key, value in sorted(entries.items()))
    return f"{{\n{lines}\n}}"


def one_line(value: object) -> str:
    """The JSON text of a value, in one line."""
    return msgspec.json.encode(value).decode()


def write_stored(folder: Path, spec: str, data: bytes) -> None:
    """Write the file of a specification; the folder is made if there is none yet."""
    folder.mkdir(exist_ok=True)
    (folder / f"{spec}.json").write_bytes(data)
