"""Where what Loads find in groupshared arrays was staged from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import (
    Addresses,
    access_addresses,
    array_bytes,
    array_format,
    copied,
    format_of,
)
from mmaspec.oracle.hlsl_linalg.sources.types_known import types_known
from mmaspec.programs.base import Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, LinalgProgram, Load, Stage, Store
from mmaspec.programs.tree import Path, unrolled

_NOWHERE = -1


@dataclass
class StagedOrigins:
    """Of every Load from an array, by the path of the instruction: buffer numbers and bytes there, pass by pass."""

    program: LinalgProgram
    found: dict[Path, list[tuple[Addresses, Addresses]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.program
        if not program.arrays:
            return
        names = [buffer.name for buffer in program.buffers]
        owner = {array.name: np.full(array_bytes(array), _NOWHERE, np.int64) for array in program.arrays}
        origin = {array.name: np.zeros(array_bytes(array), np.int64) for array in program.arrays}
        for place, instruction in unrolled(program):
            if not types_known(program, instruction):
                continue
            if isinstance(instruction, Stage):
                array = program.array(instruction.array)
                assert array is not None
                addresses, places = copied(program, instruction, place.loop)
                for byte in range(array_format(array).nbytes):
                    inside = (places + byte >= 0) & (places + byte < owner[array.name].size)
                    here = places[inside] + byte
                    owner[array.name][here] = names.index(instruction.buffer)
                    origin[array.name][here] = addresses[inside] + byte
            elif isinstance(instruction, Load | Store | InterlockedAccumulate) and instruction.memory in owner:
                self._access(place, instruction, owner[instruction.memory], origin[instruction.memory])

    def _access(
        self, place: Place, access: Load | Store | InterlockedAccumulate, owner: Addresses, origin: Addresses
    ) -> None:
        size = format_of(self.program.matrix(access.matrix).component).nbytes
        places = access_addresses(self.program, access, place.loop)
        inside = (places >= 0) & (places + size <= owner.size)
        if not isinstance(access, Load):
            for byte in range(size):
                owner[places[inside] + byte] = _NOWHERE
            return
        first = np.where(inside, places, 0)
        buffers, addresses = owner[first], origin[first]
        whole = inside
        for byte in range(1, size):
            whole = whole & (owner[first + byte * inside] == buffers)
            whole = whole & (origin[first + byte * inside] == addresses + byte)
        self.found.setdefault(place.path, []).append((np.where(whole, buffers, _NOWHERE), addresses))

    def of(self, path: Path, name: str) -> tuple[str, Addresses]:
        """Buffer and bytes ``(instances, passes, m, n)`` of what a Load finds; ``BadInput`` without one buffer."""
        passes = self.found.get(path, [])
        numbers = np.stack([one for one, _ in passes], axis=1) if passes else np.array([_NOWHERE])
        if numbers.min() == _NOWHERE or numbers.min() != numbers.max():
            raise BadInput(f"program: data {name!r} is loaded from an array that was not staged from one buffer")
        return self.program.buffers[int(numbers.flat[0])].name, np.stack([one for _, one in passes], axis=1)
