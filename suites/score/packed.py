"""Texts stored beside the code that made them, compressed: a line of JSON that tells what follows, and the texts."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path

import msgspec

LARGEST = 1 << 28
"""Bytes of all texts of a file, uncompressed."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a file."""

    code: str
    """Hash of the code that made the texts."""
    texts: tuple[tuple[str, int], ...]
    """Identity of each text, and its bytes, in the order in which they follow."""


def write_packed(file: Path, code: str, texts: Mapping[str, bytes]) -> None:
    """Write a file: identity of each text -> the text. Its folder is made if there is none yet."""
    header = Header(code, tuple((identity, len(text)) for identity, text in texts.items()))
    file.parent.mkdir(exist_ok=True)
    whole = b"\n".join((msgspec.json.encode(header), b"".join(texts.values())))
    file.write_bytes(lzma.compress(whole, preset=9))


def read_packed(file: Path) -> tuple[str, dict[str, bytes]]:
    """The hash of the code, and the texts; empty if the file is missing or damaged."""
    try:
        whole = lzma.LZMADecompressor().decompress(file.read_bytes(), LARGEST)
        head, _, rest = whole.partition(b"\n")
        header = msgspec.json.decode(head, type=Header)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError, msgspec.MsgspecError):
        return "", {}
    texts: dict[str, bytes] = {}
    start = 0
    for identity, length in header.texts:
        texts[identity] = rest[start : start + length]
        start += length
    return header.code, texts
