"""Sub-group matrix multiply accumulate for OpenCL C: 88 functions, for devices with sub-groups of 8 and of 16.

Read in this order: ``clauses.toml`` (what is demanded), ``functions`` (the table of signatures), ``validity`` and
``undefined`` (what is refused, and where the defined ends), ``addresses`` (which work-item holds which element in which
bits), ``semantics`` (what is stored).
"""

from __future__ import annotations

from mmaspec.oracle.clauses import load_catalogue
from mmaspec.oracle.intel_subgroup_mma.addresses import register_bits
from mmaspec.oracle.intel_subgroup_mma.blame import ablations, instrumented
from mmaspec.oracle.intel_subgroup_mma.caps_report import caps_report
from mmaspec.oracle.intel_subgroup_mma.rows import rows
from mmaspec.oracle.intel_subgroup_mma.semantics import execute
from mmaspec.oracle.intel_subgroup_mma.sources import sources
from mmaspec.oracle.intel_subgroup_mma.text import text
from mmaspec.oracle.intel_subgroup_mma.undefined import undefined
from mmaspec.oracle.intel_subgroup_mma.validity import rejected
from mmaspec.oracle.spec import Spec
from mmaspec.programs.intel_subgroup_mma.caps import DEFAULT_CAPS, FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import MadProgram

SPEC = Spec(
    catalogue=load_catalogue("mmaspec.oracle.intel_subgroup_mma"),
    program_type=MadProgram,
    caps_type=Caps,
    default_caps=DEFAULT_CAPS,
    rows=rows,
    rejected=rejected,
    undefined=undefined,
    sources=sources,
    execute=execute,
    text=text,
    instrumented=instrumented,
    ablations=ablations,
    caps_report=caps_report,
    registers=register_bits,
    other_devices=(Caps(16, FORMS_OF[16]),),
    untouched="ISGMMA-STORE-ONLY",
)
