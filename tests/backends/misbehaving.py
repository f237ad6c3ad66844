"""Backends that do what a backend should not; loaded by path, in child processes too."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.programs.amd_rdna3_wmma.caps import DEFAULT_CAPS

STATE = "MMASPEC_TEST_STATE"
"""Environment variable: a file that exists once ``CrashesOnce`` has crashed."""


class Copies:
    """A good one, as far as an empty program goes: it returns what it was given."""

    def describe(self) -> Description:
        return Description(name=type(self).__name__, version="7", roles=("executes", "validates"))

    def caps(self, spec: str) -> Any | None:
        return DEFAULT_CAPS if spec == "amd-rdna3-wmma" else None

    def run(self, spec: str, program: Any, inputs: Images) -> Any:
        assert isinstance(spec, str)
        assert program is not None
        return self.answer(inputs)

    def answer(self, inputs: Images) -> Any:
        return {name: image.copy() for name, image in inputs.items()}


class Crashes(Copies):
    def answer(self, _: Images) -> Any:
        sys.stderr.write("about\nto fall\n")
        sys.stderr.flush()
        os._exit(17)


class Aborts(Copies):
    def answer(self, _: Images) -> Any:
        os.abort()


class CrashesOnce(Copies):
    def answer(self, inputs: Images) -> Any:
        state = Path(os.environ[STATE])
        if not state.exists():
            state.touch()
            os._exit(3)
        return super().answer(inputs)


class Hangs(Copies):
    def answer(self, _: Images) -> Any:
        time.sleep(600)


class HangsAtTheStart(Copies):
    def __init__(self) -> None:
        time.sleep(600)


class Refuses(Copies):
    def answer(self, _: Images) -> Any:
        raise Refused("not\nthis one", ("A-CLAUSE", "B-CLAUSE"))


class Raises(Copies):
    def answer(self, _: Images) -> Any:
        raise ZeroDivisionError("two\nlines")


class Leaves(Copies):
    def answer(self, _: Images) -> Any:
        sys.exit("enough")


class WritesToItsInputs(Copies):
    def answer(self, inputs: Images) -> Any:
        for image in inputs.values():
            image[:] = 0
        return inputs


class ReturnsNothing(Copies):
    def answer(self, _: Images) -> Any:
        return None


class Forgets(Copies):
    def answer(self, _: Images) -> Any:
        return {}


class Adds(Copies):
    def answer(self, inputs: Images) -> Any:
        return {**inputs, "surplus": np.zeros((1, 1), np.uint8)}


class WrongKind(Copies):
    def answer(self, inputs: Images) -> Any:
        return {name: image.tobytes() for name, image in inputs.items()}


class WrongDtype(Copies):
    def answer(self, inputs: Images) -> Any:
        return {name: image.astype(np.int8) for name, image in inputs.items()}


class WrongShape(Copies):
    def answer(self, inputs: Images) -> Any:
        return {name: image[:, 1:] for name, image in inputs.items()}


class Prints(Copies):
    """To the standard output, by every road, and reads the standard input."""

    def answer(self, inputs: Images) -> Any:
        print("hello", flush=True)  # noqa: T201 - that is the point
        os.write(1, b"MMA1 and more\n")
        assert sys.stdin.read() == ""
        return super().answer(inputs)


class Floods(Copies):
    """Its error stream gets more than a pipe holds."""

    def answer(self, inputs: Images) -> Any:
        os.write(2, b"x" * 79 + b"\n")
        for _ in range(40):
            os.write(2, (b"y" * 9999 + b"\n") * 10)
        return super().answer(inputs)


class DescribesWrongly(Copies):
    def describe(self) -> Any:
        return "a backend"


class CannotBeMade(Copies):
    def __init__(self) -> None:
        raise OSError("no\ndevice")


class NotABackend:
    def describe(self) -> Description:
        return Description(name="?", version="0")


def factory() -> Copies:
    """A function will do in place of a class."""
    return Copies()


NUMBER = 7
