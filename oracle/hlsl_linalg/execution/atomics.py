"""Atomic sums of matrices and vectors into memory: no addend is lost, whatever the order (LINALG-ATOMIC)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg import coverage
from mmaspec.oracle.hlsl_linalg.addresses import (
    WORD,
    Addresses,
    access_addresses,
    access_format,
    format_of,
    starts_of,
    vector_addresses,
)
from mmaspec.oracle.hlsl_linalg.execution.bounds import Checked
from mmaspec.oracle.hlsl_linalg.execution.memory_moves import opaque, places_in_array
from mmaspec.oracle.hlsl_linalg.execution.optimal import Region
from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.numerics.legal import Legal, full
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, VectorAccumulate


def interlocked_accumulate(run: Running, place: Place, instruction: InterlockedAccumulate) -> Step:
    """LINALG-ACC-ADD: memory += element in the matrix's component type, in arrays in theirs (LINALG-ACC-GS-ADD)."""
    program = run.program
    matrix = program.matrix(instruction.matrix)
    points = coverage.of_scope(program, matrix.scope, place, "sum")
    if matrix.scope == "Thread":
        _into_optimal(run, place, instruction)
        points = coverage.of_outer_sum(matrix) + points
        return Step(place, instruction.memory, points, None)
    fmt = access_format(program, instruction, matrix, run.revision)
    addresses = access_addresses(program, instruction, place.loop, run.revision)
    acting = np.broadcast_to(run.acting(place, matrix.scope).reshape(-1, 1, 1), addresses.shape)
    addends = run.arithmetic.converted(run.matrix(matrix), fmt)
    array = program.array(instruction.memory)
    if array is None:
        which = run.checked(place, matrix.name, instruction.memory, addresses, fmt.nbytes)
        _into_buffer(run, instruction.memory, addresses, addends, acting, which)
        own = coverage.of_sum(program, instruction, matrix, fmt, _shared(addresses, acting & which.whole))
        outside = not which.whole.all()
        own += coverage.of_access(program, instruction, matrix, place, outside=outside, revision=run.revision)
    else:
        places = places_in_array(run, array.name, addresses, fmt)
        mask = acting & (places >= 0) & (places + fmt.nbytes <= run.arrays.size(array.name))
        _into_array(run, array.name, places, addends, mask)
        own = coverage.of_sum(program, instruction, matrix, fmt, _shared(places, mask))
        own += coverage.of_access(program, instruction, matrix, place, revision=run.revision)
        run.shown_by(array.name, own)
    return Step(place, instruction.memory, own + points, None)


def vector_accumulate(run: Running, place: Place, instruction: VectorAccumulate) -> Step:
    """LINALG-VEC-ACC: component i of memory += component i of every thread's vector, in the vector's type."""
    vector = run.program.vector(instruction.vector)
    fmt = format_of(vector.component)
    addresses = vector_addresses(run.program, vector, instruction.offset, place.loop)
    acting = np.broadcast_to(run.acting(place, "Thread").reshape(-1, 1), addresses.shape)
    which = run.checked(place, vector.name, instruction.buffer, addresses, fmt.nbytes)
    _into_buffer(run, instruction.buffer, addresses, run.vector(vector), acting, which)
    shared = _shared(addresses, acting & which.whole)
    points = coverage.of_vector_sum(vector, shared=shared, outside=not which.whole.all())
    return Step(place, instruction.buffer, points, None)


def _shared(places: Addresses, mask: Flags) -> bool:
    """Whether several addends meet on one element."""
    flat = places[mask]
    return np.unique(flat).size < flat.size


def _into_buffer(
    run: Running, buffer: str, addresses: Addresses, addends: Legal, acting: Flags, which: Checked
) -> None:
    """What is added reaches memory where the bounds let it; the region has every address, whatever they let."""
    fmt, mask = addends.fmt, acting & which.whole
    flat, terms = addresses[mask], addends.index((slice(None), mask))

    def loading(places: Addresses) -> Legal:
        return run.memory.load(buffer, places, fmt)

    run.sums, touched, total = run.sums.add(buffer, fmt, flat, terms, loading, run.arithmetic.sums)
    places = np.unique(addresses[acting])
    here = np.searchsorted(touched, places)
    found = np.isin(places, touched)
    legal = full(fmt, (run.batch, places.size), 0)
    if touched.size:
        legal = total.index((slice(None), np.where(found, here, 0)))
    shape = (1, 1, places.size)
    run.write(buffer, places.reshape(shape), legal.reshape(run.batch, *shape), found.reshape(shape))
    if which.halves.any():  # an element that is half inside is added to as a whole, or not: its bytes are not judged
        first = int(addresses[which.halves].min())
        opaque(run, buffer, first, WORD, written=bool((acting & which.lower).any()))


def _into_array(run: Running, array: str, places: Addresses, addends: Legal, mask: Flags) -> None:
    fmt = addends.fmt

    def loading(wanted: Addresses) -> Legal:
        return run.arrays.load(array, wanted, fmt)

    flat, terms = places[mask], addends.index((slice(None), mask))
    run.sums, touched, total = run.sums.add(array, fmt, flat, terms, loading, run.arithmetic.sums)
    run.write_array(array, touched, total)


def _into_optimal(run: Running, place: Place, instruction: InterlockedAccumulate) -> None:
    """LINALG-OUTER-SUM: every thread's matrix added to the one that lies there, element to element."""
    matrix = run.program.matrix(instruction.matrix)
    legal = run.matrix(matrix)
    shape = (matrix.m, matrix.n)
    acting = run.acting(place, "Thread")
    touched: dict[int, Region] = {}
    for thread, start in enumerate(starts_of(run.program, "Thread", instruction.offset, place.loop).tolist()):
        region = run.optimal.find(instruction.memory, start, matrix.component, "OuterProductOptimal", shape)
        if not acting[thread] or region is None:
            continue
        region = touched.get(start, region)
        touched[start] = replace(region, terms=(*region.terms, legal.index((slice(None), thread))))
    for start, region in touched.items():
        summed = replace(region, legal=run.arithmetic.sums(region.base, list(region.terms)))
        run.optimal = run.optimal.holding(instruction.memory, start, summed)
        opaque(run, instruction.memory, start, region.size)
