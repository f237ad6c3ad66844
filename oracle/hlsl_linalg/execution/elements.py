"""Matrices made from scalars and from other matrices, and their elements one by one."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg import coverage
from mmaspec.oracle.hlsl_linalg.addresses import (
    Addresses,
    beyond_addresses,
    format_of,
    loop_addresses,
    word_addresses,
)
from mmaspec.oracle.hlsl_linalg.coverage import PACKED
from mmaspec.oracle.hlsl_linalg.execution.conversions import converted
from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.hlsl_linalg.open_points import ACCUMULATOR_LAYOUT, LAYOUTS, SPLAT_PACKED, WORD
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, where
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.base import Place
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    Beyond,
    Cast,
    CountElements,
    Matrix,
    ReadElements,
    Splat,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import Operate
from mmaspec.programs.hlsl_linalg.threads import lane_of

NOWHERE = 0xFFFF_FFFF
"""Both coordinates of an index beyond the range (LINALG-COORD-BEYOND)."""


def splat(run: Running, place: Place, instruction: Splat) -> Step:
    """LINALG-SPLAT: every element is the value, converted; that of the first lane (LINALG-SPLAT-FIRST)."""
    matrix = run.program.matrix(instruction.matrix)
    source, fmt = FORMATS[SCALARS[instruction.scalar]], format_of(matrix.component)
    shape = (run.batch, run.program.instances(matrix.scope), matrix.m, matrix.n)
    whole = scalar_of(run, instruction, matrix)
    found, unrounded = converted(run, whole, fmt)
    if matrix.component in PACKED:
        found = _in_words(run, whole, found)
    kept = run.put_matrix(place, matrix, found.broadcast_to(shape))
    run.keep_unrounded(place, matrix.name, {name: one.broadcast_to(shape) for name, one in unrounded.items()})
    points = coverage.of_splat(run.program, instruction, matrix, source)
    return Step(place, matrix.name, points, kept)


def scalar_of(run: Running, instruction: Splat | Operate, matrix: Matrix) -> Legal:
    """The scalar argument as every instance of a matrix takes it, ``(batch, instances, 1, 1)``."""
    source, instances = FORMATS[SCALARS[instruction.scalar]], run.program.instances(matrix.scope)
    one = run.scalar(instruction.value, source)
    if not instruction.wave:
        return one.broadcast_to((run.batch, instances)).reshape(run.batch, instances, 1, 1)
    further = instruction.wave * np.arange(instances, dtype=np.int64)
    bits = (one.bits + further.astype(np.uint64)) & np.uint64(source.mask)
    legal = Legal.from_bits(source, bits).not_judged(np.broadcast_to(one.why != 0, bits.shape), Reason.INEXACT_RELOAD)
    return legal.reshape(run.batch, instances, 1, 1)


def _in_words(run: Running, value: Legal, found: Legal) -> Legal:
    """LINALG-AMB-22: the scalar type of a packed component is a word, which may have the value instead.

    Which component has which of its bits nothing says, so that only words of equal parts are judged then.
    """
    fmt, word = found.fmt, FORMATS["u32"]
    bits, known = certain_bits(run.arithmetic.converted(value, word))
    part = bits & np.uint64(fmt.mask)
    repeated = sum((part << np.uint64(shift) for shift in range(0, word.bits, fmt.bits)), np.zeros_like(part))
    words = Legal.from_bits(fmt, part).not_judged(~known | (repeated != bits), Reason.SPEC_SILENT)
    same = (found.exact | found.moved) & (certain_bits(found)[0] == part) & (words.why == 0)
    if same.all():
        return found
    return words if run.readings.choose(SPLAT_PACKED) == WORD else found


def cast(run: Running, place: Place, instruction: Cast) -> Step:
    """LINALG-CAST: the elements converted, and LINALG-CAST-TRANSPOSE: row and column exchanged."""
    source, matrix = run.program.matrix(instruction.source), run.program.matrix(instruction.matrix)
    legal = run.matrix(source)
    kept = dict(run.unrounded.get(source.name, {})) if source.component == matrix.component else {}
    if instruction.transpose:
        legal = legal.transpose()
        kept = {name: one.transpose() for name, one in kept.items()}
    found, unrounded = converted(run, legal, format_of(matrix.component))
    origin = run.unrounded_at.get(source.name, place) if kept else place
    shown = run.put_matrix(place, matrix, found)
    run.keep_unrounded(origin, matrix.name, unrounded or kept)
    run.origin[matrix.name] = coverage.CastFrom(source.name)
    points = coverage.of_cast(instruction, matrix, source)
    points += coverage.of_scope(run.program, matrix.scope, place, "cast")
    return Step(place, matrix.name, points, shown)


def read_elements(run: Running, place: Place, instruction: ReadElements) -> Step:
    """LINALG-GET, LINALG-COORD: between them the threads store every element at its coordinate."""
    matrix = run.program.matrix(instruction.matrix)
    legal = run.matrix(matrix)
    addresses = loop_addresses(run.program, instruction, place.loop)
    acting = run.acting(place, matrix.scope).reshape(-1, 1, 1)
    mask = acting & (addresses >= 0) & (addresses + legal.fmt.nbytes <= run.view(instruction.buffer))
    run.store(instruction.buffer, addresses, legal, mask)
    points = coverage.of_elements(run.program, matrix, place, "get")
    return Step(place, instruction.buffer, points, None)


def write_elements(run: Running, place: Place, instruction: WriteElements) -> Step:
    """LINALG-SET: the element at the coordinate and no other; those that the loop passes over stay."""
    matrix = run.program.matrix(instruction.matrix)
    addresses = loop_addresses(run.program, instruction, place.loop)
    x, y = np.arange(matrix.m)[:, np.newaxis], np.arange(matrix.n)[np.newaxis, :]
    kept: Flags = np.zeros((matrix.m, matrix.n), np.bool_)
    if instruction.modulo:
        kept = (x * matrix.n + y) % instruction.modulo == instruction.keep
    somewhere = np.where(kept, addresses[:, ~kept][:, :1].reshape(-1, 1, 1) if not kept.all() else addresses, addresses)
    legal = run.load(instruction.buffer, somewhere, format_of(matrix.component))
    if kept.any():
        legal = where(np.broadcast_to(kept, legal.shape), run.matrix(matrix), legal)
    points = coverage.of_elements(run.program, matrix, place, "set", partly=bool(kept.any()))
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, legal))


def beyond(run: Running, place: Place, instruction: Beyond) -> Step:
    """Indices from Length on: no coordinate, zero, and no effect."""
    matrix = run.program.matrix(instruction.matrix)
    fmt, word = format_of(matrix.component), FORMATS["u32"]
    start = beyond_addresses(run.program, instruction, place.loop)[..., np.newaxis]
    acting = run.acting(place, "Thread").reshape(-1, 1, 1)
    words = start + np.array([0, 4], np.int64)
    run.store(
        instruction.buffer, words, full(word, (run.batch, *words.shape), NOWHERE), np.broadcast_to(acting, words.shape)
    )
    element = start + 8
    run.store(instruction.buffer, element, full(fmt, (run.batch, *element.shape), 0), acting)
    return Step(place, instruction.buffer, coverage.of_beyond(instruction, matrix), None)


def count_elements(run: Running, place: Place, instruction: CountElements) -> Step:
    """LINALG-LENGTH: over the threads of the scope the lengths come to M times N at least.

    No thread has more than all of them. The words count on from what they hold.
    """
    matrix, program = run.program.matrix(instruction.matrix), run.program
    word = FORMATS["u32"]
    addresses = word_addresses(program, instruction.offset, place.loop)[:, 0]
    threads = np.flatnonzero(run.acting(place, "Thread"))
    elements = matrix.m * matrix.n
    where_to = np.unique(addresses[threads])
    least, most = np.zeros(where_to.size, np.int64), np.zeros(where_to.size, np.int64)
    for number, address in enumerate(where_to.tolist()):
        there = threads[addresses[threads] == address]
        waves = {int(thread) // program.wave_size for thread in there}
        whole = [wave for wave in waves if sum(int(t) // program.wave_size == wave for t in there) == _lanes(run, wave)]
        groups = len(whole) if matrix.scope == "Wave" else int(there.size == program.group)
        least[number], most[number] = groups * elements, there.size * elements
    shape: tuple[int, ...] = run.batch, where_to.size
    terms = Legal.interval(word, np.broadcast_to(least, shape), np.broadcast_to(most, shape))

    def loading(places: Addresses) -> Legal:
        return run.memory.load(instruction.buffer, places, word)

    # What two waves, or passes, count in one word is at least what all of them have.
    run.sums, places, legal = run.sums.add(instruction.buffer, word, where_to, terms, loading, _counted)
    shape = (1, 1, places.size)
    run.write(instruction.buffer, places.reshape(shape), legal.reshape(run.batch, *shape), np.ones(shape, np.bool_))
    return Step(place, instruction.buffer, coverage.of_count(matrix), None)


def _counted(start: Legal, terms: list[Legal]) -> Legal:
    """Words that lengths are added to; one that reaches its end begins anew: of that no text of matrices speaks."""
    end = start.fmt.max_value
    low, high = (sum((getattr(term, side) for term in terms), getattr(start, side)) for side in ("lo", "hi"))
    top, beyond = np.minimum(high, end), np.greater(high, end)
    return Legal.interval(start.fmt, np.minimum(low, top), top, why=start.why).not_judged(beyond, Reason.SPEC_SILENT)


def _lanes(run: Running, wave: int) -> int:
    """The threads of the group in a wave."""
    last = run.program.group - 1
    if wave < last // run.program.wave_size:
        return run.program.wave_size
    return lane_of(run.program, last) + 1


def accumulator_layout(run: Running, place: Place, instruction: AccumulatorLayout) -> Step:
    """LINALG-ACCLAYOUT: the same answer everywhere on a device."""
    answer = LAYOUTS.index(run.readings.choose(ACCUMULATOR_LAYOUT))
    addresses = word_addresses(run.program, instruction.offset, place.loop)[..., np.newaxis]
    legal = full(FORMATS["u32"], (run.batch, *addresses.shape), answer)
    mask = np.broadcast_to(run.acting(place, "Thread").reshape(-1, 1, 1), addresses.shape)
    run.store(instruction.buffer, addresses, legal, mask)
    return Step(place, instruction.buffer, coverage.of_accumulator_layout(), None)
