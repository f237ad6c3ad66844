"""The axes of matrix variables: their types, where operands come from and where results go."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, component_bytes
from mmaspec.programs.base import Place
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    Arithmetic,
    Convert,
    CoopMatProgram,
    Decode,
    EachComponent,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Simple,
    Splat,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import At, Facts, every, facts, first
from mmaspec.strategies.nv_coopmat2.observations.sizes import matrix_of

USES = ("a", "b", "accumulator")
WIDTHS = {8: "eight", 16: "sixteen", 32: "thirty-two", 64: "sixty-four"}
MADE: dict[type, str] = {
    Splat: "splat",
    MulAdd: "product",
    Arithmetic: "arithmetic",
    Negate: "negation",
    EachComponent: "each-component",
    Reduce: "reduction",
    PerElement: "per-element",
    Transpose: "transpose",
}


def of_matrix(look: Callable[[Matrix], Answer]) -> Look:
    """The look of an axis of matrices, in whatever moves or makes one."""
    return lambda subject, thing: look(matrix_of(facts(subject), thing))


def shape(matrix: Matrix) -> Answer:
    """Rows against columns."""
    rows, cols = matrix.rows, matrix.cols
    return first(
        ("square", rows == cols),
        ("very-wide", cols >= 4 * rows and cols % rows == 0),
        ("very-tall", rows >= 4 * cols and rows % cols == 0),
        ("wide", cols == 2 * rows),
        ("tall", rows == 2 * cols),
        ("no-ratio", rows % cols and cols % rows),
    )


def number(matrix: Matrix) -> Answer:
    """The bits of the number of the last element."""
    top = matrix.rows * matrix.cols
    return first(
        ("up-to-128", top <= 128),
        ("to-255", top <= 1 << 8),
        ("to-4095", top <= 1 << 12),
        ("to-32767", top <= 1 << 15),
        ("to-65535", top <= 1 << 16),
        ("beyond", True),
    )


def scope(subject: Subject, thing: Thing) -> Answer:
    """Who holds matrices together."""
    program: CoopMatProgram = facts(subject).program
    if thing.group == "program":
        return {matrix.scope for matrix in program.matrices}
    return matrix_of(facts(subject), thing).scope


def storage(subject: Subject, thing: Thing) -> Answer:
    """Storage of the variable; in a program that must be rejected, of the one that is not in a function."""
    if isinstance(thing.of, Matrix):
        return thing.of.storage or "variable"
    found = {matrix.storage or "variable" for matrix in facts(subject).program.matrices}
    return found - {"variable"} or found


def element(_: Subject, thing: Thing) -> Answer:
    """The element type of the array."""
    access: Access = thing.of
    names = {"": "component", "uint8_t": "uint8", "uint16_t": "uint16"}
    return names.get(access.array, access.array)


def against_component(subject: Subject, thing: Thing) -> Answer:
    """Size of the array's elements against the component's."""
    access: Access = thing.of
    matrix = facts(subject).matrix(access.matrix)
    unit, own = array_bytes(access, matrix), component_bytes(matrix)
    named = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint"}.get(matrix.component, "")
    return first(
        ("same-type", access.array in ("", named)),
        ("same-size", unit == own),
        ("half", 2 * unit == own),
        ("quarter-or-less", unit < own),
        ("twice", unit == 2 * own),
        ("four-times", unit == 4 * own),
        ("more", True),
    )


def operands(instruction: Simple) -> tuple[str, ...]:
    """The matrices that count as operands, the first one first: C of a product before A and B."""
    if isinstance(instruction, MulAdd):
        return (*((instruction.c,) if instruction.c else ()), instruction.a, instruction.b)
    return reads(instruction)


def origin(subject: Subject, thing: Thing) -> Answer:
    """Where operands come from."""
    known, place = facts(subject), thing.place
    assert place is not None
    return {name for operand in operands(thing.of) for at in known.makers(operand, place) for name in _made(known, at)}


def _made(known: Facts, at: At) -> Iterable[str]:
    one = at.instruction
    if at.turned:
        yield "previous-pass"
    if isinstance(one, Load):
        shared = one.buffer in known.program.shared
        yield "shared-load" if shared else "plain-load-columns" if one.layout == 1 else "plain-load"
    elif isinstance(one, LoadTensor):
        yield from _loaded(tensor_facts(known.subject, at.place), one.decode)
    elif isinstance(one, Convert):
        old, new = known.matrix(one.matrix), known.matrix(one.result)
        yield "use-conversion" if old.use != new.use else "conversion"
    else:
        yield MADE[type(one)]


def permuting(one: TensorFacts) -> bool:
    """Whether the view exchanges axes."""
    return one.viewed is not None and one.viewed.permutation not in ((), tuple(range(one.viewed.rank)))


def _loaded(one: TensorFacts, decode: Decode | None) -> Iterable[str]:
    clipped = any(one.skipped(state).any() for state in one.states)
    found = every(
        ("decoded-load", decode is not None),
        ("clipped-load", clipped and one.known.makers(one.matrix.name, one.place)),
        ("view-load", permuting(one)),
        ("shared-load", one.access.buffer in one.program.shared),
    )
    return found or ("tensor-load",)


def destination(subject: Subject, thing: Thing) -> Answer:
    """Where the result goes."""
    known, place = facts(subject), thing.place
    name = writes(thing.of)
    assert place is not None
    assert name is not None
    users = known.users(name, place)
    if not users:
        later = known.text[known.turn[place] + 1 :]
        return "overwritten" if any(writes(one.instruction) == name for one in later) else None
    stores = [one.instruction for one in users if isinstance(one.instruction, Store | StoreTensor)]
    kinds = {_way(store) for store in stores}
    found = {called for one in users for called in _used(known, one, name)}
    return found | set(every(("several", len(users) > 1), ("two-stores-differ", len(kinds) > 1)))


def _way(store: Store | StoreTensor) -> tuple[object, ...]:
    if isinstance(store, Store):
        return ("plain", store.layout)
    return ("tensor", store.tensor, store.view)


def _used(known: Facts, at: At, name: str) -> Iterable[str]:
    one = at.instruction
    if at.turned:
        yield "next-pass"
    if isinstance(one, Store):
        shared = one.buffer in known.program.shared
        yield "shared-store" if shared else "plain-store-columns" if one.layout == 1 else "plain-store"
    elif isinstance(one, StoreTensor):
        tensor = tensor_facts(known.subject, at.place)
        yield "view-store" if permuting(tensor) or tensor.clipped else "tensor-store"
    elif isinstance(one, MulAdd):
        yield from every(("product-a", one.a == name), ("product-b", one.b == name), ("product-c", one.c == name))
    elif isinstance(one, Arithmetic):
        yield from every(("arithmetic-left", one.left == name), ("arithmetic-right", one.right == name))
    elif isinstance(one, PerElement):
        yield from every(("per-element", one.matrix == name), ("per-element-extra", name in one.extras))
    else:
        yield "conversion" if isinstance(one, Convert) else MADE[type(one)]


def identity(subject: Subject, thing: Thing) -> Answer:
    """Whether the result's variable is an operand too."""
    known, place = facts(subject), thing.place
    name, used = writes(thing.of), operands(thing.of)
    assert name is not None
    assert place is not None
    if name not in used:
        return "reused" if known.makers(name, place) else "fresh"
    return every(("first-operand", used[0] == name), ("second-operand", name in used[1:]), ("all", set(used) == {name}))


