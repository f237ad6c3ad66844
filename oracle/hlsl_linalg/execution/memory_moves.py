"""Loads, stores and copies: elements that move between matrices, vectors, buffers and arrays as they are."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg import coverage
from mmaspec.oracle.hlsl_linalg.addresses import (
    WORD,
    Addresses,
    access_addresses,
    access_format,
    array_format,
    converted_addresses,
    copied,
    format_of,
    is_linear,
    starts_of,
    vector_addresses,
)
from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.hlsl_linalg.open_points import HIGHEST_FIRST, PACKING
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, stack, unjudged
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.base import Place
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.program import (
    ConvertLayout,
    Copy,
    Load,
    Matrix,
    Stage,
    Store,
    Vector,
    VectorLoad,
    VectorStore,
)


def turned(places: Addresses, fmt: Format, word: int) -> Addresses:
    """Places where the first of several elements lies in the highest bits of each word of so many bytes."""
    return places ^ (word - fmt.nbytes) if fmt.nbytes < word else places


def places_in_array(run: Running, name: str, places: Addresses, fmt: Format) -> Addresses:
    """Bytes of an array; where a word holds several elements their order is a reading."""
    array = run.program.array(name)
    assert array is not None
    word = array_format(array).nbytes
    if fmt.nbytes < word and run.readings.choose(PACKING) == HIGHEST_FIRST:
        return turned(places, fmt, word)
    return places


def packed_places(run: Running, vector: Vector, places: Addresses) -> Addresses:
    """Bytes of the components of a vector in memory; of packed ones the order in a word is a reading."""
    fmt = format_of(vector.component)
    if fmt.nbytes < WORD and vector.component in coverage.PACKED and run.readings.choose(PACKING) == HIGHEST_FIRST:
        base = places[:, :1]
        return base + turned(places - base, fmt, WORD)
    return places


def load(run: Running, place: Place, instruction: Load) -> Step:
    """LINALG-LOAD-ADDR, LINALG-LOAD-NOCONV: a new matrix from memory, which has its component type already."""
    matrix = run.program.matrix(instruction.matrix)
    fmt = format_of(matrix.component)
    if not is_linear(instruction.layout):
        legal = _from_optimal(run, place, instruction, matrix)
        points = coverage.of_optimal_load(instruction, matrix)
    elif run.program.array(instruction.memory) is not None:
        held = access_format(run.program, instruction, matrix, run.revision)
        places = access_addresses(run.program, instruction, place.loop, run.revision)
        legal = _from_array(run, instruction.memory, places_in_array(run, instruction.memory, places, held), held)
        legal = run.arithmetic.converted(legal, fmt)
        points = coverage.of_access(run.program, instruction, matrix, place, revision=run.revision)
    else:
        addresses = access_addresses(run.program, instruction, place.loop)
        which = run.checked(place, matrix.name, instruction.memory, addresses, fmt.nbytes)
        legal = run.load(instruction.memory, addresses, fmt, which)
        outside = not which.whole.all()
        points = coverage.of_access(run.program, instruction, matrix, place, outside=outside, revision=run.revision)
    points += coverage.of_scope(run.program, matrix.scope, place, "load")
    kept = run.put_matrix(place, matrix, legal)
    if run.program.array(instruction.memory) is None:
        run.origin[matrix.name] = coverage.loaded_at(run.program, instruction, matrix, place)
    return Step(place, matrix.name, points, kept)


def _from_array(run: Running, name: str, places: Addresses, fmt: Format) -> Legal:
    """What an array holds; of a load beyond the array nothing is stated (LINALG-GS-BOUNDS)."""
    inside: Flags = (places >= 0) & (places + fmt.nbytes <= run.arrays.size(name))
    found = run.arrays.load(name, np.where(inside, places, 0), fmt)
    return found if inside.all() else found.not_judged(np.broadcast_to(~inside, found.shape), Reason.SPEC_SILENT)


def _from_optimal(run: Running, place: Place, instruction: Load, matrix: Matrix) -> Legal:
    """LINALG-OPT-LOAD, LINALG-OPT-TRANSPOSE: what was put there, if it was a matrix of this type and shape."""
    shape = (matrix.m, matrix.n)
    found = []
    for start in starts_of(run.program, matrix.scope, instruction.offset, place.loop).tolist():
        legal = run.optimal.get(instruction.memory, start, matrix.component, instruction.layout, shape)
        unknown = unjudged(format_of(matrix.component), (run.batch, *shape), Reason.SPEC_SILENT)
        found.append(unknown if legal is None else legal)
    return stack(found, 1)


def store(run: Running, place: Place, instruction: Store) -> Step:
    """LINALG-STORE-NOCONV: the elements at their addresses; nothing else changes (LINALG-STORE-ONLY-ELEMS)."""
    matrix = run.program.matrix(instruction.matrix)
    legal = run.matrix(matrix)
    addresses = access_addresses(run.program, instruction, place.loop, run.revision)
    acting = np.broadcast_to(run.acting(place, matrix.scope).reshape(-1, 1, 1), addresses.shape)
    if run.program.array(instruction.memory) is not None:
        legal = run.arithmetic.converted(legal, access_format(run.program, instruction, matrix, run.revision))
        places = places_in_array(run, instruction.memory, addresses, legal.fmt)
        inside = (places >= 0) & (places + legal.fmt.nbytes <= run.arrays.size(instruction.memory))
        run.store_array(instruction.memory, places, legal, acting & inside)
        points = coverage.of_access(run.program, instruction, matrix, place, revision=run.revision)
        run.shown_by(instruction.memory, points)
    else:
        which = run.checked(place, matrix.name, instruction.memory, addresses, legal.fmt.nbytes)
        run.store(instruction.memory, addresses, legal, acting & which.whole)
        if which.halves.any():
            store_lower(run, instruction.memory, addresses, legal, acting & which.lower)
        outside = not which.whole.all()
        points = coverage.of_access(run.program, instruction, matrix, place, outside=outside, revision=run.revision)
    points += coverage.of_origin(run.origin.get(matrix.name), run.program, instruction, place)
    points += coverage.of_scope(run.program, matrix.scope, place, "store")
    return Step(place, instruction.memory, points, None)


def store_lower(run: Running, buffer: str, addresses: Addresses, legal: Legal, mask: Flags) -> None:
    """The first four bytes of elements of eight, where they are certain; else anything may lie there."""
    bits, certain = certain_bits(legal)
    if legal.fmt.is_float:
        certain = certain & (legal.moved | (legal.lo != 0))
    word = FORMATS["u32"]
    lower = Legal.from_bits(word, bits & np.uint64(word.mask)).not_judged(~certain, Reason.INEXACT_RELOAD)
    run.store(buffer, addresses, lower, mask)


def vector_load(run: Running, place: Place, instruction: VectorLoad) -> Step:
    """Plain code of a shader: components one after the other, packed ones in words (LINALG-PACK-COUNT)."""
    vector = run.program.vector(instruction.vector)
    addresses = vector_addresses(run.program, vector, instruction.offset, place.loop)
    legal = run.load(instruction.buffer, packed_places(run, vector, addresses), format_of(vector.component))
    points = coverage.of_vector_move(run.program, vector, place, "load")
    return Step(place, vector.name, points, run.put_vector(place, vector, legal))


def vector_store(run: Running, place: Place, instruction: VectorStore) -> Step:
    """The same way back."""
    vector = run.program.vector(instruction.vector)
    legal = run.vector(vector)
    addresses = packed_places(run, vector, vector_addresses(run.program, vector, instruction.offset, place.loop))
    acting = np.broadcast_to(run.acting(place, "Thread").reshape(-1, 1), addresses.shape)
    mask = acting & (addresses >= 0) & (addresses + legal.fmt.nbytes <= run.view(instruction.buffer))
    flat = legal.reshape(*legal.shape, 1)
    run.store(instruction.buffer, addresses[..., np.newaxis], flat, mask[..., np.newaxis])
    return Step(place, instruction.buffer, coverage.of_vector_move(run.program, vector, place, "store"), None)


def copy(run: Running, place: Place, instruction: Copy) -> Step:
    """Bytes as they are, between a buffer and an array."""
    addresses, places = copied(run.program, instruction, place.loop)
    array = run.program.array(instruction.array)
    assert array is not None
    fmt = array_format(array)
    if isinstance(instruction, Stage):
        run.store_array(array.name, places, run.memory.load(instruction.buffer, addresses, fmt))
        return Step(place, array.name, (), None)
    start = int(places[0]) if places.size else 0
    shift = int(addresses[0]) - start if places.size else 0
    for piece in run.arrays.pieces(array.name, start, start + places.size * fmt.nbytes):
        where_to = (piece.places + shift).reshape(1, 1, -1)
        run.store(
            instruction.buffer,
            where_to,
            piece.legal.reshape(run.batch, *where_to.shape),
            np.ones(where_to.shape, np.bool_),
        )
    return Step(place, instruction.buffer, run.shown.get(array.name, ()), None)


def convert_layout(run: Running, place: Place, instruction: ConvertLayout) -> Step:
    """LINALG-LAYOUT-CONVERT: the same matrix in another layout; the bytes of an optimal one are not compared."""
    c = instruction
    fmt = format_of(c.component)
    if is_linear(c.source_layout):
        legal = run.load(c.source, converted_addresses(c, target=False), fmt)
    else:
        found = run.optimal.get(c.source, c.source_offset, c.component, c.source_layout, (c.m, c.n))
        legal = unjudged(fmt, (run.batch, c.m, c.n), Reason.SPEC_SILENT) if found is None else found
    if is_linear(c.target_layout):
        addresses = converted_addresses(c, target=True)[np.newaxis]
        run.store(c.target, addresses, legal.reshape(run.batch, *addresses.shape), np.ones(addresses.shape, np.bool_))
    else:
        run.optimal = run.optimal.put(c.target, c.target_offset, c.component, c.target_layout, c.target_size, legal)
        opaque(run, c.target, c.target_offset, c.target_size)
    return Step(place, c.target, coverage.of_layouts(c), None)


def opaque(run: Running, buffer: str, offset: int, size: int, *, written: bool = True) -> None:
    """LINALG-OPTIMAL: bytes that a device may write as it likes."""
    addresses = offset + np.arange(size, dtype=np.int64).reshape(1, 1, -1)
    legal = unjudged(FORMATS["u8"], (run.batch, *addresses.shape), Reason.SPEC_SILENT)
    run.store(buffer, addresses, legal, np.full(addresses.shape, written))
