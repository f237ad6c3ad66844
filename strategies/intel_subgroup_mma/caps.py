"""Random caps of a device with sub-group matrix functions: either size, some of the forms, with or without halves."""

from __future__ import annotations

from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps, FormName, SubGroupSize
from mmaspec.strategies.choices import Choices

SIZES: tuple[SubGroupSize, ...] = (8, 16)


def random_caps(choices: Choices) -> Caps:
    """One form or more that programs can have."""
    size, fp16 = choices.one_of(SIZES), choices.chance(75)
    left: list[FormName] = [name for name in FORMS_OF[size] if fp16 or FORMS[name].acc != "f16"]
    forms: list[FormName] = []
    for _ in range(choices.integer(1, len(left))):
        forms.append(choices.one_of(left))
        left.remove(forms[-1])
    return Caps(size, tuple(forms), fp16)
