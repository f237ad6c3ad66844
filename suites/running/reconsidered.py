"""What the whole run says of single findings, in the results and in the case files."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import json
from msgspec.structs import replace

from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.telling.found import found_in, with_found
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.verdict.fewest import by_fewest
from mmaspec.suites.verdict.refuted import without_refuted


def reconsidered(folder: RunFolder, results: Sequence[Result]) -> list[Result]:
    """The results without causes that the run refutes, blamed on as few clauses as explain them (``fewest``).

    Their case files say the same from then on.

    A shard sees only part of the run, so its findings stay as they are until it is merged.
    """
    if folder.plan.shard:
        return list(results)
    found = by_fewest(without_refuted(results))
    changed = [now for was, now in zip(results, found, strict=True) if now is not was and now.example]
    if changed:
        recorder = folder.recorder("reconsidered")
        for result in changed:
            text = folder.example(result)
            told = _told(result, text)
            if told != text:
                recorder.smaller(result.example, told)
        recorder.close()
    return found


def _told(result: Result, text: bytes) -> bytes:
    """The case file with the finding that the result has now."""
    case = decode_case(text, result.example)
    found = found_in(case, result.example)
    if found is None or result.finding is None:
        return text
    told = json.encode(replace(found, finding=result.finding), order="deterministic")
    return encode_case(with_found(case, told))
