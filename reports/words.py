"""The words of a report, in tables, so that all reports use the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Run, SpecResult

GLYPHS = {"pass": "✓", "fail": "✕", "not judged": "?", "not applicable": "·", "not testable": "○"}

VERDICTS = {"conformant": "Conformant", "not conformant": "Not conformant", "inconclusive": "Inconclusive"}

VERDICT_MEANS = {
    "conformant": "Every applicable clause passed under every caps row, each on at least one case that a wrong "
    "implementation of that clause would have failed.",
    "not conformant": "At least one case was answered in a way that no reading of the specification allows.",
    "inconclusive": "Nothing failed, but something applicable was not judged, so nothing is proved either.",
}

KINDS = {
    "V": "validity: a program that breaks it must be refused",
    "X": "exact value",
    "M": "memory and layout",
    "C": "caps",
    "U": "boundary of what is defined",
    "D": "depends on the device",
}

BASES = {
    "document": "the document says so",
    "companion": "a published companion of the document says so",
    "language": "the host language's own specification says so",
    "derived": "it follows from the document",
    "practice": "no text says so, but every known device does it",
    "profile": "the implementation declared it",
}

AUTHORITIES = ("document", "practice", "profile")
"""Whose word a failure breaks, strongest first."""

BREAKS = {
    "document": "breaks the document",
    "practice": "breaks practice",
    "profile": "breaks its declared profile",
}

HELD_TO = {
    "document": "what the documents say, and nothing else",
    "practice": "what the documents say and, where they are silent, what every known device does",
    "profile": "what the documents say, what every known device does where they are silent, and whatever the "
    "implementation itself declares",
}

BLAME = {
    "symptom": "the symptom names the clause by itself",
    "toggle": "the failure goes away when this one circumstance is removed",
    "pattern": "legal values stand in wrong places, in a way that this clause is about",
    "base": "the first instruction whose result is wrong carries out this clause",
    "batch": "it fails only beside other batch items",
    "goes away with literal arguments": "the failure goes away when the arguments are literals",
    "NaN was due": "every wrong element had to be NaN, which this clause demands",
    "a slight error": "every wrong element is only slightly off: precision was lost",
    "copies differ": "each element may be what it is by itself, but copies of one value may not differ",
    "not observed": "no program that stores intermediate results was taken: one of the last steps has to be it",
    "vanishes when observed": "the failure vanishes when intermediate results are stored",
    "an operand is changed": "the matrix is right before this instruction, which only reads it, and wrong behind it",
    "repeat": "the same case was run several times: some answers are legal and some are not",
    "reported": "the clause is about what a device reports, and this is what it reported",
}

SYMPTOMS = {
    "value": "wrong value",
    "unlike": "copies of one value differ",
    "touched": "wrote where it must not",
    "not refused": "ran an invalid program",
    "refused": "refused a valid program",
    "died": "crashed or hung",
    "raised": "raised an error",
    "reported": "reports what it may not",
    "bad reply": "unusable reply",
    "unstable": "unstable",
}


def authority_of(basis: str) -> str:
    """The authority that a clause of this basis stands on: ``document``, ``practice`` or ``profile``."""
    return basis if basis in {"practice", "profile"} else "document"


def failing_by_authority(run: Run, results: Iterable[Result] = ()) -> dict[str, int]:
    """The number of clauses that fail on each authority, strongest first.

    A clause that fails only in cases which practice allows fails on the implementation's own declaration.
    """
    declared_only: dict[str, bool] = {}
    for result in results:
        if result.finding is not None and result.finding.blamed and not result.explored:
            clause = result.finding.blamed[0]
            declared_only[clause] = declared_only.get(clause, True) and result.finding.profile_only
    counts: dict[str, int] = dict.fromkeys(AUTHORITIES, 0)
    for spec in run.specs.values():
        for name, entry in spec.clauses.items():
            if entry.status == "fail":
                counts["profile" if declared_only.get(name) else authority_of(entry.basis)] += 1
    return counts


def clause_counts(spec: SpecResult) -> dict[str, int]:
    """The number of clauses of one specification with each status."""
    counts = dict.fromkeys(GLYPHS, 0)
    for clause in spec.clauses.values():
        counts[clause.status] += 1
    return counts


def described(value: Any, field: str, otherwise: str = "") -> str:
    """A text field of something that was only decoded as JSON, such as the backend's name."""
    found = value.get(field) if isinstance(value, Mapping) else getattr(value, field, None)
    return otherwise if found is None else str(found)


def declared(profile: Any) -> list[str]:
    """The declarations of a profile beyond practice, a phrase for each field that is set."""
    phrases = {
        "model": {
            "sequential": "results equal IEEE 754 products and sums, one after the other",
            "sequential-f32": "results equal IEEE 754 products and sums in f32, rounded once",
            "fma-chain": "results equal a chain of IEEE 754 fused multiply-adds",
            "fma-chain-f32": "results equal a chain of IEEE 754 fused multiply-adds in f32, rounded once",
        },
        "accumulator_precision": {},
        "kept_fraction_bits": {},
        "final_rounding": {},
        "zero_terms": {"aligned": "zero terms take part in the alignment", "dropped": "zero terms are not aligned"},
        "subnormals": {
            "kept": "subnormals are kept",
            "may-flush": "subnormals may be flushed",
            "may-flush-inputs": "subnormal operands may be flushed",
            "may-flush-results": "subnormal results may be flushed",
        },
        "rounding": {"nearest-even": "every sum is the exact one, rounded once to nearest even"},
        "nan": {"required": "NaN is produced where one arises", "reported": "NaN need not be produced"},
        "window": {"required": "sums of small integers are exact", "reported": "inexact small sums are only reported"},
    }
    said = []
    for field, options in phrases.items():
        if blocks := _fused_blocks(profile) if field == "model" else []:
            said.extend(blocks)
        elif chosen := described(profile, field):
            said.append(options.get(chosen, f"{field.replace('_', ' ')}: {chosen}"))
    pins = profile.get("pins") if isinstance(profile, Mapping) else None
    said.extend(_pin(pin) for pin in (pins if isinstance(pins, Iterable) else ()))
    return said


def _fused_blocks(profile: Any) -> list[str]:
    """A phrase for each fused block that a profile declares."""
    model = profile.get("model") if isinstance(profile, Mapping) else None
    tables = model if isinstance(model, list | tuple) else [model]
    return [_fused_block(table) for table in tables if isinstance(table, Mapping)]


def _fused_block(model: Mapping[str, Any]) -> str:
    into = model.get("rounding")
    ends = ", ".join(f"{name} {mode}" for name, mode in into.items()) if isinstance(into, Mapping) else "?"
    operands = model.get("operands")
    of = ", ".join(map(str, operands)) if isinstance(operands, Iterable) else "?"
    zeros = " zeros are aligned," if described(model, "zero_products") == "aligned" else ""
    bits = described(model, "result_fraction_bits")
    cut = f", sums of {bits} fraction bits" if bits else ""
    last = " C is added last," if described(model, "addend") == "last" else ""
    return (
        f"results equal fused blocks of {described(model, 'products', '?')} products of {of} that keep "
        f"{described(model, 'kept_fraction_bits', '?')} fraction bits,{zeros}{last} aligned on "
        f"2^{described(model, 'exponent_floor', '-133')} at least, rounded into {ends}{cut}"
    )


def _pin(pin: Any) -> str:
    return f"{described(pin, 'ambiguity', '?')} is read as {described(pin, 'reading', '?')}"
