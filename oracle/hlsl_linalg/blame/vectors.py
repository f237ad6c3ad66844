"""Ablations of vectors: products with matrices of threads, stores of vectors and sums of them in memory."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import bias_addresses, format_of, is_linear
from mmaspec.oracle.hlsl_linalg.blame.accesses import addressed, written_by_all
from mmaspec.oracle.hlsl_linalg.blame.declared import fresh_vector, moved_name, with_vector
from mmaspec.oracle.hlsl_linalg.blame.edits import (
    BASE_ALIGNMENT,
    LARGEST,
    STRIDE_ALIGNMENT,
    VIEW,
    Shapes,
    enlarged,
    first_value,
    inserted,
    last_writer,
    only_store,
    reading_memory,
    tight,
    up,
    without_misfits,
)
from mmaspec.oracle.hlsl_linalg.caps_report import FP8
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Index, Place
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Convert,
    ConvertLayout,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    MultiplyVector,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)
from mmaspec.programs.windows import around

Found = Iterator[Ablation]


def of_product(program: LinalgProgram, place: Place, product: MultiplyVector) -> Found:
    """Where the matrix comes from, threads that differ, then vector and bias."""
    matrix = program.matrix(product.matrix)
    writer = last_writer(program, place, matrix.name)
    if writer is not None and isinstance(load := writer[1], Load) and len(writer[0].path) == 1:
        yield from _of_matrix(program, place, writer[0], load)
    if isinstance(product.bias, MemoryBias):
        yield from _bias_in_vector(program, place, product, product.bias)
    yield from _bias_converted(program, place, product)
    yield from _vector_converted(program, place, product, matrix)
    if program.group > 1:
        yield from _one_vector(program, place, product.source)
    packed = COMPONENTS[program.vector(product.source).component].packed
    if packed > 1:
        # Whatever their order in a word is, there is one value.
        yield Ablation("LINALG-PACK-COUNT", program, data="k alike in fours")
    if product.bias is not None:
        yield Ablation("LINALG-VECMULADD", tree.replace(program, place, replace(product, bias=None)), clears=False)


def _of_matrix(program: LinalgProgram, place: Place, origin: Place, load: Load) -> Found:
    if not is_linear(load.layout):
        found = _from_rows(program, origin, load)
        # A device that emulates 8-bit floats takes them from optimal layouts alone.
        if found is not None and program.matrix(load.matrix).component not in FP8:
            changed, shift = found
            there = Place((place.path[0] - shift, *place.path[1:]), place.loop)
            clause = "LINALG-OPT-TRANSPOSE" if load.layout.endswith("Transpose") else "LINALG-OPT-LOAD"
            yield Ablation(clause, changed, there, others=True)
        return
    if isinstance(load.offset, Affine) and (load.offset.lane or load.offset.wave):
        first = replace(load.offset, lane=0, wave=0)
        shared = reading_memory(program, origin, lambda one: replace(one, offset=first))
        there = Place((place.path[0] + 1, *place.path[1:]), place.loop) if load.data else place
        owned = "LINALG-SCOPE-THREAD-UNIQUE" if program.matrix(load.matrix).scope == "Thread" else "LINALG-SCOPE-OWN"
        yield Ablation(owned, shared, there, others=True)
    if load.data is not None:
        for one in addressed(program, origin, load):
            yield Ablation(one.clause, one.program, others=True)


def _from_rows(program: LinalgProgram, origin: Place, load: Load) -> tuple[LinalgProgram, int] | None:
    """The matrix loaded from the rows that were converted, in a buffer of their own, and how much shorter that is."""
    turned = load.layout.endswith("Transpose")
    for place, one, _ in tree.walk(program):
        if not isinstance(one, ConvertLayout) or (one.target, one.target_offset) != (load.memory, load.offset):
            continue
        if one.data is None or not is_linear(one.source_layout):
            return None
        like = Matrix("", one.component, one.m, one.n, "A", "Thread")
        stride, memory = tight(like, "RowMajor"), moved_name(program)
        linear = replace(
            load, memory=memory, offset=0, stride=stride, layout="ColMajor" if turned else "RowMajor", data=one.data
        )
        changed = tree.replace(program, origin, linear)
        changed = tree.drop(changed, {place.path})
        own = Buffer(memory, one.m * stride, VIEW)
        return replace(changed, buffers=(*changed.buffers, own), read_only=(*changed.read_only, memory)), 1
    return None


def _bias_in_vector(program: LinalgProgram, place: Place, product: MultiplyVector, bias: MemoryBias) -> Found:
    """LINALG-BIAS-MEMORY: loaded by plain code from a buffer of its own."""
    size = program.vector(product.vector).length
    held = fresh_vector(program, Vector("", bias.component, size), "bias")
    memory = moved_name(program)
    own = Buffer(memory, up(size * format_of(bias.component).nbytes, STRIDE_ALIGNMENT), VIEW)
    changed = replace(with_vector(program, held), buffers=(*program.buffers, own))
    changed = tree.replace(changed, place, replace(product, bias=held.name))
    loaded = VectorLoad(held.name, memory, 0, bias.data)
    if len(place.path) == 1:
        yield Ablation("LINALG-BIAS-MEMORY", *inserted(changed, place, loaded))
        return
    outer = Place(place.path[:1])
    there = Place((place.path[0] + 1, *place.path[1:]), place.loop)
    yield Ablation("LINALG-BIAS-MEMORY", tree.insert(changed, outer, loaded), there)


def _bias_converted(program: LinalgProgram, place: Place, product: MultiplyVector) -> Found:
    """LINALG-BIAS-CONV: converted beforehand, where it is a vector; in memory the same bits mean the result's type."""
    vector = program.vector(product.vector)
    bias = product.bias
    if isinstance(bias, MemoryBias):
        if bias.component == vector.component:
            return
        memory = moved_name(program)
        new = replace(bias, buffer=memory, component=vector.component)
        there = bias_addresses(new, vector.length)
        end = bias.offset + vector.length * format_of(vector.component).nbytes
        own = Buffer(memory, up(end, STRIDE_ALIGNMENT), VIEW)
        if any(buffer.name == bias.buffer and buffer.windows for buffer in program.buffers):
            own = around(own, [there])  # as far away, where blame must still find what goes wrong
        changed = replace(program, buffers=(*program.buffers, own), read_only=(*program.read_only, memory))
        yield Ablation("LINALG-BIAS-CONV", tree.replace(changed, place, replace(product, bias=new)))
    elif bias is not None and program.vector(bias).component != vector.component:
        held = fresh_vector(program, vector, "bias")
        changed = tree.replace(with_vector(program, held), place, replace(product, bias=held.name))
        yield Ablation("LINALG-BIAS-CONV", *inserted(changed, place, Convert(held.name, bias)))


