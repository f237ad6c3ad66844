"""Arguments and buffers as GLSL expressions."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram


class Speller:
    """Writes arguments, and keeps track of the arrays that the shader needs: one for each type of a buffer."""

    def __init__(self, program: CoopMatProgram) -> None:
        self._bindings = {buffer.name: number for number, buffer in enumerate(program.buffers)}
        self._arrays: dict[tuple[str, str], None] = {}

    def array(self, buffer: str, element: str) -> str:
        """A buffer as an array of a GLSL type."""
        self._arrays[buffer, element] = None
        return f"{_identifier(buffer)}_{element}"

    def unsigned(self, index: Index) -> str:
        """An argument as an ``uint`` expression."""
        if isinstance(index, int):
            return str(index) if index >= 0 else f"uint({index})"
        if isinstance(index, RunTime):
            return f"{self.array(index.buffer, 'uint')}[{index.offset // 4}]"
        terms = [f"{factor} * {name}" for factor, name in ((index.wave, "wave"), (index.loop, "i")) if factor]
        return " + ".join((str(index.base), *terms))

    def signed(self, index: Index) -> str:
        """An argument as an ``int`` expression."""
        if isinstance(index, int):
            return str(index)
        if isinstance(index, Affine) and not (index.wave or index.loop):
            return str(index.base)
        return f"int({self.unsigned(index)})"

    def declarations(self) -> Iterator[str]:
        """One block per buffer and element type; blocks of one buffer share its binding."""
        for buffer, element in sorted(self._arrays, key=lambda pair: (self._bindings[pair[0]], pair[1])):
            name = self.array(buffer, element)
            yield (
                f"layout(set = 0, binding = {self._bindings[buffer]}, std430) buffer Block_{name} "
                f"{{ {element} {name}[]; }};"
            )


def _identifier(name: str) -> str:
    """A buffer's name as an identifier."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)
