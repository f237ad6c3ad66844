"""Judging a near miss: an invalid program, which a backend that validates has to refuse."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.checked import ask as put
from mmaspec.backends.protocol import Description, Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.expectation import Rejected
from mmaspec.oracle.spec import spec_named
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.plain import plain
from mmaspec.suites.judging.record import Result, Symptom


def judge_near_miss(backend: Runner, description: Description, case: Case, rejected: Rejected, facts: Result) -> Result:
    """The result of one; ``facts`` are those that do not depend on the answer."""
    targets = (case.target,) if case.target else tuple(sorted(rejected.clauses))
    reasons = [unenforced(spec_named(case.spec).catalogue, clause, description) for clause in targets]
    if all(reasons):
        return replace(facts, outcome="not applicable", why=reasons[0])
    images = outline(case)  # a mistake in it would be ours
    try:
        put(backend, case.spec, case.program, images)
    except Refused:
        return replace(facts, outcome="legal", judged=1)
    except (Raised, BadReply) as error:  # not a refusal; and whether it would have refused nobody knows
        symptom: Symptom = "raised" if isinstance(error, Raised) else "bad reply"
        says = f"broke down over an invalid program instead of refusing it: {error}"
        return replace(facts, outcome="illegal", finding=plain(symptom, (), says))
    says = "an invalid program was accepted"
    return replace(facts, outcome="illegal", finding=plain("not refused", targets, says))


def unenforced(catalogue: Catalogue, clause: str, description: Description) -> str:
    """Why this backend need not refuse a near miss of ``clause``; empty if it must."""
    if "validates" not in description.roles:
        return "the backend does not validate"
    if catalogue.clause[clause].visible == "run" and description.enforces != "all":
        return "the backend checks only what a compiler can see"
    return ""
