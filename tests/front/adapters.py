"""Backends that misbehave: loaded by ``mmaspec`` from this file, so it imports nothing of the tests.

Each is the numpy backend but for one thing. ``MMASPEC_TEST_STATE`` names a folder in which one that dies
once remembers that it has.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Description, Refused
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.profile import Pin, Profile


def chosen(program: Any) -> bool:
    """The same few programs in every run and process."""
    return zlib.crc32(msgspec.json.encode(program, order="deterministic")) % 48 == 3


def a_single_one(program: Any) -> bool:
    """One program of the quick list, for what takes long each time."""
    return zlib.crc32(msgspec.json.encode(program, order="deterministic")) % 240 == 3


def a_pair(program: Any) -> bool:
    """Two programs of the quick list."""
    return zlib.crc32(msgspec.json.encode(program, order="deterministic")) % 240 == 67


class Good(NumpyBackend):
    """The numpy backend on a device with two builtins, which makes runs short."""

    def __init__(self) -> None:
        super().__init__(ExactUnit(), DEVICES)
        self.report("amd-rdna3-wmma", Caps(builtins=("f32_16x16x16_f16_w32", "i32_16x16x16_iu8_w32")))


class Stalls(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        (Path(os.environ["MMASPEC_TEST_STATE"]) / "begun").write_bytes(b"up")  # a pipe: whoever waits there goes on
        time.sleep(3600)
        return super().run(spec, program, inputs)


class Updated(Good):
    def describe(self) -> Description:
        version = (Path(os.environ["MMASPEC_TEST_STATE"]) / "version").read_text(encoding="utf-8")
        return msgspec.structs.replace(super().describe(), version=version)


def _first_time(name: str) -> bool:
    """True once per state folder, across processes."""
    try:
        (Path(os.environ["MMASPEC_TEST_STATE"]) / name).open("x").close()
    except FileExistsError:
        return False
    return True


class Remembers(Good):
    """What it did before is still there: only the first call of a process is right in a few programs."""

    def __init__(self) -> None:
        super().__init__()
        self.called = False

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        done = super().run(spec, program, inputs)
        if self.called and chosen(program):
            done = {name: image ^ (image != inputs[name]) for name, image in done.items()}
        self.called = True
        return done


class CrashesOnce(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program) and _first_time("crashed"):
            os._exit(3)
        return super().run(spec, program, inputs)


class CrashesAlways(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if a_pair(program):
            os._exit(3)
        return super().run(spec, program, inputs)


class Hangs(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if a_single_one(program):
            time.sleep(3600)
        return super().run(spec, program, inputs)


class HangsOnce(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program) and _first_time("hung"):
            time.sleep(3600)
        return super().run(spec, program, inputs)


class Refuses(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program):
            raise Refused("not this one")
        return super().run(spec, program, inputs)


class FrontEnd(Good):
    """Only validates; refuses some valid programs, and breaks down over another, by no clause that it names."""

    def describe(self) -> Description:
        return Description(name="front end", version="1", roles=("validates",), enforces="all")

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        super().run(spec, program, inputs)
        if len(program.body) > 9:
            raise Refused("too long")
        if program.waves > 5:
            raise RuntimeError("too many waves")
        return {}


class Raises(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program):
            raise RuntimeError("no more\nregisters")
        return super().run(spec, program, inputs)


class ReturnsNothing(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        super().run(spec, program, inputs)


class WrongShape(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        return {name: image[:, :-1] for name, image in super().run(spec, program, inputs).items()}


class WrongType(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        return {name: image.astype(np.int32) for name, image in super().run(spec, program, inputs).items()}


class WritesToInputs(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        for image in inputs.values():
            image[:] = 0
        return super().run(spec, program, inputs)


class LeaksBetweenItems(Good):
    """The last item of a batch also answers for the first."""

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        answers: Mapping[str, Any] = super().run(spec, program, inputs)
        leaked = {name: image.copy() for name, image in answers.items()}
        for image in leaked.values():
            image[0] = image[-1]
        return leaked


class Flips(Good):
    """Flips one bit of what was written in one of so many calls; in which, a hash of the call's number says."""

    one_in = 20
    first = 0

    def __init__(self) -> None:
        super().__init__()
        self.calls = self.first

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        answers = {name: image.copy() for name, image in super().run(spec, program, inputs).items()}
        self.calls += 1
        drawn = zlib.crc32(f"call {self.calls}".encode())
        written = [(name, place) for name in answers for place in np.argwhere(answers[name] != inputs[name])[:1000]]
        if drawn % self.one_in == 0 and written:
            name, (item, byte) = written[drawn // self.one_in % len(written)]
            answers[name][item, byte] ^= 16
        return answers


class FlipsRarely(Flips):
    one_in = 200
    first = 2000


class NoConstructor:
    def __init__(self) -> None:
        raise OSError("no device")


class NoMethods:
    pass


class CapsRaise(Good):
    def caps(self, _: str) -> Any:
        raise RuntimeError("no device")


class CapsOfNoType(Good):
    def caps(self, _: str) -> Any:
        return 5


class PinsUnknownReading(Good):
    def describe(self) -> Description:
        pinned = Profile(name="mine", pins=(Pin("RDNA3-AMB-04", "warp"),))
        return Description(name="pins", version="1", profile=pinned)


class BorrowsUnknownClause(Good):
    def describe(self) -> Description:
        return Description(name="borrows", version="1", borrowed=("RDNA3-NO-SUCH",))


class Silent(NumpyBackend):
    """Reports no caps for any specification."""

    def __init__(self) -> None:
        super().__init__(ExactUnit(), {})


class WaitsForLeave(Good):
    """It says that it runs, through what may be a pipe, and waits for a signal until it may go on."""

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        state = Path(os.environ["MMASPEC_TEST_STATE"])
        heard, told = os.pipe()
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told)  # a signal that comes before the wait below ends it all the same
        (state / "waits").write_bytes(b"here")
        if not (state / "leave").exists():
            select.select([heard], [], [])
        signal.set_wakeup_fd(-1)
        os.close(heard)
        os.close(told)
        return super().run(spec, program, inputs)


