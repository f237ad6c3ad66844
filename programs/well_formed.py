"""Checks of well-formed programs that all specifications share, with one set of limits.

What fails here is no breach of a document but input that cannot be used; every message is one line of ``BadInput``.
The limits are the widest that any specification had. They keep numbers and loops small enough to be walked, they are
not what makes a case fit into memory: that is ``mmaspec.oracle.case.check_size``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mmaspec.programs.arguments import extremes
from mmaspec.programs.base import GUARD, Affine, Buffer, Index, Place, Program
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import nested, walk

MAX_WAVES = 64
"""Waves of a program: more than a thread group has in any specification, few enough to execute one by one."""
MAX_PASSES = 1024
"""Passes of one loop: every pass is a step of its own in what is expected and in what a report may show."""
MAX_INSTRUCTIONS = 1 << 16
"""Executed instructions. Each is a step that keeps the legal sets of a matrix, 10 kB and more: what goes beyond this
fits no memory. A file of the largest size that is read could otherwise ask for a thousand million."""
MAX_BYTES = 1 << 26
"""Bytes of a view, and of the guard zone before it: all allocations of a case together have no more."""
MAX_SPARSE = 1 << 36
"""Bytes of the view of a sparse buffer: 32 bits count elements of 16 bytes."""
MAX_WINDOWS = 1 << 12
"""Windows of a sparse buffer: every line of a few large matrices has one of its own."""
LEAST_WINDOWS = 16
"""Bytes of all windows of a buffer together: the largest element that something loads."""
MAX_ELEMENTS = 1 << 22
"""Elements that one instruction moves or computes over all waves and passes, where a specification bounds no matrix
by itself: their addresses are kept, 32 MiB of them."""
MAX_ARGUMENT = (1 << 32) - 1
"""The largest unsigned argument: 32 bits in every language."""


def check_frame(program: Program, *, alignment: int, names: Mapping[str, Iterable[str]], least_passes: int = 1) -> None:
    """Raise ``BadInput`` for names declared twice, or for numbers of waves, bytes, passes or instructions out of range.

    ``alignment`` is where views of buffers are bound, in bytes; ``names`` are the names of every kind of declaration
    beside the buffers. A loop has at least ``least_passes``.
    """
    for what, found in {"buffer": [buffer.name for buffer in program.buffers], **names}.items():
        check_unique(what, found)
    if not 1 <= program.waves <= MAX_WAVES:
        raise BadInput(f"program: {program.waves} waves; expected 1 to {MAX_WAVES}")
    for buffer in program.buffers:
        _check_buffer(buffer, alignment)
    for number, instruction in enumerate(program.body):
        if nested(instruction) is not None and not least_passes <= instruction.count <= MAX_PASSES:
            expected = f"expected {least_passes} to {MAX_PASSES}"
            raise BadInput(f"{where(Place((number,)))}: {instruction.count} passes; {expected}")
    executed = sum(passes for _, _, passes in walk(program))
    if executed > MAX_INSTRUCTIONS:
        raise BadInput(f"program: {executed} executed instructions; expected at most {MAX_INSTRUCTIONS}")


def _check_buffer(buffer: Buffer, alignment: int) -> None:
    within(f"buffer {buffer.name}", "size", buffer.size, 0, MAX_SPARSE if buffer.windows else MAX_BYTES)
    if not 0 <= buffer.base <= MAX_BYTES or buffer.base % alignment:
        raise BadInput(
            f"buffer {buffer.name}: base {buffer.base}; expected a multiple of {alignment} from 0 to {MAX_BYTES}"
        )
    if buffer.windows:
        _check_windows(buffer)


def _check_windows(buffer: Buffer) -> None:
    if len(buffer.windows) > MAX_WINDOWS:
        raise BadInput(f"buffer {buffer.name}: {len(buffer.windows)} windows; expected at most {MAX_WINDOWS}")
    end, last = -buffer.base, buffer.size + GUARD
    for start, length in buffer.windows:
        if length < 1 or start < end or start + length > last:
            raise BadInput(
                f"buffer {buffer.name}: a window of {length} bytes at {start}; "
                f"expected windows in order and apart, from byte {-buffer.base} to {last}"
            )
        end = start + length
    if not LEAST_WINDOWS <= buffer.total <= MAX_BYTES:
        allowed = f"{LEAST_WINDOWS} to {MAX_BYTES}"
        raise BadInput(f"buffer {buffer.name}: windows of {buffer.total} bytes in all; expected {allowed}")


def check_unique(what: str, names: Iterable[str]) -> None:
    """Raise ``BadInput`` where two declarations of a kind have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(f"program: {what} {name!r} is declared twice")
        seen.add(name)


def where(place: Place) -> str:
    """An instruction in a message, counted from 1: ``program: instruction 3.1``."""
    return f"program: instruction {'.'.join(str(step + 1) for step in place.path)}"


def named(at: str, what: str, name: str, known: Iterable[str]) -> None:
    """Raise ``BadInput`` where nothing of that kind and name is declared; ``at`` says who names it."""
    names = sorted(known)
    if name not in names:
        raise BadInput(f"{at}: no {what} named {name!r}; there are {', '.join(names) or 'none'}")


def within(at: str, what: str, value: int, low: int, high: int) -> None:
    """Raise ``BadInput`` for a number that is not from ``low`` to ``high``."""
    if not low <= value <= high:
        raise BadInput(f"{at}: {what} {value}; expected {low} to {high}")


def check_argument(at: str, what: str, index: Index, waves: int, passes: int, low: int, high: int) -> None:
    """Raise ``BadInput`` for an argument that leaves the range in some wave or pass, or that is not resolved."""
    for value in extremes(index, waves, passes):
        within(at, what, value, low, high)


def check_uniform(at: str, what: str, index: Index) -> None:
    """Raise ``BadInput`` for an argument that differs from lane to lane, where nothing says what that means."""
    if isinstance(index, Affine) and index.lane:
        raise BadInput(f"{at}: {what} differs from lane to lane")


def check_elements(at: str, program: Program, passes: int, elements: int) -> None:
    """Raise ``BadInput`` where an instruction has more elements than ``MAX_ELEMENTS`` over all waves and passes."""
    count = program.waves * passes * elements
    if count > MAX_ELEMENTS:
        raise BadInput(f"{at}: {count} elements over all waves and passes; expected at most {MAX_ELEMENTS}")
