"""How much is wrong, in words that are true of the format."""

from __future__ import annotations

import pytest

from mmaspec.suites.judging.record import Element, Finding
from mmaspec.suites.judging.telling.finding import grade


def of(fmt: str, *, gross: bool, farthest: int | None, how: str = "base") -> Finding:
    element = Element(buffer="out", address=0, item=0, wave=0, row=0, col=0, format=fmt, got="0x0", got_value="0")
    return Finding(
        symptom="value", blamed=("X",), how=how, says="", element=element, wrong=3, judged=9, gross=gross,
        farthest=farthest,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fmt", "gross", "farthest", "text"),
    [
        ("f32", True, 7, "3 of 9 elements, beyond any rounding"),
        ("f32", False, 7, "3 of 9 elements, at most 7 representable values away"),
        ("f16", False, 1, "3 of 9 elements, at most 1 representable value away"),
        ("s32", True, 7, "3 of 9 elements, off by at most 7"),
        ("u8", False, 1, "3 of 9 elements, off by at most 1"),
        ("s32", True, None, "3 of 9 elements"),
    ],
)
def test_integers_are_off_by_a_number_and_rounded_never(fmt: str, gross: bool, farthest: int | None, text: str) -> None:
    assert grade(of(fmt, gross=gross, farthest=farthest)) == text


def test_an_error_in_the_last_bits_is_not_called_beyond_any_rounding() -> None:
    """It still is one, where the sum has no room for it."""
    told = grade(of("bf16", gross=True, farthest=1, how="a slight error"))
    assert told == "3 of 9 elements, at most 1 representable value away, where no rounding is left open"