def _vector_converted(program: LinalgProgram, place: Place, product: MultiplyVector, matrix: Matrix) -> Found:
    """LINALG-VEC-INPUT-CONV: converted to the matrix's type beforehand, if devices multiply two of that type."""
    source = program.vector(product.source)
    if source.component != matrix.component and matrix.component not in FP8:
        held = fresh_vector(program, replace(source, component=matrix.component), "factor")
        changed = tree.replace(with_vector(program, held), place, replace(product, source=held.name))
        yield Ablation("LINALG-VEC-INPUT-CONV", *inserted(changed, place, Convert(held.name, source.name)))


def _one_vector(program: LinalgProgram, place: Place, name: str) -> Found:
    """LINALG-VEC-OWN: every thread has the vector of the first one."""
    writer = last_writer(program, place, name)
    while writer is not None and isinstance(writer[1], Convert):
        writer = last_writer(program, writer[0], writer[1].source)
    if writer is None or not isinstance(load := writer[1], VectorLoad) or not isinstance(load.offset, Affine):
        return
    first = replace(load.offset, lane=0, wave=0)
    if first != load.offset:
        shared = reading_memory(program, writer[0], lambda one: replace(one, offset=first))
        *outer, last = place.path
        alike = writer[0].path[:-1] == place.path[:-1]
        there = Place((*outer, last + 1)) if alike else Place((outer[0] + (len(writer[0].path) == 1), last))
        yield Ablation("LINALG-VEC-OWN", shared, replace(there, loop=place.loop) if load.data else place)


