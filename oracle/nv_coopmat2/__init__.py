"""GL_NV_cooperative_matrix2 on top of GL_KHR_cooperative_matrix: tensor layouts, loads, stores, products, operations.

Read in this order: ``clauses.toml`` and its parts (what is demanded), ``program`` (the vocabulary), ``validity``
and ``undefined`` (what is refused or has no defined result), ``tensors`` (the document's own values and index
functions, and how they are read where the document is ambiguous), ``addresses``, ``matrices`` (products, conversions
and operations), ``semantics`` (what is stored).
"""

from __future__ import annotations

from mmaspec.oracle.clauses import load_catalogue
from mmaspec.oracle.nv_coopmat2.blame.observe import observe
from mmaspec.oracle.nv_coopmat2.blame.program import toggles
from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.nv_coopmat2.semantics import execute
from mmaspec.oracle.nv_coopmat2.sources.program import sources
from mmaspec.oracle.nv_coopmat2.text.program import text
from mmaspec.oracle.nv_coopmat2.undefined.program import undefined
from mmaspec.oracle.nv_coopmat2.validity.program import rejected
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
    observe=observe,
    toggles=toggles,
    untouched="KHRCM-STORE-ONCE",
    recorded=recorded,
)
