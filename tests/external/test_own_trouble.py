"""What keeps mmaspec from asking is no failure of whom it would have asked."""

from __future__ import annotations

import errno
import shutil
import sys
from pathlib import Path

import pytest

from mmaspec.backends.checked import call
from mmaspec.backends.external import file_transport
from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.external.file_transport import FileTransport
from mmaspec.backends.failures import Died, Unasked
from mmaspec.backends.protocol import Images
from tests.backends.programs import PROGRAM, SPEC, images


def ask(backend: ExternalBackend) -> Images:
    return call(backend, SPEC, PROGRAM, images(PROGRAM, 2), 2)


def echo(start: Path, mode: str, places: str = "") -> ExternalBackend:
    """An adapter behind a link, which can be taken away."""
    start.symlink_to(sys.executable)
    return ExternalBackend(f'"{start}" "{Path(__file__).with_name("echo.py")}" {mode} {places}', timeout_s=20.0)


def folder(backend: ExternalBackend) -> Path:
    assert isinstance(backend._transport, FileTransport)
    assert backend._transport._folder is not None
    return Path(backend._transport._folder.name)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_folder_that_is_tidied_up_costs_one_request(tmp_path: Path) -> None:
    with echo(tmp_path / "start", "good", '"{request}" "{reply}"') as backend:
        ask(backend)
        shutil.rmtree(folder(backend))
        with pytest.raises(Unasked, match="the request cannot be written"):
            ask(backend)
        assert ask(backend)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_reply_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "the disk is failing")

    with echo(tmp_path / "start", "good", '"{request}" "{reply}"') as backend:
        ask(backend)
        with monkeypatch.context() as patched:
            patched.setattr(file_transport, "read_message", fails)
            with pytest.raises(Unasked, match="the reply cannot be read"):
                ask(backend)
        assert ask(backend)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_folder_for_a_reply_is_the_programs_own_doing(tmp_path: Path) -> None:
    with (
        echo(tmp_path / "start", "folder", '"{request}" "{reply}"') as backend,
        pytest.raises(Died, match="no file to be read") as died,
    ):
        ask(backend)
    assert died.value.kind == "garbage"


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_program_that_cannot_be_started_again(tmp_path: Path) -> None:
    with echo(tmp_path / "start", "good", '"{request}" "{reply}"') as backend:
        ask(backend)
        (tmp_path / "start").unlink()
        with pytest.raises(Unasked, match="cannot be started"):
            ask(backend)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_program_that_stays_and_cannot_be_started_again(tmp_path: Path) -> None:
    with echo(tmp_path / "start", "crash") as backend:
        with pytest.raises(Died):
            ask(backend)
        (tmp_path / "start").unlink()
        with pytest.raises(Unasked, match="cannot be started"):
            ask(backend)
