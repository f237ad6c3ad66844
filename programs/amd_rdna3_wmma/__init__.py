"""Programs and caps of the RDNA3 matrix builtins, as data. Adapters import from here."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.caps import (
    DEFAULT_CAPS,
    FORMS,
    TARGETS,
    Architecture,
    BuiltinName,
    Caps,
    Form,
)
from mmaspec.programs.amd_rdna3_wmma.program import (
    ELEMENT_BYTES,
    ElementType,
    Fill,
    Flag,
    Fragment,
    Instruction,
    Load,
    Plain,
    Repeat,
    Store,
    Use,
    Wmma,
    WmmaProgram,
)

__all__ = [
    "DEFAULT_CAPS",
    "ELEMENT_BYTES",
    "FORMS",
    "TARGETS",
    "Architecture",
    "BuiltinName",
    "Caps",
    "ElementType",
    "Fill",
    "Flag",
    "Form",
    "Fragment",
    "Instruction",
    "Load",
    "Plain",
    "Repeat",
    "Store",
    "Use",
    "Wmma",
    "WmmaProgram",
]
