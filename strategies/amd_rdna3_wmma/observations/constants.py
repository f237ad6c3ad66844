"""Constants that C is filled with: which of them an instruction can hold inline."""

from __future__ import annotations

from mmaspec.oracle.amd_rdna3_wmma.addresses import element_format
from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing

_INLINE = {
    "f32": (0x3F000000, 0x3F800000, 0x40000000, 0x40800000),
    "f16": (0x3800, 0x3C00, 0x4000, 0x4400),
}
"""0.5, 1, 2 and 4."""
_SIZES = ("half", "one", "two", "four")
_INVERSE_2PI = {"f32": 0x3E22F983, "f16": 0x3118}


def _constant(subject: Subject, thing: Thing) -> Answer:
    """Of fills of C, and of products whose C is one value."""
    if thing.group == "product":
        step = thing.of.step
        held = thing.of.reads.get("c")
        bits = 0 if step.c is None else None if held is None else held.fill
        name = step.d if step.c is None else step.c
    else:
        name, bits = thing.of.fragment, thing.of.fill
    fragment = subject.program.fragment(name)
    return None if fragment.use != "cd" or bits is None else constant(element_format(fragment), bits)


def constant(fmt: Format, bits: int) -> str:
    """What 32 bits are to an instruction that can hold some constants inline."""
    number = bits - (1 << 32) if bits >> 31 else bits
    exact = {0: "zero", 64: "inline-64", 65: "sixty-five", -16: "inline-minus-16", -17: "minus-seventeen"}
    if number in exact:
        return exact[number]
    if bits == 1 << 31:
        return "negative-zero"
    if -16 < number < 64:
        return "inline-positive" if number > 0 else "inline-negative"
    for name, floats in _INLINE.items():
        sign = 0x80000000 if name == "f32" else 0x8000
        if bits & ~sign in floats:
            if fmt.name != name:
                return "other-format-inline"
            size = _SIZES[floats.index(bits & ~sign)]
            return f"inline-minus-{size}" if bits & sign else f"inline-{size}"
        if bits == _INVERSE_2PI[name]:
            return "inline-inverse-2pi" if fmt.name == name else "other-format-inline"
    return "literal"


LOOKS: dict[str, Look] = {"fill-constant": _constant}
