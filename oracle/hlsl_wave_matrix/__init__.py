"""HLSL WaveMatrix: what the document demands of matrices, their methods and groupshared arrays."""

from __future__ import annotations

from mmaspec.oracle.clauses import load_catalogue
from mmaspec.oracle.hlsl_wave_matrix.blame import ablations, filled, instrumented, instrumented_otherwise
from mmaspec.oracle.hlsl_wave_matrix.caps_report import caps_report
from mmaspec.oracle.hlsl_wave_matrix.rows import rows
from mmaspec.oracle.hlsl_wave_matrix.semantics import execute
from mmaspec.oracle.hlsl_wave_matrix.sources import sources
from mmaspec.oracle.hlsl_wave_matrix.text import text
from mmaspec.oracle.hlsl_wave_matrix.undefined import undefined
from mmaspec.oracle.hlsl_wave_matrix.validity import rejected
from mmaspec.oracle.spec import Spec
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram

SPEC = Spec(
    catalogue=load_catalogue("mmaspec.oracle.hlsl_wave_matrix"),
    program_type=WaveMatrixProgram,
    caps_type=WaveMmaCaps,
    default_caps=DEFAULT_CAPS,
    rows=rows,
    rejected=rejected,
    undefined=undefined,
    sources=sources,
    execute=execute,
    text=text,
    instrumented=instrumented,
    instrumented_otherwise=instrumented_otherwise,
    filled=filled,
    ablations=ablations,
    caps_report=caps_report,
    untouched="WM-STORE-ONLY-ELEMS",
)
