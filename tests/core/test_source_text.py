"""A clause's place in a document can be found again, whatever happened to the white space."""

from __future__ import annotations

import pytest

from mmaspec.oracle.source_text import REACH, digest, locate, sentences

TEXT = "Offsets are bytes. The stride must be\n  a multiple of four; padding stays.\n颜色。矩阵在通道之间复制。"


def test_sentences_ignore_line_breaks() -> None:
    assert sentences(TEXT)[1] == "The stride must be a multiple of four;"


def test_found_again_after_rewrapping() -> None:
    wanted = digest(sentences(TEXT)[1])
    assert locate(TEXT.replace("\n", "\r\n\t"), "stride must be", wanted) == "found"


def test_changed_sentence_is_seen() -> None:
    wanted = digest(sentences(TEXT)[1])
    assert locate(TEXT.replace("four", "eight"), "stride must be", wanted) == "changed"


def test_missing_place_is_seen() -> None:
    assert locate(TEXT, "no such words", "0" * 16) == "missing"


def test_cjk_sentences_end_without_a_space() -> None:
    assert "矩阵在通道之间复制。" in sentences(TEXT)


TWICE = "Load reads bytes. Offsets are dwords. It fails. Store writes bytes. Offsets are dwords. It fails."
"""The same sentence of a load and of a store."""
SENTENCE = digest("Offsets are dwords.")


def test_words_that_stand_twice_find_no_place() -> None:
    assert locate(TWICE, "Offsets are", SENTENCE) == "repeated"
    assert locate(TWICE.replace("It", "Offsets", 1), "Offsets are", SENTENCE) == "repeated"
    assert locate("aaa.", "aa", digest("aaa.")) == "repeated"


@pytest.mark.parametrize(
    "locator", ["reads bytes. Offsets are", "dwords. It fails. Store", "Load reads", "Store writes"]
)
def test_words_beside_a_repeated_sentence_find_it(locator: str) -> None:
    assert locate(TWICE, locator, SENTENCE) == "found"
    assert locate(TWICE.replace("dwords", "words"), locator.replace("dwords", "words"), SENTENCE) == "changed"


@pytest.mark.parametrize("between", range(REACH + 2))
def test_a_sentence_further_away_is_another_one(between: int) -> None:
    filling = "More. " * between
    state = "found" if between < REACH else "changed"
    assert locate(f"Load reads. {filling}Offsets are dwords.", "Load reads", SENTENCE) == state
    assert locate(f"Offsets are dwords. {filling}Load reads.", "Load reads", SENTENCE) == state


def test_cjk_neighbours_are_cut_the_same_way() -> None:
    text = "颜色。矩阵在通道之间复制。颜色。向量。矩阵在通道之间复制。"
    assert locate(text, "颜色。矩阵在", digest("矩阵在通道之间复制。")) == "found"
    assert locate(text, "向量", digest("矩阵在通道之间复制。")) == "found"
    assert locate(text, "矩阵在", digest("矩阵在通道之间复制。")) == "repeated"
