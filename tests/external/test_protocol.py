"""Programs that speak the protocol: everything arrives, and each way to go astray is told from the others."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mmaspec.backends.checked import call
from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.protocol import Images, Refused
from mmaspec.backends.resolve import resolve
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from tests.backends.programs import SPEC
from tests.backends.programs import images as random_images

PROGRAM = WmmaProgram(wave_size=32, buffers=(Buffer("first", 40), Buffer("second", 100_000, 32)), fragments=(), body=())
BATCH = 5


def images() -> Images:
    """Larger than any pipe, read-only."""
    return random_images(PROGRAM, BATCH)


def quoted(*words: object) -> str:
    return " ".join(f'"{word}"' for word in words)


PIPES = ""
STREAMS = " {stdio}"
FILES = ' "{request}" "{reply}"'
TRANSPORTS = pytest.mark.parametrize("transport", [PIPES, STREAMS, FILES], ids=["pipes", "streams", "files"])


def echo(mode: str, transport: str = PIPES, timeout_s: float = 20.0) -> ExternalBackend:
    place = Path(__file__).with_name("echo.py")
    return ExternalBackend(quoted(sys.executable, place, mode) + transport, timeout_s=timeout_s, start_timeout_s=20.0)


def run(backend: ExternalBackend) -> Images:
    return call(backend, SPEC, PROGRAM, images(), BATCH)


def death(mode: str, transport: str = PIPES, timeout_s: float = 20.0) -> Died:
    with echo(mode, transport, timeout_s) as backend, pytest.raises(Died) as died:
        run(backend)
    assert "\n" not in str(died.value)
    return died.value


def same(after: Images) -> bool:
    return list(after) == ["first", "second"] and all(
        np.array_equal(after[name], image) for name, image in images().items()
    )


@TRANSPORTS
def test_everything_arrives(transport: str) -> None:
    with echo("good", transport) as backend:
        description = backend.describe()
        assert (description.name, description.version, description.roles) == ("echo", "3", ("executes",))
        assert backend.caps(SPEC) == Caps(builtins=())
        assert backend.caps("nv-coopmat2") is None
        assert same(run(backend))
        assert same(run(backend))


def test_the_command_line_names_it() -> None:
    assert isinstance(resolve(f"cmd:{quoted(sys.executable, 'echo.py')}"), ExternalBackend)


@pytest.mark.parametrize("mode", ["parts", "bytes"])
def test_a_batch_is_sent_in_parts_where_it_is_too_large(mode: str) -> None:
    with echo(mode) as backend:
        assert same(run(backend))


def test_an_item_that_is_too_large_is_refused() -> None:
    with echo("too-small") as backend, pytest.raises(Refused, match=r"one item has 100264 bytes; .* at most 5000"):
        run(backend)


def test_what_it_prints_is_no_reply() -> None:
    with echo("prints") as backend:
        assert same(run(backend))
        assert same(run(backend))


@TRANSPORTS
def test_a_refusal_arrives_with_its_clauses(transport: str) -> None:
    with echo("refuse", transport) as backend:
        for _ in range(2):  # and the program goes on
            with pytest.raises(Refused, match="not this one") as refusal:
                run(backend)
            assert refusal.value.clauses == ("A-CLAUSE", "B-CLAUSE")


@TRANSPORTS
def test_a_failure_arrives_as_one_line(transport: str) -> None:
    with echo("fail", transport) as backend, pytest.raises(Raised, match=r"^out of registers$"):
        run(backend)


@TRANSPORTS
def test_a_crash_is_told_with_its_exit_code_and_last_words(transport: str) -> None:
    found = death("crash", transport)
    assert found.kind == "crash"
    assert found.detail == "exited with 17 over run; it last said: to fall"


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes on POSIX only")
@TRANSPORTS
def test_a_crash_is_told_with_its_signal(transport: str) -> None:
    assert str(death("abort", transport)).startswith("crash: killed by SIGABRT over run")


def test_after_a_crash_the_next_request_finds_a_new_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path / "crashed"))
    with echo("crash-once") as backend:
        with pytest.raises(Died, match="exited with 3"):
            run(backend)
        assert same(run(backend))


@pytest.mark.parametrize(
    ("mode", "says"),
    [("changing", "says something else of itself"), ("lost-device", "started again: no device found")],
)
def test_a_new_program_has_to_be_the_same_one(
    mode: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path / "started"))
    with echo(mode) as backend:
        with pytest.raises(Died, match="exited with 3"):
            run(backend)
        with pytest.raises(Died, match=says):
            run(backend)


@TRANSPORTS
def test_a_hang_is_ended_in_time(transport: str) -> None:
    started = time.monotonic()
    found = death("hang", transport, 0.5)
    assert found.kind == "hang"
    assert "of run in 0.5 s" in found.detail or "to run in 0.5 s" in found.detail
    assert time.monotonic() - started < 15


def test_half_a_reply_and_then_nothing_is_a_hang() -> None:
    assert death("drip", timeout_s=0.5).kind == "hang"


@pytest.mark.parametrize(
    ("mode", "kind", "text"),
    [
        ("garbage", "garbage", "b'launching kernel 7' is not the start of a reply"),
        ("no-json", "garbage", "is no reply: Object missing required field `id`"),
        ("negative", "garbage", "is no reply: Expected `int` >= 0 - at `$.body`"),
        ("refuse-other", "garbage", "answered 'refused' of request 2 to run 1"),
        ("fail-other", "garbage", "answered 'error' of request 2 to run 1"),
        ("cut", "partial reply", "100 of 501320 bytes of a body, over run; it exited with 0"),
        ("flood", "flood", "over 64 MiB on its error stream over run; it last said: yyy"),
    ],
)
def test_other_deaths_are_told_apart(mode: str, kind: str, text: str) -> None:
    found = death(mode)
    assert found.kind == kind
    assert text in found.detail


@pytest.mark.parametrize(
    ("mode", "kind"), [("half-line", "partial reply"), ("cut", "partial reply"), ("flood", "flood")]
)
def test_so_are_deaths_over_files(mode: str, kind: str) -> None:
    assert death(mode, FILES).kind == kind


def test_what_a_hung_program_left_running_cannot_answer_the_next_request() -> None:
    with echo("late", FILES, 5.0) as backend:
        backend.describe()
        backend._timeout = 0.5
        with pytest.raises(Died, match="hang"):
            backend.run(SPEC, PROGRAM, random_images(PROGRAM, 1))
        backend._timeout = 20.0
        assert same(run(backend))


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("short", "buffers of 20 bytes in a body of 8"),
        ("contradicts", "buffers of 501320 bytes in a body of 8"),
        ("long", "a body of 549755813888 bytes is announced where 501320 are expected"),
    ],
)
@pytest.mark.parametrize("transport", [PIPES, FILES], ids=["pipes", "files"])
def test_a_lie_about_sizes_is_a_bad_reply(mode: str, text: str, transport: str) -> None:
    with echo(mode, transport) as backend:
        for _ in range(2):
            with pytest.raises(BadReply, match=text):
                run(backend)


def test_bytes_too_many_show_over_the_next_request() -> None:
    with echo("surplus") as backend:
        assert same(run(backend))
        with pytest.raises(Died, match=r"b'more.* is not the start of a reply"):
            run(backend)
    with echo("surplus", FILES) as backend, pytest.raises(BadReply, match="followed by more bytes"):
        run(backend)


@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("no-device", "no device found"),
        ("future", "speaks protocol 3; this version of mmaspec 1 and 2"),
        ("unknown-spec", "has caps for 'hlsl-wavematrix'; there are"),
        ("unknown-type", "has the type 'f23'; there are"),
        ("no-level", "level 'full': caps are for the level 'full', types for the level 'mma'"),
        ("no-types", "level 'mma': caps are for"),
    ],
)
def test_what_is_not_for_this_mmaspec_is_bad_input(mode: str, line: str) -> None:
    with echo(mode) as backend, pytest.raises(BadInput, match=line) as bad:
        backend.describe()
    assert "\n" not in str(bad.value)


@pytest.mark.parametrize("mode", ["field", "deep"])
def test_a_hello_that_does_not_decode_is_garbage(mode: str) -> None:
    with echo(mode) as backend, pytest.raises(Died, match="garbage: "):
        backend.describe()


def test_caps_that_do_not_decode_are_a_bad_reply() -> None:
    with echo("no-caps") as backend, pytest.raises(BadReply, match=f"caps for {SPEC} are not valid: .*builtins"):
        backend.caps(SPEC)


def test_no_hello_in_time_is_a_death() -> None:
    backend = echo("mute")
    backend._start_timeout = 0.3
    with backend, pytest.raises(Died, match=r"hang: no answer to hello in 0.3 s"):
        backend.describe()


def test_who_speaks_on_the_standard_output_is_told_how() -> None:
    script = "import sys; sys.stdin.readline(); print(chr(123) + 'hello there')"
    with (
        ExternalBackend(quoted(sys.executable, "-c", script)) as backend,
        pytest.raises(Died, match=r"write \{stdio\}"),
    ):
        backend.describe()


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("/no/such/adapter --fast", "cmd:/no/such/adapter --fast: cannot be started"),
        ("{stdio}", "names no command"),
        ("sim {request}", "needs both {request} and {reply}, or neither"),
        ("sim {request} {reply} {stdio}", "two transports"),
        ("'sim", "not a command line" if sys.platform != "win32" else "cannot be started"),
    ],
)
def test_a_command_that_cannot_be_meant_is_bad_input(command: str, line: str) -> None:
    with pytest.raises(BadInput) as bad:
        ExternalBackend(command).describe()
    assert line in str(bad.value)
