"""Products that are written as instructions: their modifiers, and where C comes from."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.amd_rdna3_wmma.instruction import INLINE_FLOATS, Inline, VWmma
from mmaspec.programs.register_kernels import products
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import flow_of

_HALVES = {(False, False): "none", (True, False): "low", (False, True): "high", (True, True): "both"}
_OF_C = {
    (False, False): "none", (True, False): "negative", (False, True): "absolute", (True, True): "negative-absolute",
}  # fmt: skip
_NUMBERS = ("half", "minus-half", "one", "minus-one", "two", "minus-two", "four", "minus-four", "inverse-2pi")
_EXACT = {0: "zero", 1: "one", 64: "64", -1: "minus-one", -16: "minus-16"}


def written_out(subject: Subject) -> bool:
    """Whether some product of a program is an instruction; then no product of it is a builtin."""
    return any(isinstance(step, VWmma) for _, step, _ in products(subject.program))


def things(subject: Subject) -> Iterator[Thing]:
    """Every instruction, by the kind of its numbers; one in a loop in the passes that differ."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.products):
        if isinstance(event.step, VWmma):
            yield Thing("integer-instruction" if event.step.integer else "float-instruction", event, event.place)


def _of(thing: Thing) -> VWmma:
    step = thing.of.step
    assert isinstance(step, VWmma)
    return step


def _signs(operand: int) -> Look:
    return lambda _, thing: _HALVES[_of(thing).neg_lo[operand], _of(thing).neg_hi[operand]]


def _op_sel(_: Subject, thing: Thing) -> Answer:
    opsel = _of(thing).opsel
    return "none" if opsel is None else "high" if opsel else "low"


def _c(_: Subject, thing: Thing) -> Answer:
    """What writes C."""
    held = thing.of.reads.get("c")
    if held is None:
        return "constant"
    if held.product is not None:
        return "result"
    return "loaded" if held.load is not None else "filled"


def _inline(_: Subject, thing: Thing) -> Answer:
    step = _of(thing)
    return "none" if step.c is not None else constant(step.inline)


def constant(inline: Inline) -> str:
    """The class of a constant."""
    if isinstance(inline, str):
        return _NUMBERS[INLINE_FLOATS.index(inline)]
    return f"integer-{_EXACT.get(inline, 'positive' if inline > 0 else 'negative')}"


def _integer_signs(_: Subject, thing: Thing) -> Answer:
    return "".join("s" if sign else "u" for sign in _of(thing).neg_lo[:2])


LOOKS: dict[str, Look] = {
    "float-opcode": lambda _, thing: f"{_of(thing).result}-{_of(thing).operands}",
    "integer-opcode": lambda _, thing: f"{_of(thing).result}-{_of(thing).operands}",
    "op-sel": _op_sel,
    "a-signs": _signs(0),
    "b-signs": _signs(1),
    "c-sign": lambda _, thing: _OF_C[_of(thing).neg_lo[2], _of(thing).neg_hi[2]],
    "instruction-signs": _integer_signs,
    "instruction-clamp": lambda _, thing: "on" if _of(thing).clamp else "off",
    "instruction-c": _c,
    "instruction-d": lambda _, thing: "in-place" if _of(thing).c == _of(thing).d else "apart",
    "instruction-passes": lambda _, thing: "looped" if len(thing.of.place.path) > 1 else "once",
    "instruction-factors": lambda _, thing: "one" if _of(thing).a == _of(thing).b else "two",
    "inline-constant": _inline,
}
