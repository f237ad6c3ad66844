"""Where elements stand in the lanes of a wave of 32, against tinygrad's model of gfx1100 (extra ``tinygrad``).

The model is one of layouts. It has elements of a lane where the device has registers: no halves of them, no OPSEL, no
replicated registers but equal elements of lanes that are 16 apart. It computes with Python's numbers: no rounding, and
neither clamp nor unsigned bytes. It has no waves of 64 lanes, no iu4 and no bf16 results. Where results are
f16, C is not seen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, BuiltinName

from .calculator import Use, layouts
from .registers import SHORT, Element, Field, operand, results

pytestmark = pytest.mark.skipif(
    find_spec("tinygrad") is None, reason="NO SECOND MODEL OF RDNA3's LANES: `tinygrad` is absent (extra `tinygrad`)"
)

PAIRS = {("f32", "f16"): "half-float", ("f16", "f16"): "half-half", ("f32", "bf16"): "bfloat16-float"}
PAIRS |= {("i32", "iu8"): "char-int"}
"""(result, operands) -> the formats as tinygrad calls them."""
MODELLED = [name for name, form in FORMS.items() if form.wave == "w32" and (form.result, form.operands) in PAIRS]
LABELS = {row * 16 + col - 128: (row, col) for row in range(16) for col in range(16)}
Held = dict[str, list[list[float]]]


@pytest.fixture(scope="module")
def modelled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Held]:
    """What the model has in the lanes, by formats."""
    environment = {**os.environ, "DEV": "PYTHON::gfx1100", "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    command = [sys.executable, str(Path(__file__).with_name("tinygrad_layouts.py")), *PAIRS.values()]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Held] = json.loads(done.stdout)
    return found


def by_lane(held: list[list[float]]) -> dict[tuple[int, int], Element]:
    """(lane, element of the lane) -> element of the matrix."""
    return {(lane, at): LABELS[int(label)] for at, lanes in enumerate(held) for lane, label in enumerate(lanes)}


def places(found: dict[Element, set[Field]], each: int) -> dict[tuple[int, int], Element]:
    """The same of the oracle's fields, one in ``each`` bits of a lane's registers."""
    return {(f.lane, (32 * f.vgpr + f.bit) // each): element for element, fields in found.items() for f in fields}


def matrices(result: str) -> str:
    """What the spy sees."""
    return "ABD" if result == "f16" else "ABCD"


def each(operands: str, matrix: str) -> int:
    """Bits of a lane's registers for each element: factors are packed, results are not."""
    return int(operands.strip("iubf")) if matrix in "AB" else 32


@pytest.mark.parametrize("builtin", MODELLED)
def test_elements_stand_in_the_same_lanes(modelled: dict[str, Held], builtin: BuiltinName) -> None:
    form = FORMS[builtin]
    opsel = 0 if form.result in SHORT else None
    for matrix in matrices(form.result):
        found = results(builtin, opsel) if matrix == "D" else operand(builtin, opsel, matrix)
        held = modelled[PAIRS[form.result, form.operands]][matrix]
        assert by_lane(held) == places(found, each(form.operands, matrix)), matrix


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_both_models_that_are_not_ours_agree(modelled: dict[str, Held], pair: tuple[str, str]) -> None:
    """That of tinygrad with AMD's calculator: this tests the table of the one and the spy on the other."""
    result, operands = pair
    for matrix in matrices(result):
        opsel = 0 if matrix in "CD" and result in SHORT else None
        table = layouts()[Use(f"v_wmma_{result}_16x16x16_{operands}", matrix, 32, opsel)]
        found = by_lane(modelled[PAIRS[pair]][matrix])
        assert found == {(f.lane, (32 * f.vgpr + f.bit) // each(operands, matrix)): table[f] for f in table}, matrix
        assert len(found) == (512 if matrix in "AB" else 256)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_the_maps_are_those_that_the_model_multiplies_by(modelled: dict[str, Held], pair: tuple[str, str]) -> None:
    """A product with the identity on either side is the other matrix."""
    held = modelled[PAIRS[pair]]
    assert held["D"] == held["D of B"] == held.get("C", held["D"])
    assert ("C" in held) == (pair[0] != "f16")


def test_what_is_modelled_is_compared() -> None:
    """Everything but waves of 64, iu4, bf16 results and `_tied`, which no pair of formats stands for."""
    ours = {(form.result, form.operands) for form in FORMS.values()}
    assert {(FORMS[name].result, FORMS[name].operands) for name in MODELLED} == set(PAIRS) & ours
