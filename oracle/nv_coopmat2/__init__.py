"""GL_NV_cooperative_matrix2 on top of GL_KHR_cooperative_matrix: tensor layouts, loads, stores, products, operations.

Read in this order: ``clauses.toml`` and its parts (what is demanded), ``validity`` and ``undefined`` (what is refused,
and where the defined ends), ``tensors`` (the document's own values and index functions, how they are read where the
document is ambiguous, decode functions), ``matrices`` (products and operations), ``semantics`` (what is stored).
"""

from __future__ import annotations

from mmaspec.oracle.clauses import load_catalogue
from mmaspec.oracle.nv_coopmat2.blame import ablations, filled, instrumented
from mmaspec.oracle.nv_coopmat2.caps_report import caps_report
from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.nv_coopmat2.semantics import execute
from mmaspec.oracle.nv_coopmat2.sources import sources
from mmaspec.oracle.nv_coopmat2.text import text
from mmaspec.oracle.nv_coopmat2.undefined import undefined
from mmaspec.oracle.nv_coopmat2.validity import invalid_under, rejected
from mmaspec.oracle.spec import Spec
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram
from mmaspec.programs.nv_coopmat2.recorded import recorded

SPEC = Spec(
    catalogue=load_catalogue("mmaspec.oracle.nv_coopmat2"),
    program_type=CoopMatProgram,
    caps_type=CoopMatCaps,
    default_caps=DEFAULT_CAPS,
    rows=rows,
    rejected=rejected,
    undefined=undefined,
    sources=sources,
    execute=execute,
    text=text,
    instrumented=instrumented,
    ablations=ablations,
    filled=filled,
    caps_report=caps_report,
    untouched="NVCM2-STORE-ONLY-ELEMS",
    invalid_under=invalid_under,
    recorded=recorded,
)
