"""HLSL linear algebra matrices (proposal 0035): what the document demands of matrices, vectors and memory.

Read in this order: ``clauses.toml`` and its parts (what is demanded), ``revisions``
(of which text), ``scopes`` (which operation is allowed where),
``validity`` and ``undefined`` (what is refused, and where the defined ends), ``addresses`` (where each element lies),
``semantics`` (what is stored).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from msgspec import structs

from mmaspec.oracle.hlsl_linalg.blame import (
    ablations,
    filled,
    instrumented,
    instrumented_in_other_layout,
    instrumented_otherwise,
    source_ablations,
)
from mmaspec.oracle.hlsl_linalg.caps_report import caps_report
from mmaspec.oracle.hlsl_linalg.revisions import CATALOGUE
from mmaspec.oracle.hlsl_linalg.rows import rows
from mmaspec.oracle.hlsl_linalg.semantics import execute
from mmaspec.oracle.hlsl_linalg.sources import sources
from mmaspec.oracle.hlsl_linalg.text import text
from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.validity import invalid_under, rejected
from mmaspec.oracle.spec import Spec
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS, SOURCE_CAPS, LinalgCaps
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import LinalgProgram


def _by_caps(caps: LinalgCaps) -> Spec[LinalgProgram, LinalgCaps]:
    return _REVISIONS[caps.revision]


SPEC = Spec(
    catalogue=CATALOGUE,
    program_type=LinalgProgram,
    caps_type=LinalgCaps,
    default_caps=DEFAULT_CAPS,
    rows=rows,
    rejected=rejected,
    undefined=undefined,
    sources=sources,
    execute=execute,
    text=text,
    instrumented=instrumented,
    ablations=ablations,
    instrumented_otherwise=instrumented_otherwise,
    filled=filled,
    invalid_under=invalid_under,
    caps_report=caps_report,
    other_devices=(SOURCE_CAPS,),
    by_caps=_by_caps,
    untouched="LINALG-STORE-ONLY-ELEMS",
)

_REVISIONS: Mapping[Revision, Spec[LinalgProgram, LinalgCaps]] = MappingProxyType(
    {
        "later": SPEC,
        "2025-09-19": replace(
            SPEC,
            catalogue=structs.replace(CATALOGUE, revision=CATALOGUE.publication["source"].revision),
            execute=partial(execute, revision="2025-09-19"),
            ablations=source_ablations,
            instrumented_otherwise=instrumented_in_other_layout,
            invalid_under=partial(invalid_under, revision="2025-09-19"),
        ),
    }
)
"""Revision -> the specification as its text has it."""
