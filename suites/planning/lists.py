"""Case lists that were drawn before: reading one takes a fraction of the time.

A list is a function of specification, caps, tier, seed and code, so its file is named by these. Every recipe in it is
read as strictly as one of a run folder; what is missing or damaged is drawn anew.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.canonical import canonical
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.enumerate import case_list, once
from mmaspec.strategies.recipe import CORPUS_VERSION, Recipe, decode_recipe, encode_recipe
from mmaspec.suites.judging.cache import code_hash, keep, kept, user_file

Draw = Callable[[str, Any, str, int], tuple[Recipe, ...]]
"""(specification, caps, tier, seed) -> the case list, as ``case_list`` draws it."""

LISTS = 40
"""How many lists are kept, the youngest ones."""
LARGEST = 1 << 28
"""Bytes of a list that is kept, uncompressed."""


Stored = Callable[[str, str], bytes]
"""(specification, identity of a list) -> its text, where it was stored beside the code; else nothing."""


def drawn_once(draw: Draw, stored: Stored = lambda *_: b"") -> Draw:
    """Lists as ``draw`` makes them, each of them drawn once for a user, or never if it is ``stored``."""

    def known(spec: str, caps: object, tier: str, seed: int) -> tuple[Recipe, ...]:
        path = list_path(spec, caps, tier, seed)
        found = _read(path)
        if found is None:
            text = stored(spec, identity_of(spec, caps, tier, seed))
            found = _list(text, f"the stored lists of {spec}") if text else None
            if found is None:
                found = draw(spec, caps, tier, seed)
            _keep(path, found)
        return found

    return known


def listed(spec: str, caps: object, tier: str, seed: int) -> tuple[Recipe, ...]:
    """A case list, drawn once for a user. Raises what ``case_list`` raises."""
    return drawn_once(case_list)(spec, caps, tier, seed)


def listed_whole(spec: str, tier: str, seed: int) -> tuple[Recipe, ...]:
    """The lists of every device that it takes to have all rows, each drawn once for a user."""
    return once(recipe for caps in spec_named(spec).devices for recipe in listed(spec, caps, tier, seed))


def list_path(spec: str, caps: object, tier: str, seed: int) -> Path:
    """The file of a list in the user's cache."""
    return user_file(f"cases-{identity_of(spec, caps, tier, seed)}-{code_hash()}.z")


def identity_of(spec: str, caps: object, tier: str, seed: int) -> str:
    """All that a list depends on beside the code, as 16 hexadecimal digits."""
    asked = msgspec.json.encode((CORPUS_VERSION, spec, canonical(caps), tier, seed), order="deterministic")
    return hashlib.sha256(asked).hexdigest()[:16]


def _read(path: Path) -> tuple[Recipe, ...] | None:
    """The list in a file; None where it is not as it was kept."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(kept(path), LARGEST)
    except zlib.error:
        return None
    return _list(text, str(path)) if reader.eof else None


def text_of(recipes: Iterable[Recipe]) -> bytes:
    """A list as text: a line a recipe, behind its ID."""
    return b"".join(b"%b %b\n" % (recipe.id.encode(), encode_recipe(recipe)) for recipe in recipes)


def _list(text: bytes, where: str) -> tuple[Recipe, ...] | None:
    try:
        return tuple(_recipe(line, where) for line in text.splitlines())
    except BadInput:
        return None


def _recipe(line: bytes, where: str) -> Recipe:
    """The recipe of a line; to make its ID again would take longer than to read the recipe."""
    identity, _, data = line.partition(b" ")
    recipe = decode_recipe(data, where, identity.decode("ascii", "replace"))
    if recipe.id.encode() != identity:
        raise BadInput(f"{where}: holds a recipe that has another ID")
    return recipe


def _keep(path: Path, recipes: tuple[Recipe, ...]) -> None:
    text = text_of(recipes)
    if len(text) > LARGEST:
        return
    keep(path, zlib.compress(text, 1))
    try:
        lists = sorted(path.parent.glob("cases-*.z"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in lists[LISTS:]:
            file.unlink()
    except OSError:  # another run removes the same
        return
