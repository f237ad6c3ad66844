"""Holding a case to what a run found in it: a replay confirms that, or says what has changed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from mmaspec.backends.protocol import Description
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.blaming.elsewhere.between_items import BETWEEN, STATE
from mmaspec.suites.judging.death import UNSEEN, died_of
from mmaspec.suites.judging.kind import breaks_alike
from mmaspec.suites.judging.plain import plain
from mmaspec.suites.judging.record import Element, Finding, Result
from mmaspec.suites.judging.repeats.unstable import how_often
from mmaspec.suites.judging.telling.found import Found

MOST_CANDIDATES = 3


def confirmed(result: Result, found: Found, description: Description, profile: Profile) -> tuple[Result, str]:
    """The result of a case in which a run found something, and the line that says it; it was judged by ``profile``.

    A case that fails as recorded is blamed on what the run blamed, one that fails otherwise on nothing: the run saw
    more than this case shows.
    """
    was = worded(found.shown)
    now = result.finding
    elsewhere = _elsewhere(found, description)
    if now is None:
        if result.outcome != "legal":
            return result, f"{result.why}; the run found {was}{elsewhere}"
        if found.backend != description.name:
            ours, theirs = f"{description.name} {description.version}", f"{found.backend} {found.version}"
            return result, f"legal on {ours}; the run was of {theirs}, and found {was}"
        if found.profile != profile:
            return result, f"legal by {profile.name}; the run went by {found.profile.name}, and found {was}{elsewhere}"
        if found.finding.alone:
            return result, f"confirmed: legal where no other case ran before it; the run found {was}{elsewhere}"
        return result, f"no longer fails as recorded ({was}){elsewhere}"
    if found.finding.alone:
        again = f"fails here too, where one call follows another: {now.says}"
        return replace(result, finding=_unblamed(now)), f"confirmed: {again}; the run found {was}{elsewhere}"
    if found.finding.varies and now.symptom == "unstable":  # what ran before may have made each answer wrong
        return result, f"confirmed: {worded(now)}; the run found {was}{elsewhere}"
    if now.symptom != found.finding.symptom or not _breaks_down_alike(now, found.shown):
        return replace(result, finding=_unblamed(now)), f"changed: the run found {was}; now {now.says}{elsewhere}"
    blamed = _as_recorded(now, found.finding)
    if found.finding.varies or _where(now.element) == _where(found.shown.element):
        told = f"confirmed: {worded(blamed)}{how_often(blamed)}"
        return replace(result, finding=blamed), f"{told}{_reduced(found)}{elsewhere}"
    unsaid = _unsaid(found.shown.element, now.element)
    return replace(result, finding=blamed), f"changed: the run found {was}; now {now.says}{unsaid}{elsewhere}"


def since_edited(before: Found, says: str) -> str:
    """What to say of a case that somebody edited after a run had found something in it; ``says`` is about it now."""
    return f"the case was edited since the run; as it is now: {says}; the run found {worded(before.shown)}"


def of_death(found: Found | None, error: object) -> str:
    """What to say of a backend that dies in a case."""
    if found is None:
        return f"{error}"
    if found.finding.symptom == "died" and _breaks_down_alike(plain("died", (), died_of(error)), found.shown):
        return f"confirmed: {error}"
    return f"changed: the run found {worded(found.shown)}; now the backend died: {error}"


def worded(finding: Finding) -> str:
    """The finding of one case in one line: the clause, what is wrong, and the likely cause, which others may belie."""
    blamed = f"{finding.blamed[0]}: " if finding.blamed else ""
    if finding.how == BETWEEN and not (finding.blamed or finding.says.startswith(STATE)):
        blamed = f"{STATE}, "
    guess = as_if(finding.cause, finding.candidates)
    return f"{blamed}{finding.says}{f'; in this case it {guess}' if guess else ''}"


def as_if(cause: str, candidates: Sequence[str]) -> str:
    """The likely cause in words; empty where none is known."""
    if cause:
        return f"behaves as if {cause}"
    if not candidates:
        return ""
    shown = ", or as if ".join(candidates[:MOST_CANDIDATES])
    left = len(candidates) - MOST_CANDIDATES
    return f"might behave as if {shown}{f', or {left} more' if left > 0 else ''}"


def _as_recorded(now: Finding, then: Finding) -> Finding:
    """What is wrong now, explained as then."""
    return replace(
        then,
        says=now.says,
        place=now.place,
        element=now.element,
        wrong=now.wrong,
        judged=now.judged,
        repeats=now.repeats,
        wrong_repeats=now.wrong_repeats,
    )


def _unblamed(finding: Finding) -> Finding:
    """A finding without the blame that was only recalled; what a symptom names by itself stays."""
    return finding if finding.how == "symptom" else replace(finding, blamed=(), how="changed", cause="", candidates=())


def _breaks_down_alike(now: Finding, then: Finding) -> bool:
    """Whether two breakdowns are of one kind, as far as both are known; other symptoms have one kind each."""
    return died_of(UNSEEN) in (now.says, then.says) or breaks_alike(now, then)


def _where(element: Element | None) -> tuple[object, ...]:
    """What makes an element the same: where it is and what it holds. Its address follows from the program."""
    if element is None:
        return ()
    where = element.buffer, element.item, element.wave, element.row, element.col, element.got
    return (*where, element.address) if element.format == "byte" else where


def _unsaid(then: Element | None, now: Element | None) -> str:
    """In what two elements differ that no sentence about them says: the item, bits that read alike."""
    if then is None or now is None:
        return ""
    item = f"; in item {then.item} then, in item {now.item} now" if then.item != now.item else ""
    unread = then.got_value == now.got_value and then.got != now.got
    return f"{item}; bits {then.got} then, {now.got} now" if unread else item


def _reduced(found: Found) -> str:
    """What the report says beyond what is wrong in the case of the file, which may be a smaller one than listed."""
    first, _, more = found.finding.says.partition("; ")
    listed, here = _element(first), _element(found.here.says if found.here else first)
    reduced = f"; this case was reduced: in the listed one {listed}" if listed != here else ""
    if not more or found.finding.element is None:  # what else is said of a breakdown is no explanation
        return reduced
    return f"{reduced}; {more}" if reduced else f"; the run found: {more}"


def _element(says: str) -> str:
    """What a finding says of its element, or of a byte, without the instruction and what else is known."""
    first = says.partition("; ")[0]
    return first.partition(": ")[2] or first


def _elsewhere(found: Found, description: Description) -> str:
    """That another backend, or another version of it, was found to fail."""
    if (found.backend, found.version) == (description.name, description.version):
        return ""
    return f"; the run was of {found.backend} {found.version}, this is {description.name} {description.version}"
