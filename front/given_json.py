"""What is wrong with a JSON file that a user gave, where a decoder names a field of something else or an offset."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmaspec.programs.errors import BadInput


@contextmanager
def telling_json(path: Path, expected: str, schema: str = "") -> Iterator[None]:
    """Bad input in this block is told as an empty file, as no JSON, or as JSON of something else, if it is that.

    ``expected`` says what the file should be; ``schema`` is what its field of that name has to hold, if it has one.
    """
    try:
        yield
    except BadInput as error:
        if told := _told(path, schema):
            raise BadInput(f"{path}: {told}; expected {expected}") from error
        raise


def _told(path: Path, schema: str) -> str:
    """What is wrong with the file as a whole; empty where it is something in it, or it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    if not data.strip():
        return "is empty"
    try:
        given = json.loads(data.decode())
    except UnicodeDecodeError as error:
        return f"is not UTF-8 text: byte {error.start} is 0x{data[error.start]:02x}"
    except json.JSONDecodeError as error:
        ended = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        cut = "cut" if ended else "not JSON"
        return f"is {cut}: {error.msg}, line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError):  # a number with too many digits, nested too deeply
        return ""
    if not schema or (isinstance(given, dict) and str(given.get("schema", "")).startswith(schema.partition("/")[0])):
        return ""
    return f'is JSON of something else, as it has no "schema": "{schema}"'
