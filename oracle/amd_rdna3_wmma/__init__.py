"""The matrix builtins of RDNA3 (WMMA): floats and integers of three widths each, in waves of 32 and of 64.

Read in this order: ``clauses.toml`` (what is demanded), ``builtins``, ``validity`` and ``undefined`` (what is refused,
and where the defined ends), ``addresses`` (the register layouts), ``semantics`` (what is stored).
"""

from __future__ import annotations

from mmaspec.oracle.amd_rdna3_wmma.addresses import register_bits
from mmaspec.oracle.amd_rdna3_wmma.blame import ablations, instrumented
from mmaspec.oracle.amd_rdna3_wmma.caps_report import caps_report
from mmaspec.oracle.amd_rdna3_wmma.rows import rows
from mmaspec.oracle.amd_rdna3_wmma.semantics import execute
from mmaspec.oracle.amd_rdna3_wmma.sources import sources
from mmaspec.oracle.amd_rdna3_wmma.text import text
from mmaspec.oracle.amd_rdna3_wmma.undefined import undefined
from mmaspec.oracle.amd_rdna3_wmma.validity import rejected
from mmaspec.oracle.clauses import load_catalogue
from mmaspec.oracle.spec import Spec
from mmaspec.programs.amd_rdna3_wmma.caps import BELOW_COMPILERS, DEFAULT_CAPS, Caps
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram

SPEC = Spec(
    catalogue=load_catalogue("mmaspec.oracle.amd_rdna3_wmma"),
    program_type=WmmaProgram,
    caps_type=Caps,
    default_caps=DEFAULT_CAPS,
    other_devices=(BELOW_COMPILERS,),
    rows=rows,
    rejected=rejected,
    undefined=undefined,
    sources=sources,
    execute=execute,
    text=text,
    instrumented=instrumented,
    ablations=ablations,
    caps_report=caps_report,
    untouched="RDNA3-STORE-ONLY",
    registers=register_bits,
)
