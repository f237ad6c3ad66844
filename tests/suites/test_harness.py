"""Two runs of a backend, and nothing that it does with its memory reaches what is judged."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.protocol import Backend, Description, Images
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.score.matrix import listed

SPEC = "amd-rdna3-wmma"


class Numpy:
    """The embedded backend, to be changed."""

    def __init__(self) -> None:
        self.inner = resolve("numpy")

    def describe(self) -> Description:
        return self.inner.describe()

    def caps(self, spec: str) -> Any:
        return self.inner.caps(spec)

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        return self.inner.run(spec, program, inputs)


class Staging(Numpy):
    """Legal: it returns the same buffers from every run."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        for name, image in self.inner.run(spec, program, inputs).items():
            np.copyto(self.kept.setdefault(name, np.empty_like(image)), image)
        return self.kept


class InPlace(Numpy):
    """Illegal: it works on the memory of its inputs, whatever their flags say, and spills into a guard zone."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        done = {}
        for name, image in self.inner.run(spec, program, inputs).items():
            pointer = ctypes.cast(inputs[name].ctypes.data, ctypes.POINTER(ctypes.c_uint8))
            memory = np.ctypeslib.as_array(pointer, shape=image.shape)
            memory[...] = image
            memory[:, -1] = 7
            done[name] = memory
        return done


@pytest.mark.parametrize("batch", [None, 1])
@pytest.mark.parametrize(("backend", "legal"), [(Staging(), True), (InPlace(), False)])
def test_memory_of_a_backend_is_its_own(backend: Backend, legal: bool, batch: int | None) -> None:
    case = materialise(next(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target))
    case = case if batch is None else case.item(0)
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    if isinstance(backend, Staging):
        backend.kept = {}
    held = hold(case, by_reading, ask(backend, case, by_reading.first))
    assert held.legal is legal
    if not legal:
        assert [wrong.symptom for wrong in held.judgement.wrong] == ["touched"] * len(case.program.buffers)
