"""Checks of kernels on fragments that are the same whatever a product is. What fails here is bad input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.register_kernels.program import Fragment, Load, RegisterProgram, Store, Use
from mmaspec.programs.well_formed import check_argument, check_elements, check_uniform, named

MAX_BLOCK = 1 << 20
"""The highest number of a block: 2^20 blocks of the smallest fragment are more than a buffer may hold."""
VECTOR_ALIGNMENT = 32
"""Bytes of the widest vector; a kernel may only read vectors at multiples of their size."""
FACTORS: tuple[Use, ...] = ("a", "b")
"""Uses of the fragments that a product takes as A or B."""


def check_bits(name: str, bits: int, width: int) -> None:
    """Raise ``BadInput`` for a constant that is no element of so many bits."""
    if not 0 <= bits < 1 << width:
        raise BadInput(f"fragment {name}: {bits:#x} is not an element of {width} bits")


def check_access(
    at: str, program: RegisterProgram, access: Load | Store, fragment: Fragment, passes: int, per_byte: int = 1
) -> None:
    """Raise ``BadInput`` for an unknown buffer or a block out of range; a byte holds up to ``per_byte`` elements."""
    check_buffer(at, access.buffer, program.buffers)
    check_uniform(at, "block", access.block)
    check_argument(at, "block", access.block, program.waves, passes, 0, MAX_BLOCK)
    check_elements(at, program, passes, program.lanes * fragment.vector_bytes * per_byte)


def check_buffer(at: str, name: str, buffers: Iterable[Buffer]) -> None:
    """Raise ``BadInput`` for an unknown buffer."""
    named(at, "buffer", name, (buffer.name for buffer in buffers))


def check_uses(at: str, fragments: Mapping[str, Fragment], uses: Iterable[tuple[str | None, tuple[Use, ...]]]) -> None:
    """Raise ``BadInput`` for a fragment that is unknown or declared for none of these uses; None is no fragment."""
    for name, allowed in uses:
        if name is None:
            continue
        named(at, "fragment", name, fragments)
        if fragments[name].use not in allowed:
            expected = " or ".join(map(repr, allowed))
            raise BadInput(f"{at}: fragment {name} is declared to hold {fragments[name].use!r}; expected {expected}")
