"""Finding a clause's place in the published document again, without keeping the document's words.

A clause keeps a *locator* of at most six words and a digest of the sentence that holds it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_TERMINATOR = re.compile(r"(?<=[.!?;])\s+|(?<=[。!?;])\s*")


def normalise(text: str) -> str:
    """Unicode NFKC with every run of white space turned into one space: editions differ in line breaks."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


def sentences(text: str) -> list[str]:
    """The normalised text cut after ``. ! ? ;`` before white space and after their CJK forms."""
    return [piece.strip() for piece in _TERMINATOR.split(normalise(text)) if piece.strip()]


def digest(sentence: str) -> str:
    """First 16 hexadecimal digits of the SHA-256 of a normalised sentence."""
    return hashlib.sha256(normalise(sentence).encode()).hexdigest()[:16]


def locate(text: str, locator: str, wanted: str) -> str:
    """Where a clause stands: ``found``, ``changed`` (the locator is there, the sentence is another) or ``missing``.

    ``wanted`` is the digest. A locator may occur in several sentences; one of them must match.
    """
    key = normalise(locator)
    holding = [sentence for sentence in sentences(text) if key in sentence]
    if not holding:
        return "missing"
    return "found" if any(digest(sentence) == wanted for sentence in holding) else "changed"
