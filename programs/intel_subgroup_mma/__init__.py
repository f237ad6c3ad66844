"""Programs and caps of the sub-group matrix functions, as data. Adapters import from here."""

from __future__ import annotations

from mmaspec.programs.intel_subgroup_mma.caps import (
    DEFAULT_CAPS,
    FORMS,
    FORMS_OF,
    ROWS,
    Caps,
    Form,
    FormName,
    SubGroupSize,
)
from mmaspec.programs.intel_subgroup_mma.program import (
    COMPONENT_BYTES,
    Component,
    ElementFormat,
    Fill,
    Fragment,
    Instruction,
    Load,
    Mad,
    MadProgram,
    Plain,
    Repeat,
    Store,
    Use,
)

__all__ = [
    "COMPONENT_BYTES",
    "DEFAULT_CAPS",
    "FORMS",
    "FORMS_OF",
    "ROWS",
    "Caps",
    "Component",
    "ElementFormat",
    "Fill",
    "Form",
    "FormName",
    "Fragment",
    "Instruction",
    "Load",
    "Mad",
    "MadProgram",
    "Plain",
    "Repeat",
    "Store",
    "SubGroupSize",
    "Use",
]
