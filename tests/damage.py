"""Files with something wrong, the same ones every time, and what becomes of them."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from mmaspec.programs.errors import LONGEST, BadInput

PIECES = (
    b"", b'"', b"'''", b"\n", b"\x00", b"\xff\xfe", b"}", b"null", b"true", b"-1", b"1e999", b"9" * 30, b"9" * 5000,
    b"[" * 5000, b'{"a":' * 5000, b"../../", b'"../../x"', b"C:\\x", b"<script>", b"&amp;<b>", b"\\u0000", b"A" * 3000,
)  # fmt: skip
NUMBER = re.compile(rb"(?<![\w.])-?[0-9]+(?![\w.])")
SIZES = (b"-1", b"0", b"65536", b"1000000", b"2147483648", b"1000000000000", b"18446744073709551615")
ODD: tuple[Any, ...] = (
    -1, 0, 1, 3, 1 << 31, (1 << 32) - 1, 1 << 64, -(1 << 63), 10**400, 1.5, "", "nobody", "../../x", "<b>", None, True,
    [], {}, [[]], "0" * 3000,
)  # fmt: skip


def damaged(data: bytes, draw: Random) -> bytes:
    """``data`` cut, with bytes put in or changed, with another number, or, if it is JSON, with another value."""
    at = draw.randrange(len(data))
    end = min(len(data), at + draw.randint(0, 40))
    match draw.randrange(7):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + draw.randbytes(end - at) + data[end:]
        case 2:
            return data[:at] + data[at:end] * 50 + data[end:]
        case 3:
            return data[:at] + draw.choice(PIECES) + data[draw.choice((at, end)) :]
        case 4 if numbers := list(NUMBER.finditer(data)):
            number = draw.choice(numbers)
            return data[: number.start()] + draw.choice(SIZES) + data[number.end() :]
        case _:
            return _another_value(data, draw) or data[:at] + draw.choice(PIECES) + data[end:]


def _another_value(data: bytes, draw: Random) -> bytes:
    try:
        document = json.loads(data)
    except ValueError:
        return b""
    places = list(_places(document))
    if not places:
        return b""
    node, key = draw.choice(places)
    match draw.randrange(4):
        case 0:
            del node[key]
        case 1 if isinstance(node, dict):
            node[f"{key}s"] = node.pop(key)
        case 2 if isinstance(node, list):
            node[key:key] = [node[key]] * draw.choice((1, 300))
        case _:
            node[key] = draw.choice(ODD)
    return json.dumps(document).encode()


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key at which something else could stand."""
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield node, key
        yield from _places(node[key])


def refusal(read: Callable[[], object]) -> str:
    """The one line with which a file is refused; empty if it is read. Anything else passes through.

    Neither takes 20 seconds of processor, or another gigabyte.
    """
    started, before = time.process_time(), peak()
    said = ""
    try:
        read()
    except BadInput as error:
        said = str(error)
        assert said
    assert time.process_time() - started < 20
    assert peak() - before < 1 << 30
    assert said.isprintable()
    assert len(said) <= LONGEST
    return said


def peak() -> int:
    """Most bytes of memory that this process had so far, where the system says."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