def of_convert(program: LinalgProgram, place: Place, convert: Convert) -> Found:
    """Vectors that differ between threads."""
    if program.group > 1:
        yield from _one_vector(program, place, convert.source)


def of_store(program: LinalgProgram, place: Place, store: VectorStore) -> Found:
    """A vector that only some threads have written anew; what else is stored."""
    writer = last_writer(program, place, store.vector)
    if writer is not None and (flat := written_by_all(program, writer[0])) is not None:
        yield Ablation("LINALG-THREAD-FLOW", flat, others=True)
    yield Ablation("LINALG-VEC-OWN", *only_store(program, place), others=True)


def of_sum(program: LinalgProgram, place: Place, access: VectorAccumulate, shapes: Shapes) -> Found:
    """Bounds, other addends of the same elements, and a store in place of the sum."""
    vector = program.vector(access.vector)
    nbytes = vector.length * format_of(vector.component).nbytes
    start, tile = first_value(access.offset), up(nbytes, BASE_ALIGNMENT)
    flat = isinstance(access.offset, Affine) and (access.offset.lane or program.group == 1)
    view = next(one.size for one in program.buffers if one.name == access.buffer)
    lanes = access.offset.lane * (program.wave_size - 1) if isinstance(access.offset, Affine) else 0
    waves = access.offset.wave * (program.waves - 1) if isinstance(access.offset, Affine) else 0
    passes = tree.passes(program, place)
    loops = access.offset.loop * (passes - 1) if isinstance(access.offset, Affine) else 0
    end = start + lanes + waves + loops + nbytes
    if end > view:
        if end - view > LARGEST:
            larger = _summed_at(program, place, access, 0, nbytes)
        else:
            larger = enlarged(program, access.buffer, up(end, STRIDE_ALIGNMENT))
        yield from _on_stored(without_misfits(larger, shapes), place, "LINALG-OOB-ACC", alone=not flat)
    offset = Affine(
        0,
        wave=tile * program.wave_size if program.waves > 1 else 0,
        loop=tile * program.waves * program.wave_size if passes > 1 else 0,
        lane=tile,
    )
    apart = _summed_at(program, place, access, offset, tile * program.waves * program.wave_size * passes)
    yield from _on_stored(apart, place, "LINALG-ATOMIC", alone=False)
    there: VectorAccumulate = tree.at(apart, place)
    plain = VectorStore(there.vector, there.buffer, there.offset)
    yield Ablation("LINALG-VEC-ACC", tree.replace(apart, place, plain))


def _summed_at(
    program: LinalgProgram, place: Place, access: VectorAccumulate, offset: Index, size: int
) -> LinalgProgram:
    memory = moved_name(program)
    program = replace(program, buffers=(*program.buffers, Buffer(memory, up(size, STRIDE_ALIGNMENT), VIEW)))
    return tree.replace(program, place, replace(access, buffer=memory, offset=offset, align=0))


def _on_stored(program: LinalgProgram, place: Place, clause: str, *, alone: bool) -> Found:
    """The vector stored where it is then added, by every thread or by the first one: else nobody knows the sum."""
    access: VectorAccumulate = tree.at(program, place)
    plain = VectorStore(access.vector, access.buffer, access.offset)
    store: VectorStore | Branch = plain
    around = program.body[place.path[0]]
    if alone:
        if len(place.path) > 1:
            return
        store = Branch(1, (plain,), 1)
    if isinstance(around, Branch):
        return  # no barrier stands there
    yield Ablation(clause, *inserted(program, place, Barrier(), store, Barrier()))
