"""Finding the place of a clause in the published document, without a copy of its words.

A clause keeps a *locator* of at most six words that stand once in the document, and a digest of the sentence that
they find.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_left, bisect_right

REACH = 3
"""How many sentences may lie between a locator and its sentence.

Documents say the same sentence of a load and of a store: what tells the two apart then stands beside it.
"""

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
    """The state of a clause's place: ``found``, ``missing``, ``repeated`` or ``changed``; ``wanted`` is the digest.

    Missing: there are no such words; repeated: they stand in several places; changed: they stand there, but not in
    the sentence. The sentence is one that the locator runs through, or one of ``REACH`` on either side.
    """
    whole, key = normalise(text), normalise(locator)
    start = whole.find(key)
    if start < 0:
        return "missing"
    if whole.find(key, start + 1) >= 0:
        return "repeated"
    ends = [found.end() for found in _TERMINATOR.finditer(whole)]
    first, last = bisect_right(ends, start), bisect_left(ends, start + len(key))
    cuts = [0, *ends, len(whole)]
    near = range(max(0, first - REACH), min(len(ends), last + REACH) + 1)
    return "found" if any(digest(whole[cuts[n] : cuts[n + 1]]) == wanted for n in near) else "changed"