def kept(subject: Subject, thing: Thing) -> Answer:
    """Whether sources are used again afterwards."""
    known, place = facts(subject), thing.place
    assert place is not None
    return {name for operand in operands(thing.of) for name in _kept(known, operand, place)}


def _kept(known: Facts, name: str, place: Place) -> Iterable[str]:
    turn = known.turn[place]
    makers = known.makers(name, place)
    users = [user for maker in makers for user in known.users(name, maker.place) if user.place != place]
    after = [user for user in users if known.turn[user.place] > turn and writes(known.text[turn].instruction) != name]
    before = [user for user in users if known.turn[user.place] < turn]
    stores = (Store, StoreTensor)
    return every(
        ("dead", not after),
        ("stored", any(isinstance(user.instruction, stores) for user in after)),
        ("operand-again", any(not isinstance(user.instruction, stores) for user in users)),
        ("stored-before", any(isinstance(user.instruction, stores) for user in before)),
    )


def shared(subject: Subject, thing: Thing) -> Answer:
    """Where the array lies."""
    program: CoopMatProgram = facts(subject).program
    if thing.group == "program":
        known = facts(subject)
        loads = {access.buffer in program.shared for access in known.loads}
        stores = {access.buffer in program.shared for access in known.stores}
        return every(
            ("buffer", not program.shared),
            ("shared", program.shared),
            ("shared-second", len(set(program.shared)) > 1),
            ("both", program.shared and (True in loads) != (True in stores)),
        )
    name = thing.of.name if thing.group == "buffer" else thing.of.buffer
    if name not in program.shared:
        return "buffer"
    return every(("shared", True), ("shared-second", name in program.shared[1:]))


LOOKS: dict[str, Look] = {
    "component": of_matrix(lambda matrix: matrix.component),
    "use": of_matrix(lambda matrix: USES[matrix.use] if 0 <= matrix.use < len(USES) else "other"),
    "matrix-shape": of_matrix(shape),
    "matrix-elements": of_matrix(number),
    "component-width": of_matrix(lambda matrix: WIDTHS[format_named(matrix.component).bits]),
    "scope": scope,
    "storage": storage,
    "array-element": element,
    "array-against-component": against_component,
    "matrix-origin": origin,
    "result-destination": destination,
    "result-identity": identity,
    "source-kept": kept,
    "shared-memory": shared,
}
"""Axis -> how its class is seen."""
