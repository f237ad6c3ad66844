"""The statements of a program in SPIR-V. Loops are unrolled: a variable is the result that was last given to it."""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.assembly.flags import flags
from mmaspec.oracle.intel_subgroup_mma.assembly.module import BYTES, Module
from mmaspec.oracle.intel_subgroup_mma.assembly.types import WORD, vector_of
from mmaspec.oracle.intel_subgroup_mma.packed_constant import packed_constant
from mmaspec.oracle.intel_subgroup_mma.rule_context import meant
from mmaspec.oracle.intel_subgroup_mma.text import launch
from mmaspec.oracle.register_kernels.names import names_of
from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fill, Fragment, Load, Mad, MadProgram, Plain, Store
from mmaspec.programs.tree import unrolled
from mmaspec.programs.well_formed import where

KERNEL = "matrix_mad"


def assembly(program: MadProgram, caps: Caps) -> str:
    """The program as a module of SPIR-V 1.2 for OpenCL; ``BadInput`` for a call that no instruction stands for.

    That is one of a function that does not exist, and one that not every work-item reaches.
    """
    kernel = _Kernel(program)
    for place, step in unrolled(program):
        kernel.execute(step, place.loop, where(place))
    head = (
        f"; SPIR-V 1.2, OpenCL, for a device whose minimum sub-group size is {caps.sub_group_size}",
        f"; {launch(program)}",
    )
    body = kernel.module.lines(KERNEL, program.sub_group_size, kernel.buffers.values())
    return "\n".join((*head, *body)) + "\n"


class _Kernel:
    """A kernel while it is written."""

    def __init__(self, program: MadProgram) -> None:
        self.program, self.module = program, Module()
        self.buffers = {name: f"%buffer_{word}" for name, word in names_of(program, set(), "buffer_").buffers.items()}
        word = self.module.type(WORD)
        self.wave = self.module.result(f"OpLoad {word} %sub_group_id Aligned 4", "wave")
        self.item = self.module.result(f"OpLoad {word} %sub_group_local_id Aligned 4", "item")
        self.held = {one.name: self.filled(one, one.fill) for one in program.fragments if one.fill is not None}

    def execute(self, step: Plain, loop: int, at: str) -> None:
        """One statement in one pass."""
        if isinstance(step, Mad):
            self.mad(step, at)
        elif isinstance(step, Fill):
            self.held[step.into] = self.filled(self.program.fragment(step.into), step.bits)
        else:
            self.moved(step, loop)

    def value(self, name: str) -> str:
        """What a variable holds; before anything is given to it, that is nothing in particular."""
        if name not in self.held:
            kind = self.module.type(vector_of(self.program.fragment(name)))
            self.held[name] = self.module.result(f"OpUndef {kind}", name)
        return self.held[name]

    def filled(self, fragment: Fragment, bits: int) -> str:
        """A vector with one element in every place."""
        vector = vector_of(fragment)
        found = self.module.constant(packed_constant(fragment, bits), vector.integer)
        if vector.name == vector.integer.name:
            return found
        return self.module.result(f"OpBitcast {self.module.type(vector)} {found}", fragment.name)

    def mad(self, mad: Mad, at: str) -> None:
        """ISGMMA-OP, with K and the flags of its form."""
        signature = meant(self.program, mad)
        if signature is None:
            raise BadInput(f"{at}: {mad.function} has no function for these vectors")
        if not mad.converged:
            raise BadInput(f"{at}: not every work-item reaches the call")
        form, result = FORMS[signature.form], self.program.fragment(mad.d)
        addend = self.filled(result, 0) if mad.c is None else self.value(mad.c)
        operands = f"{self.module.constant(form.k)} {self.value(mad.a)} {self.value(mad.b)} {addend} {flags(form)}"
        kind = self.module.type(vector_of(result))
        self.held[mad.d] = self.module.result(f"OpSubgroupMatrixMultiplyAccumulateINTEL {kind} {operands}", mad.d)

    def moved(self, step: Load | Store, loop: int) -> None:
        """ISGMMA-MEM-FREE: a load or store of each work-item's vector."""
        name = step.into if isinstance(step, Load) else step.fragment
        fragment = self.program.fragment(name)
        kind, aligned = self.module.pointer(vector_of(fragment)), f"Aligned {fragment.vector_bytes}"
        base = self.module.result(f"OpBitcast {kind} {self.buffers[step.buffer]}")
        number = self.module.result(f"OpIAdd %i32 {self.first(step.block, loop)} {self.item}")
        pointer = self.module.result(f"OpInBoundsPtrAccessChain {kind} {base} {number}")
        if isinstance(step, Store):
            self.module.line(f"OpStore {pointer} {self.value(name)} {aligned}", name)
        else:
            loaded = f"OpLoad {self.module.type(vector_of(fragment))} {pointer} {aligned}"
            self.held[name] = self.module.result(loaded, f"{name}: {step.data}" if step.data else name)

    def first(self, block: Index, loop: int) -> str:
        """The number of a block's first vector."""
        size = self.program.sub_group_size
        if isinstance(block, int):
            return self.module.constant(block * size)
        number = self.word(block) if isinstance(block, RunTime) else self.affine(block, loop)
        return self.times(number, size)

    def affine(self, index: Affine, loop: int) -> str:
        """An argument that differs by wave; that of the pass is a constant here."""
        found = self.module.constant(index.base + index.loop * loop)
        across, down = self.wave, ""
        if index.grid:
            grid = self.module.constant(index.grid)
            across, down = (self.module.result(f"{op} %i32 {self.wave} {grid}") for op in ("OpUMod", "OpUDiv"))
        for factor, place in ((index.wave, across), (index.row, down)):
            if factor and place:
                found = self.module.result(f"OpIAdd %i32 {found} {self.times(place, factor)}")
        return found

    def times(self, number: str, factor: int) -> str:
        """A product with a constant."""
        return self.module.result(f"OpIMul %i32 {number} {self.module.constant(factor)}")

    def word(self, given: RunTime) -> str:
        """A word that the kernel reads in a buffer."""
        offset, kind = self.module.constant(given.offset), self.module.pointer(WORD)
        place = self.module.result(f"OpInBoundsPtrAccessChain {BYTES} {self.buffers[given.buffer]} {offset}")
        pointer = self.module.result(f"OpBitcast {kind} {place}")
        return self.module.result(f"OpLoad %i32 {pointer} Aligned 4", f"{given.buffer}, byte {given.offset}")
