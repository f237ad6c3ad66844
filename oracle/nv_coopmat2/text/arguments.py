"""Arguments and buffers as GLSL expressions."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.nv_coopmat2.program import ARRAY_BYTES, Barrier, CoopMatProgram


class Speller:
    """Writes arguments, and keeps track of the arrays that the shader needs: one for each type of a buffer."""

    def __init__(self, program: CoopMatProgram) -> None:
        self._bindings = {buffer.name: number for number, buffer in enumerate(program.buffers)}
        self._sizes = {buffer.name: buffer.size for buffer in program.buffers}
        self._shared, self._uniform = program.shared, program.uniform
        self._arrays: dict[tuple[str, str], None] = {}
        # Stores are only made visible to other invocations where they are to a coherent buffer.
        waits = any(isinstance(instruction, Barrier) for instruction, _ in program.written())
        self._buffer = "workgroupcoherent buffer" if waits else "buffer"

    def array(self, buffer: str, element: str) -> str:
        """A buffer as an array of a GLSL type."""
        self._arrays[buffer, element] = None
        found = f"{_identifier(buffer)}_{element}"
        return f"shared_{found}" if buffer in self._shared else found

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
        """One block per buffer and element type; blocks of one buffer share its binding. Then the shared arrays."""
        for buffer, element in sorted(self._arrays, key=lambda pair: (self._bindings[pair[0]], pair[1])):
            name, binding = f"{_identifier(buffer)}_{element}", f"set = 0, binding = {self._bindings[buffer]}"
            if buffer in self._uniform:
                count = self._count(buffer, element)
                yield f"layout({binding}, std140) uniform Block_{name} {{ {element} {name}[{count}]; }};"
            else:
                yield f"layout({binding}, std430) {self._buffer} Block_{name} {{ {element} {name}[]; }};"
        for buffer, element in self._copied():
            yield f"shared {element} {self.array(buffer, element)}[{self._count(buffer, element)}];"

    def copies(self, *, back: bool = False) -> Iterator[str]:
        """Shared arrays filled from their buffers, or copied ``back``, by all invocations of the workgroup."""
        barrier = "memoryBarrierShared(); barrier();"
        found = list(self._copied())
        if found and back:
            yield barrier
        for buffer, element in found:
            ours, theirs = self.array(buffer, element), f"{_identifier(buffer)}_{element}"
            to, of = (theirs, ours) if back else (ours, theirs)
            yield f"for (uint j = gl_LocalInvocationIndex; j < {self._count(buffer, element)}; j += gl_WorkGroupSize.x)"
            yield f"    {to}[j] = {of}[j];"
        if found and not back:
            yield barrier

    def _copied(self) -> Iterator[tuple[str, str]]:
        return ((buffer, element) for buffer, element in self._arrays if buffer in self._shared)

    def _count(self, buffer: str, element: str) -> int:
        return self._sizes[buffer] // ARRAY_BYTES.get(element, ARRAY_BYTES["uvec4"])


def _identifier(name: str) -> str:
    """A buffer's name as an identifier."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)
