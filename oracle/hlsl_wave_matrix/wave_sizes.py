"""The lanes that the waves of a program have under the caps of a device.

All matrices of a program run in one wave size (WM-SIZE-AGREE). A Left or Right stands under one row of the caps. An
accumulator or a fragment may be listed by several rows: it stands under that of a Left or Right of its program where
that lists it, else under all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, WaveMmaCaps, WaveMmaSupport, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import FACTORS, Matrix, WaveMatrixProgram


def lanes(answer: WaveMmaSupport, caps: WaveMmaCaps) -> frozenset[int]:
    """WM-CAPS-WAVESIZE: the wave size that a row requires; where that is 0, every one in the device's range."""
    return frozenset({answer.required_wave_size}) if answer.required_wave_size else any_lanes(caps)


def any_lanes(caps: WaveMmaCaps) -> frozenset[int]:
    """Every wave size of a device: the powers of two in its range."""
    low, high = caps.wave_lanes
    powers = (1 << power for power in range(high.bit_length()))
    return frozenset(size for size in powers if low <= size) or frozenset({low})


def listing(matrix: Matrix, caps: WaveMmaCaps) -> tuple[WaveMmaSupport, ...]:
    """The supported rows that list the type of a matrix: one at most for a Left or Right."""
    if matrix.kind in FACTORS:
        datatype = DATATYPES.get(matrix.element)
        answer = caps.answer(datatype, matrix.m, matrix.n) if datatype else None
        return () if answer is None else (answer,)
    return tuple(
        answer
        for answer in caps.support
        if answer.supported and (answer.m, answer.n) == (matrix.m, matrix.n) and matrix.element in accumulators(answer)
    )


def of_factors(program: WaveMatrixProgram, caps: WaveMmaCaps) -> tuple[WaveMmaSupport, ...]:
    """The rows of the program's Left and Right matrices."""
    return tuple(row for matrix in program.matrices if matrix.kind in FACTORS for row in listing(matrix, caps))


def _standing(program: WaveMatrixProgram, caps: WaveMmaCaps) -> Iterator[WaveMmaSupport]:
    """The rows under which the matrices of a program stand."""
    own = of_factors(program, caps)
    yield from own
    for matrix in program.matrices:
        rows = () if matrix.kind in FACTORS else listing(matrix, caps)
        if not any(row in own for row in rows):
            yield from rows


def wave_sizes(program: WaveMatrixProgram, caps: WaveMmaCaps) -> frozenset[int]:
    """The wave sizes at which all matrices of a program run; none where rows of different sizes are mixed."""
    sizes = any_lanes(caps)
    rows = tuple(_standing(program, caps))
    if rows:
        sizes = lanes(rows[0], caps)
    for row in rows[1:]:
        sizes &= lanes(row, caps)
    return sizes


def wave_size(program: WaveMatrixProgram, caps: WaveMmaCaps) -> int:
    """The lanes of the program's waves: as it says, as its threads say, else the fewest that all matrices allow.

    Where they agree on none, the largest size that some row requires.
    """
    sizes = wave_sizes(program, caps)
    if program.wave_size:
        return program.wave_size
    if program.threads and program.threads % program.waves == 0 and program.threads // program.waves in sizes:
        return program.threads // program.waves
    return min(sizes) if sizes else max(row.required_wave_size for row in _standing(program, caps))


def part_of_a_wave(program: WaveMatrixProgram, caps: WaveMmaCaps) -> bool:
    """WM-TG-DIVIS: whether the threads leave part of a wave, of every size that the program can run at.

    Where its matrices agree on none: of every size that one of its Left or Right matrices can run at.
    """
    sizes = wave_sizes(program, caps)
    if sizes:
        return _left_over(program.threads, frozenset({program.wave_size}) if program.wave_size else sizes)
    return any(_left_over(program.threads, lanes(row, caps)) for row in of_factors(program, caps))


def _left_over(threads: int, sizes: frozenset[int]) -> bool:
    return all(threads % size for size in sizes)


def check_waves(program: WaveMatrixProgram, caps: WaveMmaCaps) -> None:
    """Raise ``BadInput`` for a program that was written for a device with other waves.

    It says another size than its matrices have, or whole waves fill the group and are not as many as it says; a group
    that they do not fill is for WM-TG-DIVIS, and matrices without a common size are for WM-SIZE-AGREE.
    """
    sizes = wave_sizes(program, caps)
    if not sizes:
        return
    known = " or ".join(str(size) for size in sorted(sizes))
    if program.wave_size:
        if program.wave_size not in sizes:
            raise BadInput(f"program: written for waves of {program.wave_size}; the caps allow {known}")
        sizes, known = frozenset({program.wave_size}), str(program.wave_size)
    if not program.threads or program.threads in {size * program.waves for size in sizes}:
        return
    if not _left_over(program.threads, sizes):
        raise BadInput(f"program: {program.threads} threads are not {program.waves} waves of {known}")
