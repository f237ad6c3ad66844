"""Framing at its limits: a reply's line is as long as is believed, a byte longer, or ends too early."""

from __future__ import annotations

from io import BufferedReader, BytesIO

import pytest

from mmaspec.backends.external import lines
from mmaspec.backends.external.lines import CutShort, TooLong, read_message

REPLY = b'{"type":"error","text":"x"}'
LONGEST = 64


def read(text: bytes) -> object:
    message = read_message(BufferedReader(BytesIO(text)), lambda: 0)  # type: ignore[arg-type]
    assert message is not None
    return message.head


@pytest.fixture(autouse=True)
def short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", LONGEST)


def test_a_line_may_be_as_long_as_is_believed() -> None:
    longest = REPLY.ljust(LONGEST - 1) + b"\n"
    assert len(longest) == LONGEST
    assert read(longest) == read(REPLY + b"\n")


@pytest.mark.parametrize("more", [0, 1, 1000])
def test_a_longer_line_is_too_long(more: int) -> None:
    with pytest.raises(TooLong, match=f"over {LONGEST} bytes"):
        read(REPLY.ljust(LONGEST + more) + b"\n")


def test_a_line_without_its_end_is_cut_short() -> None:
    with pytest.raises(CutShort, match=f"{LONGEST - 1} bytes of a line"):
        read(REPLY.ljust(LONGEST - 1))
