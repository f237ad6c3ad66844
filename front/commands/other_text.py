"""Cases that follow another revision of a specification than the backend does that is asked."""

from __future__ import annotations

from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.protocol import Refused, Reporter
from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.suites.judging.single import Verdict


def of_other_text(backend: Reporter, case: Case, verdict: Verdict) -> str:
    """What to add to a verdict that is not "legal" where case and backend follow different texts; else empty.

    What is right by one text may be refused, or left otherwise, by the other: such a failure may say nothing of the
    backend.
    """
    if verdict.result.outcome == "legal":
        return ""
    spec = spec_named(case.spec)
    try:
        reported = backend.caps(case.spec)
    except (Died, Raised, BadReply, Refused):
        return ""  # it has answered the case, and that is what was asked
    if not isinstance(reported, spec.caps_type):
        return ""
    theirs, ours = (spec.of(caps).catalogue.revision for caps in (case.caps, reported))
    if theirs == ours:
        return ""
    return f"; the case is of the text of {theirs}, and this backend reports that it follows {ours}"