class _Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class CannotSay(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program):
            raise _Unprintable
        return super().run(spec, program, inputs)


class Skips(Good):
    """With an exception that every tool of Python lets through."""

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program):
            pytest.skip("not\ntoday")
        return super().run(spec, program, inputs)


class Interrupts(Good):
    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if chosen(program):
            raise KeyboardInterrupt
        return super().run(spec, program, inputs)


def _kill_worker() -> None:
    if "MMASPEC_GROUPED" in os.environ:  # which the supervisor sets for its workers
        os.kill(os.getpid(), signal.SIGKILL)


class KilledAtFirst(Good):
    """The worker that makes it first is killed, as by a system without memory, before it begins a case."""

    def __init__(self) -> None:
        super().__init__()
        if "MMASPEC_GROUPED" in os.environ and _first_time("killed"):
            _kill_worker()


class KilledAlways(Good):
    def __init__(self) -> None:
        super().__init__()
        _kill_worker()


class LeavesSomething(Good):
    """What it starts is still there when it has ended, and keeps a pipe open."""

    def run(self, spec: str, program: Any, inputs: Any) -> Any:
        if _first_time("started"):
            place = Path(os.environ["MMASPEC_TEST_STATE"]) / "held"
            subprocess.Popen([sys.executable, "-c", _HOLDS, str(place)])
        return super().run(spec, program, inputs)


_HOLDS = "import sys, time; kept = open(sys.argv[1], 'w'); kept.write('here'); kept.flush(); time.sleep(3600)"


class LongName(Good):
    def describe(self) -> Description:
        return Description(name="n" * 50_000_000, version="1")


class LongVersion(Good):
    def describe(self) -> Description:
        return Description(name="n", version="1" * 201)


class NameOfNoText(Good):
    def describe(self) -> Description:
        return Description(name="n\udcff", version="1")


class VersionOfNoText(Good):
    def describe(self) -> Description:
        return Description(name="n", version=1)  # type: ignore[arg-type]


class LongSpeech(Good):
    def describe(self) -> Description:
        return Description(name="n", version="1", borrowed=("RDNA3-SIG",) * 200_000)
