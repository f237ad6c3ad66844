"""A reply is checked before anybody looks into it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mmaspec.backends.checked import BadReply, Raised, call
from mmaspec.backends.failures import Died, Unasked, raised_at
from mmaspec.backends.protocol import Refused
from mmaspec.backends.resolve import resolve
from mmaspec.programs.errors import BadInput

from .programs import BATCH, PROGRAM, SPEC, images, misbehaving


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ReturnsNothing", "run returned None; expected a mapping from buffer names to arrays"),
        ("Forgets", "run returned no buffer 'first', 'second'; every buffer is expected back"),
        ("Adds", "run returned 'surplus', which the program does not have"),
        ("WrongKind", "buffer 'first' came back as a bytes; expected a numpy array"),
        ("WrongDtype", "buffer 'first' came back with dtype int8; expected uint8"),
        ("WrongShape", "buffer 'first' came back with shape (3, 167); expected (3, 168), guard zones included"),
    ],
)
def test_a_bad_reply_is_one_clear_line(name: str, line: str) -> None:
    with pytest.raises(BadReply) as bad:
        call(resolve(misbehaving(name)), SPEC, PROGRAM, images(), BATCH)
    assert str(bad.value) == line


def test_a_good_reply_comes_through() -> None:
    assert list(call(resolve(misbehaving("Copies")), SPEC, PROGRAM, images(), BATCH)) == ["first", "second"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Raises", "ZeroDivisionError: two lines (misbehaving.py, line N)"),
        ("Leaves", "SystemExit: enough (misbehaving.py, line N)"),
    ],
)
def test_an_exception_becomes_raised(name: str, text: str) -> None:
    with pytest.raises(Raised) as raised:
        call(resolve(misbehaving(name)), SPEC, PROGRAM, images(), BATCH)
    assert re.sub(r"line \d+", "line N", str(raised.value)) == text


def test_the_place_of_an_exception_is_in_the_backend_not_in_what_it_calls() -> None:
    def careless() -> None:
        json.loads("{")

    with pytest.raises(json.JSONDecodeError) as raised:
        careless()
    line = careless.__code__.co_firstlineno + 1
    assert str(Raised.by(raised.value)).endswith(f"({Path(__file__).name}, line {line})")
    assert raised_at(ValueError("never raised")) == ""


@pytest.mark.parametrize(
    "answer", [Refused("no"), Died("crash", "gone"), BadReply("short"), Raised("X: y"), Unasked("z")]
)
def test_answers_that_have_a_name_come_through(answer: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = resolve(misbehaving("Copies"))

    def run(*_: object) -> None:
        raise answer

    monkeypatch.setattr(backend, "run", run)
    with pytest.raises(type(answer)) as met:
        call(backend, SPEC, PROGRAM, images(), BATCH)
    assert met.value is answer


def test_bad_input_of_the_backend_itself_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = resolve(misbehaving("Copies"))

    def run(*_: object) -> None:
        raise BadInput("no such layout")

    monkeypatch.setattr(backend, "run", run)
    with pytest.raises(Raised, match="BadInput: no such layout"):
        call(backend, SPEC, PROGRAM, images(), BATCH)
