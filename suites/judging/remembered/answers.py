"""Answers that were judged: one that is byte for byte the same, to the same question, has the same result.

Whether bytes are legal follows from case, profile and code. So the results of legal answers are kept with a digest of
question and answer, and a backend that answers so again is not judged again: no legal set is computed. Every other
answer is judged as ever, and so is each case of the sample that is run once more (`repeats`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from mmaspec.oracle.demands import may_widen, may_widen_apart
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.cache import keep, kept
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.repeats.repeat import is_sampled

Judged = Mapping[str, Result]
"""Case ID -> the result of an answer that was legal, but for what it is sensitive to."""


def remembers(profile: Profile) -> bool:
    """Whether results under a profile are kept: not where what a case is sensitive to depends on its sets."""
    return not (may_widen(profile) or may_widen_apart(profile))


def profile_identity(profile: Profile) -> str:
    """16 hexadecimal digits over a profile."""
    return hashlib.sha256(msgspec.json.encode(profile, order="deterministic")).hexdigest()[:16]


def answers_path(sensitivity: Path, profile: Profile, backend: str) -> Path:
    """The cache file for the answers of a backend to a case list under a profile, beside its sensitivity."""
    mine = hashlib.sha256(backend.encode(errors="surrogateescape")).hexdigest()[:16]
    list_and_code = sensitivity.stem.removeprefix("sensitivity-")
    return sensitivity.with_name(f"answers-{list_and_code}-{profile_identity(profile)}-{mine}.json")


def worth_keeping(results: Iterable[Result]) -> dict[str, Result]:
    """Of some results those that need not be found again."""
    return {
        result.case: replace(result, sensitive=())
        for result in results
        if result.outcome == "legal" and result.answer and not is_sampled(result.case)
    }


def encoded(judged: Judged) -> bytes:
    """The text of a table of answers."""
    return msgspec.json.encode([judged[case] for case in sorted(judged)])


def decoded(text: bytes) -> dict[str, Result]:
    """The table of a text, without what is not worth keeping; empty if it is none."""
    try:
        return worth_keeping(msgspec.json.decode(text, type=list[Result]))
    except (UnicodeDecodeError, msgspec.MsgspecError):
        return {}


def read_answers(path: Path) -> dict[str, Result]:
    """The contents of the cache file; empty if it is missing or damaged."""
    return decoded(kept(path))


def keep_answers(path: Path, results: Iterable[Result]) -> None:
    """Add the answers in the results of a run; an error of writing is ignored."""
    known = read_answers(path)
    fresh = known | worth_keeping(results)
    if fresh != known:
        keep(path, encoded(fresh))
