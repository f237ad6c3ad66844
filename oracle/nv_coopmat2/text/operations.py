"""Operations on matrices as GLSL, and the functions that they are given."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.nv_coopmat2.text.arguments import Speller
from mmaspec.oracle.nv_coopmat2.text.glsl_names import COMPONENTS, REDUCE_MASKS, SCOPES, USES, constant
from mmaspec.programs.base import FromBuffer, Scalar
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Combine,
    Component,
    Convert,
    CoopMatProgram,
    EachComponent,
    ElementFunction,
    Matrix,
    Negate,
    Operation,
    PerElement,
    Reduce,
    Simple,
)

Key = tuple[Combine | ElementFunction, Component]
"""A function, and the component type that it works on."""

BODIES = {
    "add": "x + y",
    "add-one": "x + y + {one}",
    "min": "min(x, y)",
    "max": "max(x, y)",
    "subtract": "x - y",
}
"""Combine function -> what it returns."""


WIDE_BODIES = {
    "add": "float(x) + float(y)",
    "add-one": "float(x) + float(y) + 1.0",
    "min": "min(float(x), float(y))",
    "max": "max(float(x), float(y))",
    "subtract": "float(x) - float(y)",
}
"""The same for components without operators."""


def type_of(matrix: Matrix) -> str:
    """The type of a matrix."""
    use = constant(USES, matrix.use)
    return f"coopmat<{COMPONENTS[matrix.component]}, {SCOPES[matrix.scope]}, {matrix.rows}, {matrix.cols}, {use}>"


def scalar_text(component: Component, scalar: Scalar, speller: Speller) -> str:
    """A scalar of a component type: an array element, or a literal by its bits."""
    name = COMPONENTS[component]
    if isinstance(scalar, FromBuffer):
        return f"{speller.array(scalar.buffer, name)}[{scalar.offset // format_named(component).nbytes}]"
    bits = f"0x{scalar.bits:x}u"
    casts = {
        "f16": f"uint16BitsToFloat16(uint16_t({bits}))",
        "bf16": f"uintBitsToBFloat16EXT(uint16_t({bits}))",
        "f32": f"uintBitsToFloat({bits})",
        "f64": f"packDouble2x32(uvec2(0x{scalar.bits & 0xFFFF_FFFF:x}u, 0x{scalar.bits >> 32:x}u))",
    }
    return casts.get(component, f"{name}({bits})")


def functions(program: CoopMatProgram) -> dict[Key, str]:
    """The functions that reductions and element-wise calls are given, and their names."""
    found: dict[Key, str] = {}
    for instruction, _ in program.written():
        key = _key(program, instruction)
        if key is not None:
            found.setdefault(key, f"{key[0].name.replace('-', '_')}{len(found)}")
    return found


def _key(program: CoopMatProgram, instruction: Simple) -> Key | None:
    if isinstance(instruction, Reduce):
        return instruction.combine, program.matrix(instruction.matrix).component
    if isinstance(instruction, PerElement):
        return instruction.function, program.matrix(instruction.matrix).component
    return None


def function_definitions(found: dict[Key, str]) -> Iterator[str]:
    """Each function in four lines and an empty one."""
    for (function, component), name in found.items():
        returns = COMPONENTS[function.returns or component]
        if isinstance(function, Combine):
            letters = "xyzuvw"
            parameters = [
                f"{function.qualifier} {COMPONENTS[kind or component]} {letter}"
                for letter, kind in zip(letters, function.parameters, strict=False)
            ]
            body = BODIES[function.name].format(one=f"{returns}(1)")
            if component == "bf16":
                # No operator takes a bfloat16_t (GL_EXT_bfloat16): combined as floats, then converted.
                body = f"{returns}({WIDE_BODIES[function.name]})"
        else:
            extras = [f"e{number}" for number in range(len(function.extras))]
            parameters = [
                f"{function.qualifier} {function.place} row",
                f"{function.qualifier} {function.place} col",
                f"{function.qualifier} {COMPONENTS[function.element or component]} m",
                *(
                    f"{function.qualifier} {COMPONENTS[kind or component]} {extra}"
                    for extra, kind in zip(extras, function.extras, strict=True)
                ),
            ]
            body = _element_body(function, returns, extras)
        yield f"{returns} {name}({', '.join(parameters)})"
        yield "{"
        yield f"    return {body};"
        yield "}"
        yield ""


def _element_body(function: ElementFunction, returns: str, extras: list[str]) -> str:
    if function.name == "triangle":
        return f"col <= row ? m : {returns}(0)"
    if function.name == "place":
        return f"{returns}(row * 256 + col)"
    if function.name == "select":
        other = extras[0] if len(extras) == 1 else f"((row + col) & 2) == 0 ? {extras[0]} : {extras[1]}"
        return f"((row + col) & 1) == 0 ? m : {other}"
    return " + ".join(("m", *extras))


def operation_text(program: CoopMatProgram, instruction: Operation, speller: Speller) -> str:
    """One statement."""
    result = instruction.result
    if isinstance(instruction, Arithmetic):
        right = instruction.right
        if not isinstance(right, str):
            right = scalar_text(program.matrix(instruction.left).component, right, speller)
            if instruction.scalar_first:
                return f"{result} = {right} {instruction.op} {instruction.left};"
        return f"{result} = {instruction.left} {instruction.op} {right};"
    source = instruction.matrix
    if isinstance(instruction, Convert):
        return f"{result} = {type_of(program.matrix(result))}({source});"
    if isinstance(instruction, Negate):
        return f"{result} = -{source};"
    key = _key(program, instruction)
    name = "" if key is None else functions(program)[key]
    if isinstance(instruction, Reduce):
        return f"coopMatReduceNV({result}, {source}, {constant(REDUCE_MASKS, instruction.mask)}, {name});"
    if isinstance(instruction, PerElement):
        component = program.matrix(source).component
        extras = [
            extra if isinstance(extra, str) else scalar_text(component, extra, speller) for extra in instruction.extras
        ]
        return f"coopMatPerElementNV({', '.join((result, source, name, *extras))});"
    return f"coopMatTransposeNV({result}, {source});"


def components_text(program: CoopMatProgram, instruction: EachComponent, speller: Speller) -> str:
    """The loop over the components of an invocation, in one line."""
    component, name = program.matrix(instruction.matrix).component, instruction.matrix
    wide = component == "bf16"  # no operator takes a bfloat16_t
    element = f"float({name}[j])" if wide else f"{name}[j]"
    if instruction.value is None:
        body = f"-{element}"
    else:
        value = scalar_text(component, instruction.value, speller)
        sign = "+" if instruction.function == "add" else "*"
        body = f"{element} {sign} {f'float({value})' if wide else value}"
    body = f"{COMPONENTS[component]}({body})"  # operators may give a wider type
    return f"for (int j = 0; j < {name}.length(); ++j) {name}[j] = {body};"
