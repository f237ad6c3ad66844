"""A module while it is written: capabilities, declarations in the order of need, and the lines of its one function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmaspec.oracle.intel_subgroup_mma.assembly.types import SCALARS, WORD, Vector

EXTENSION = "SPV_INTEL_subgroup_matrix_multiply_accumulate"

ALWAYS = ("Addresses", "Kernel", "Int8", "SubgroupDispatch", "SubgroupMatrixMultiplyAccumulateINTEL")
"""Capabilities of every module: pointer arithmetic, kernels, bytes, a required sub-group size, the instruction."""

BUILT_INS = {"%sub_group_id": "SubgroupId", "%sub_group_local_id": "SubgroupLocalInvocationId"}
"""Variables that the device fills -> what it fills them with."""

BYTES = "%bytes"
"""The type of every parameter: a pointer to bytes of a buffer."""


class Module:
    """Declarations, each once, and lines. Results have numbers; IDs of declarations begin with a letter."""

    def __init__(self) -> None:
        self._capabilities: dict[str, None] = dict.fromkeys(ALWAYS)
        self._declared: dict[str, str] = {}
        self._lines: list[str] = []
        self._results = 0
        self._declare("%void", "OpTypeVoid")
        self._declare("%i8", "OpTypeInt 8 0")
        self._declare(BYTES, "OpTypePointer CrossWorkgroup %i8")
        pointer = self.pointer(WORD, "Input")
        for variable in BUILT_INS:
            self._declare(variable, f"OpVariable {pointer} Input")

    def _declare(self, name: str, what: str) -> str:
        self._declared.setdefault(name, what)
        return name

    def type(self, vector: Vector) -> str:
        """The ID of a type."""
        scalar = SCALARS[vector.component]
        if scalar.capability:
            self._capabilities[scalar.capability] = None
        element = self._declare(f"%{scalar.name}", scalar.declaration)
        if vector.count == 1:
            return element
        if vector.count > 4:  # longer ones exist in kernels alone
            self._capabilities["Vector16"] = None
        return self._declare(vector.name, f"OpTypeVector {element} {vector.count}")

    def pointer(self, vector: Vector, storage: str = "CrossWorkgroup") -> str:
        """The ID of the type of pointers to vectors, in buffers unless said."""
        pointee = self.type(vector)
        return self._declare(f"%{storage}_{pointee[1:]}", f"OpTypePointer {storage} {pointee}")

    def constant(self, bits: int, vector: Vector = WORD) -> str:
        """The ID of a vector of integers with the same bits in every component."""
        one = Vector(vector.component)
        scalar = self._declare(f"{one.name}_{bits}", f"OpConstant {self.type(one)} {bits}")
        if vector.count == 1:
            return scalar
        parts = " ".join([scalar] * vector.count)
        return self._declare(f"{vector.name}_{bits}", f"OpConstantComposite {self.type(vector)} {parts}")

    def result(self, operation: str, note: str = "") -> str:
        """Add an operation; the ID of its result."""
        self._results += 1
        self.line(f"%{self._results} = {operation}", note)
        return f"%{self._results}"

    def line(self, operation: str, note: str = "") -> None:
        """Add an operation, with a note in words behind it."""
        words = " ".join(note.split())
        self._lines.append(f"{operation}  ; {words}" if words else operation)

    def lines(self, kernel: str, size: int, parameters: Iterable[str]) -> Iterator[str]:
        """The whole module: a kernel that requires sub-groups of this size and takes pointers of these IDs."""
        named = tuple(parameters)
        kind = self._declare("%kernel", " ".join(["OpTypeFunction %void", *[BYTES] * len(named)]))
        yield from (f"OpCapability {name}" for name in self._capabilities)
        yield f'OpExtension "{EXTENSION}"'
        yield "OpMemoryModel Physical64 OpenCL"
        yield f'OpEntryPoint Kernel %{kernel} "{kernel}" {" ".join(BUILT_INS)}'
        yield f"OpExecutionMode %{kernel} SubgroupSize {size}"
        yield from (f"OpDecorate {variable} BuiltIn {name}" for variable, name in BUILT_INS.items())
        yield from (f"{name} = {what}" for name, what in self._declared.items())
        yield f"%{kernel} = OpFunction %void None {kind}"
        yield from (f"{name} = OpFunctionParameter {BYTES}" for name in named)
        yield "%entry = OpLabel"
        yield from self._lines
        yield "OpReturn"
        yield "OpFunctionEnd"
